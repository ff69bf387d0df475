//! Decides listed URLs once the authoritative captures are known.

use super::context::{MatchContext, MatchCounts};
use super::decision::{Decision, DecisionBasis, RowDecisions, UrlAccess};
use super::lookup::{ListedUrl, RulesLookup, UrlLookup};
use crate::crawler::disallow_all;
use crate::dataset::{CaptureFilter, StoredLine, capture_key};
use crate::error::{DatasetDefect, Error, ErrorKind};
use crate::external_sort::sort_key::{FieldReader, put_key};
use crate::external_sort::{Reader, SortedRecords, Sorter};
use crate::resolve::candidate::Candidate;
use crate::resolve::{AsOf, CandidateSelection, RulesSource};
use robots::{RobotsTxt, RobotsTxtBuilder, StatusEffect};
use std::path::Path;
use std::sync::Arc;

/// Decides what the status of the authoritative capture decides, and returns
/// the other lookups, sorted by the capture whose rules have to be read.
pub(super) fn decide_by_status<'a>(
    context: &MatchContext<'a>,
    lookups: &SortedRecords<'_>,
    candidates: &SortedRecords<'_>,
    decisions: &mut Sorter<'_>,
    counts: &mut MatchCounts,
) -> Result<SortedRecords<'a>, Error> {
    let disallow_all = disallow_all(context.dialect);
    let mut by_rules = context.resolve.memory.sorter();
    let mut lookups = lookups.read()?;
    let mut captures = AuthoritativeCaptures::new(candidates)?;
    let mut record = Vec::new();
    while let Some(lookup) = lookups.peek() {
        let UrlLookup {
            origin_key,
            as_of,
            row,
        } = UrlLookup::read(lookup);
        counts.origins += u64::from(!captures.is_at(origin_key));
        let source = captures.source(origin_key, as_of)?;
        let by_status = |access| Decision::without_line(access, DecisionBasis::HttpStatus);
        let decision = match source {
            None => Some(Decision::without_line(
                UrlAccess::Unknown,
                DecisionBasis::NoCapture,
            )),
            Some(source) => match source.effect(context.dialect.dialect()) {
                StatusEffect::AllowAll => Some(by_status(UrlAccess::Allowed)),
                StatusEffect::DisallowAll => {
                    Some(by_status(UrlAccess::new(disallow_all.access(row.url))))
                }
                StatusEffect::Follow | StatusEffect::Defer => Some(by_status(UrlAccess::Unknown)),
                StatusEffect::Parse => {
                    RulesLookup::write(&mut record, &source, row);
                    by_rules.push(&record)?;
                    None
                }
            },
        };
        if let Some(decision) = decision {
            let ListedUrl { index, url } = row;
            let capture = source.map(|source| source.id);
            let of_crawlers = context.crawlers.iter().map(|_| decision);
            RowDecisions::write(&mut record, index, url, capture, of_crawlers);
            decisions.push(&record)?;
        }
        lookups.advance()?;
    }
    by_rules.finish()
}

/// Selects the authoritative capture for origins and times in sorted order.
struct AuthoritativeCaptures<'a> {
    candidates: Reader<'a>,
    /// The key of the current origin; empty before the first.
    origin_key: Vec<u8>,
    as_of: Option<AsOf>,
    selection: CandidateSelection,
    source: Option<RulesSource>,
}

impl<'a> AuthoritativeCaptures<'a> {
    fn new(candidates: &'a SortedRecords<'_>) -> Result<Self, Error> {
        Ok(Self {
            candidates: candidates.read()?,
            origin_key: Vec::new(),
            as_of: None,
            selection: CandidateSelection::default(),
            source: None,
        })
    }

    fn is_at(&self, origin_key: &[u8]) -> bool {
        self.origin_key == origin_key
    }

    /// Returns the capture whose rules or status apply.
    fn source(&mut self, origin_key: &[u8], as_of: AsOf) -> Result<Option<RulesSource>, Error> {
        if !self.is_at(origin_key) {
            self.origin_key.clear();
            self.origin_key.extend_from_slice(origin_key);
            self.as_of = None;
            self.candidates.skip_to_key(origin_key)?;
        }
        if self.as_of != Some(as_of) {
            self.as_of = Some(as_of);
            self.selection.clear();
            while let Some(candidate) = self.next_candidate(as_of) {
                self.selection.add(candidate);
                self.candidates.advance()?;
            }
            let capture = self.selection.authoritative();
            self.source = capture.map(|capture| capture.source);
        }
        Ok(self.source)
    }

