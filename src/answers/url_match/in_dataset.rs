//! The captures of a dataset: the authoritative one of each origin at a time.

use super::captures::UrlCaptures;
use super::decision::{DecidedRow, DecisionBasis};
use super::lookup::UrlLookup;
use super::options::Options;
use super::output::MatchWriter;
use super::planned_urls::{PlannedUrls, Ruling};
use crate::captures::DatasetCaptures;
use crate::own_tables;
use dataset::row;
use errors::Error;
use escapes::escape_body;
use hosts::lookups::find_candidates_by_origin;
use hosts::{AsOf, CandidateSelection, CaptureId, KeyedCandidate, RulesSource};
use sort::{Field, GroupKey, Key, Reader, SortedRecords};
use tables::Table;

row! {
    /// A row of `matches`.
    whole struct MatchRow<'a> of own_tables::MATCHES {
        url: &'a str,
        agent: &'a str,
        robots_id: Option<i64>,
        access: &'a str,
        line_no: Option<u32>,
        basis: &'a str,
        crawl: Option<&'a str>,
        preference: Option<&'a str>,
        preference_line: Option<u32>,
    }
}

impl UrlCaptures for DatasetCaptures<'_> {
    const OUTPUT: Table = own_tables::MATCHES;

    fn write_key(&self, origin: &[u8], key: &mut Vec<u8>) -> bool {
        key.extend_from_slice(origin);
        true
    }

    fn plan_urls(
        &self,
        urls: &SortedRecords<'_, UrlLookup>,
        planned: &mut PlannedUrls<'_, RulesSource>,
    ) -> Result<u64, Error> {
        let candidates = find_candidates_by_origin(&self.context, urls)?;
        let dialect = planned.run.options.dialect.dialect();
        let mut captures = AuthoritativeCaptures::new(&candidates)?;
        let (mut urls, mut origin) = (urls.read()?, GroupKey::default());
        let (mut origins, mut plan) = (0, Vec::new());
        while urls.next_group(&mut origin)? {
            origins += 1;
            captures.begin_origin(&origin)?;
            while let Some((as_of, row)) = urls.next_of(&origin)? {
                let source = captures.select_source(&origin, as_of)?;
                match source {
                    None => planned.add_undecided(&row, &[], DecisionBasis::NoCapture)?,
                    Some(source) => {
                        plan.clear();
                        source.id.write(&mut plan);
                        let ruling = Ruling {
                            effect: source.effect(dialect),
                            place: source,
                            time: source.time,
                        };
                        planned.add(&row, Some(&plan), 0, &ruling)?;
                    }
                }
            }
        }
        Ok(origins)
    }

    fn write_answers(
        &self,
        options: &Options,
        decided: &DecidedRow,
        file: &mut MatchWriter,
    ) -> Result<(), Error> {
        let url = escape_body(&decided.url, true);
        let capture = decided.plan::<CaptureId>();
        let crawls = self.context.dataset.crawls();
        let crawl = capture.map(|capture| crawls[capture.crawl as usize].as_str());
        for (i, crawler) in options.crawlers.iter().enumerate() {
            let decision = decided.undecided().or(decided.decision(0, i));
            let decision = decision.expect("a capture decides for every crawler, or none does");
            let preference = decision.preference.map(|preference| preference.0);
            let row = MatchRow {
                url: &url,
                agent: crawler.agent(),
                robots_id: capture.map(|capture| capture.robots_id),
                access: decision.access.name(),
                line_no: decision.line_no,
                basis: decision.basis.name(),
                crawl,
                preference: preference.map(|preference| preference.name()),
                preference_line: preference.and_then(|preference| preference.line_no),
            };
            file.push::<MatchRow<'_>>(row, &decision)?;
        }
        Ok(())
    }
}

/// Selects the authoritative capture for each origin and time. These have to be requested in sorted
/// order.
struct AuthoritativeCaptures<'a> {
    candidates: Reader<'a, KeyedCandidate>,
    as_of: Option<AsOf>,
    selection: CandidateSelection,
    source: Option<RulesSource>,
}
impl<'a> AuthoritativeCaptures<'a> {
    fn new(candidates: &'a SortedRecords<'_, KeyedCandidate>) -> Result<Self, Error> {
        Ok(Self {
            candidates: candidates.read()?,
            as_of: None,
            selection: CandidateSelection::default(),
            source: None,
        })
    }

    fn begin_origin(&mut self, origin: &GroupKey<Key<'static>>) -> Result<(), Error> {
        self.as_of = None;
        self.candidates.skip_to(origin)
    }

    /// Returns the capture whose rules or status apply to the origin at a time; `None` if the origin has no
    /// capture.
    fn select_source(
        &mut self,
        origin: &GroupKey<Key<'static>>,
        as_of: AsOf,
    ) -> Result<Option<RulesSource>, Error> {
        if self.as_of != Some(as_of) {
            self.as_of = Some(as_of);
            self.selection.clear();
            while let Some((_, fields)) = self
                .candidates
                .next_of_if(origin, |(time, _)| time == as_of)?
            {
                self.selection.add(fields.candidate);
            }
            let capture = self.selection.authoritative_capture();
            self.source = capture.map(|capture| capture.source);
        }
        Ok(self.source)
    }
}
