//! The captures of a dataset.

use super::{Captures, FoundCapture, LineLimit, Place};
use dataset::error::{DatasetDefect, DatasetErrorKind};
use dataset::{PartLines, StoredLine};
use errors::Error;
use hosts::candidate::Candidate;
use hosts::host::{find_authoritative_capture, suggest_hosts};
use hosts::{AsOf, Host, ResolveContext, RulesSource};
use robots::{ContentClass, Dialect, RobotsTxtBuilder};
use std::path::Path;

/// The captures of a dataset.
pub(crate) struct DatasetCaptures<'a> {
    pub(crate) context: ResolveContext<'a>,
}

impl Place for RulesSource {
    fn part(&self) -> u32 {
        self.part
    }
}

impl Captures for DatasetCaptures<'_> {
    type Capture = Candidate;
    type Place = RulesSource;
    type Rules<'r>
        = PartLines<'r>
    where
        Self: 'r;

    fn at(&self, host: &Host, as_of: AsOf) -> Result<FoundCapture<Self>, Error> {
        let found = |capture: Candidate, other_form| FoundCapture {
            other_form,
            place: capture.source,
            effects: Dialect::ALL.map(|dialect| (dialect, capture.source.effect(dialect))),
            time: capture.source.time,
            capture,
        };
        if let Some(capture) = find_authoritative_capture(&self.context, host, as_of)? {
            return Ok(found(capture, None));
        }
        if let Some(other_form) = host.other_form()
            && let Some(capture) = find_authoritative_capture(&self.context, &other_form, as_of)?
        {
            return Ok(found(capture, Some(other_form)));
        }
        let suggestions = suggest_hosts(&self.context, host)?;
        let kind = DatasetErrorKind::NoCapture {
            host: host.to_string(),
            first_time: suggestions.first_time,
            similar: suggestions.hosts,
        };
        Err(Error::new(kind, self.context.dataset.root()))
    }

    fn open_rules(&self, places: &[RulesSource]) -> Result<PartLines<'_>, Error> {
        let part = places.first().map_or(0, |place| place.part);
        let mut ids: Vec<i64> = places.iter().map(|place| place.id.robots_id).collect();
        ids.dedup();
        PartLines::open(self.context.dataset, part, ids.into())
    }

    fn read_file(
        &self,
        rules: &mut PartLines<'_>,
        place: &RulesSource,
        limit: &mut LineLimit<'_>,
        file: &mut RobotsTxtBuilder,
    ) -> Result<u64, Error> {
        let lines = rules.read_capture(place.id.robots_id)?;
        let count = lines.len() as u64;
        let mut has_rules = false;
        for line in lines {
            let written = line.written();
            limit.take(1, written.key.len() + written.value.len())?;
            has_rules |= matches!(line, StoredLine::Rule(_));
            if !line.push_to(file, place.is_valid_utf8) {
                return Err(DatasetDefect::too_many_rules().error(Path::new("rules")));
            }
        }
        if place.content.0 == ContentClass::Rules && !has_rules {
            return Err(rules.missing_rules_error());
        }
        file.set_content_class(place.content.0);
        Ok(count)
    }
}