    /// Returns the current candidate if it is one of this origin and time.
    fn next_candidate(&self, as_of: AsOf) -> Option<Candidate> {
        let mut fields = FieldReader::new(self.candidates.peek()?);
        let is_wanted = self.is_at(fields.key()) && AsOf::read(&mut fields) == as_of;
        is_wanted.then(|| Candidate::read(&mut fields))
    }
}

/// Decides the lookups that depend on rules. Each robots.txt is rebuilt once.
pub(super) fn decide_by_rules(
    context: &MatchContext<'_>,
    lookups: &SortedRecords<'_>,
    decisions: &mut Sorter<'_>,
    counts: &mut MatchCounts,
) -> Result<(), Error> {
    if lookups.is_empty() {
        return Ok(());
    }
    let lines = sort_lines(context, lookups)?;
    let (mut lookups, mut lines) = (lookups.read()?, lines.read()?);
    let mut file = RobotsTxtBuilder::new();
    let mut capture_key = Vec::new();
    while let Some(record) = lookups.peek() {
        let lookup = RulesLookup::read(record);
        capture_key.clear();
        capture_key.extend_from_slice(lookup.capture_key);
        let source = lookup.source;
        rebuild(&mut file, &capture_key, &source, &mut lines)?;
        counts.files += 1;
        let robots = file.as_robots_txt();
        decide_urls_of(context, &robots, &capture_key, &mut lookups, decisions)?;
    }
    Ok(())
}

/// Rebuilds the robots.txt of a capture from its lines.
fn rebuild(
    file: &mut RobotsTxtBuilder,
    capture_key: &[u8],
    source: &RulesSource,
    lines: &mut Reader<'_>,
) -> Result<(), Error> {
    file.clear();
    lines.skip_to_key(capture_key)?;
    let mut previous = Vec::new();
    while let Some(record) = lines.peek() {
        let mut fields = FieldReader::new(record);
        if fields.key() != capture_key {
            break;
        }
        let line = fields.rest();
        // Every line is repeated if the dataset has the capture twice.
        if line != previous {
            if !StoredLine::read(line).push_to(file, source.is_valid_utf8) {
                let kind = ErrorKind::NotADataset(DatasetDefect::TooManyRules);
                return Err(Error::new(kind, Path::new("rules")));
            }
            previous.clear();
            previous.extend_from_slice(line);
        }
        lines.advance()?;
    }
    file.set_content(source.content);
    Ok(())
}

/// Decides all URLs whose authoritative capture has this robots.txt.
fn decide_urls_of(
    context: &MatchContext<'_>,
    robots: &RobotsTxt<'_>,
    capture_key: &[u8],
    lookups: &mut Reader<'_>,
    decisions: &mut Sorter<'_>,
) -> Result<(), Error> {
    let crawlers = context.crawlers.iter();
    let policies: Vec<_> = crawlers
        .map(|crawler| crawler.policy(context.dialect, robots))
        .collect();
    let mut record = Vec::new();
    while let Some(lookup) = lookups.peek() {
        let lookup = RulesLookup::read(lookup);
        if lookup.capture_key != capture_key {
            break;
        }
        let ListedUrl { index, url } = lookup.row;
        let of_crawlers = policies.iter().map(|policy| {
            let access = policy.access(url);
            Decision {
                access: UrlAccess::new(access),
                basis: DecisionBasis::new(policy.basis),
                line_no: access.line_no,
            }
        });
        let capture = Some(lookup.source.id);
        RowDecisions::write(&mut record, index, url, capture, of_crawlers);
        decisions.push(&record)?;
        lookups.advance()?;
    }
    Ok(())
}

/// Reads the robots.txt lines of the captures in `lookups`, sorted by capture. Lines of other
/// captures may be among them, because a Bloom filter selects them.
fn sort_lines<'a>(
    context: &MatchContext<'a>,
    lookups: &SortedRecords<'_>,
) -> Result<SortedRecords<'a>, Error> {
    let resolve = &context.resolve;
    let filter = resolve.memory.bloom_filter_of_keys(lookups)?;
    let mut lines = resolve.memory.sorter();
    let mut record = Vec::new();
    let wanted = CaptureFilter::Captures(Arc::new(filter));
    let mut count = 0;
    resolve
        .dataset
        .read_lines(&wanted, &mut |crawl, robots_id, line| {
            record.clear();
            put_key(&mut record, &capture_key(crawl, robots_id));
            line.write(&mut record);
            count += 1;
            context.progress.set_rows(count);
            lines.push(&record)
        })?;
    lines.finish()
}
