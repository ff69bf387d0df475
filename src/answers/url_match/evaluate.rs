//! Decides listed URLs once the authoritative captures are known.

use super::decision::{Decision, DecisionBasis, RowDecisions, UrlAccess};
use super::lookup::{ListedUrl, RulesLookup, UrlLookup};
use super::match_run::MatchRun;
use super::summary::MatchSummary;
use dataset::PartLines;
use dataset::error::DatasetDefect;
use disk::error::Error;
use disk::open_files;
use hosts::candidate::Candidate;
use hosts::{AsOf, CandidateSelection, ResolveContext, RulesSource};
use rayon::prelude::*;
use robots::{ContentClass, DirectiveKind, RobotsTxtBuilder};
use sort::sort_key::FieldReader;
use sort::{Arena, Reader, SharedSorter, SortedRecords};
use std::path::Path;

/// The context of a match over a dataset.
#[derive(Clone, Copy)]
pub(super) struct DatasetMatch<'a> {
    pub(super) run: &'a MatchRun<'a>,
    pub(super) resolve: ResolveContext<'a>,
}

impl<'a> DatasetMatch<'a> {
    /// Decides the lookups that do not depend on rules, because there is no capture or because its HTTP
    /// status decides. Returns the other lookups, sorted by the capture whose rules have to be read.
    pub(super) fn decide_by_status(
        &self,
        lookups: &SortedRecords<'_>,
        candidates: &SortedRecords<'_>,
        decisions: &SharedSorter<'_>,
        summary: &mut MatchSummary,
    ) -> Result<SortedRecords<'a>, Error> {
        let run = self.run;
        let dialect = run.options.dialect.dialect();
        let mut rule_lookups = run.memory.create_sorter();
        let mut lookups = lookups.read()?;
        let mut authoritative_captures = AuthoritativeCaptures::new(candidates)?;
        let mut record = Vec::new();
        while let Some(lookup) = lookups.peek() {
            let UrlLookup {
                origin_key,
                as_of,
                row,
            } = UrlLookup::read(lookup);
            summary.origins += u64::from(!authoritative_captures.is_current_origin(origin_key));
            let source = authoritative_captures.select_source(origin_key, as_of)?;
            let decision = match &source {
                Some(source) => run.decide_by_status(source.effect(dialect), row.url),
                None => Some(Decision::new_without_rule(
                    UrlAccess::Unknown,
                    DecisionBasis::NoCapture,
                )),
            };
            if let Some(decision) = decision {
                let ListedUrl { index, url } = row;
                let capture = source.map(|source| source.id);
                let crawler_decisions = run.options.crawlers.iter().map(|_| decision);
                RowDecisions::write(&mut record, index, url, capture, crawler_decisions);
                decisions.push(&record)?;
            } else if let Some(source) = &source {
                RulesLookup::write(&mut record, source, row);
                rule_lookups.push(&record)?;
            }
            lookups.advance()?;
        }
        rule_lookups.finish()
    }
}

/// Selects the authoritative capture for each origin and time. These have to be requested in sorted
/// order.
struct AuthoritativeCaptures<'a> {
    candidates: Reader<'a>,
    /// The key of the current origin; empty before the first one.
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

    fn is_current_origin(&self, origin_key: &[u8]) -> bool {
        self.origin_key == origin_key
    }

    /// Returns the capture whose rules or status apply to an origin at a time; `None` if the origin has no
    /// capture.
    fn select_source(
        &mut self,
        origin_key: &[u8],
        as_of: AsOf,
    ) -> Result<Option<RulesSource>, Error> {
        if !self.is_current_origin(origin_key) {
            self.origin_key.clear();
            self.origin_key.extend_from_slice(origin_key);
            self.as_of = None;
            self.candidates.skip_to_key(origin_key)?;
        }
        if self.as_of != Some(as_of) {
            self.as_of = Some(as_of);
            self.selection.clear();
            while let Some(candidate) = self.matching_candidate(as_of) {
                self.selection.add(candidate);
                self.candidates.advance()?;
            }
            let capture = self.selection.authoritative_capture();
            self.source = capture.map(|capture| capture.source);
        }
        Ok(self.source)
    }

    /// Returns the next candidate, if it belongs to the current origin and to this time.
    fn matching_candidate(&self, as_of: AsOf) -> Option<Candidate> {
        let mut fields = FieldReader::new(self.candidates.peek()?);
        let is_wanted = self.is_current_origin(fields.key()) && AsOf::read(&mut fields) == as_of;
        is_wanted.then(|| Candidate::read(&mut fields))
    }
}

/// Lookups whose rules are in one part of the dataset, sorted by capture.
struct LookupChunk {
    part: u32,
    lookups: Arena,
}

/// The maximum number of bytes of lookups in a chunk. Large chunks save time, because the files of
/// the part are opened once per chunk.
const CHUNK_BYTES: usize = 2 << 20;

/// The number of files that each thread may have open: those of three tables, and two spilled runs of
/// sorters.
const FILES_PER_THREAD: usize = 5;

impl DatasetMatch<'_> {
    /// Decides the lookups that depend on rules, on all threads. The robots.txt of a capture is rebuilt
    /// once in each chunk with lookups of the capture, which is usually one chunk.
    pub(super) fn decide_by_rules(
        &self,
        lookups: &SortedRecords<'_>,
        decisions: &SharedSorter<'_>,
        summary: &mut MatchSummary,
    ) -> Result<(), Error> {
        let buffer_bytes = self.run.memory.buffer_bytes();
        let chunk_bytes = CHUNK_BYTES.min(buffer_bytes);
        let chunks_max = (buffer_bytes / chunk_bytes)
            .min(open_files::count_free() / FILES_PER_THREAD)
            .clamp(1, rayon::current_num_threads());
        let mut lookups = lookups.read()?;
        let mut previous = None;
        loop {
            let mut chunks: Vec<LookupChunk> = Vec::new();
            while let Some(record) = lookups.peek() {
                let lookup = RulesLookup::read(record);
                let part = lookup.source.part;
                let has_room = |chunk: &&mut LookupChunk| {
                    chunk.part == part && chunk.lookups.has_room(record.len(), chunk_bytes)
                };
                let count = chunks.len();
                match chunks.last_mut().filter(has_room) {
                    Some(chunk) => chunk.lookups.push(record),
                    None if count >= chunks_max => break,
                    None => {
                        let mut lookups = Arena::default();
                        lookups.push(record);
                        chunks.push(LookupChunk { part, lookups });
                    }
                }
                let capture = Some(lookup.source.id);
                summary.files += u64::from(previous != capture);
                previous = capture;
                lookups.advance()?;
            }
            if chunks.is_empty() {
                return Ok(());
            }
            chunks
                .par_iter()
                .try_for_each(|chunk| chunk.decide(self, decisions))?;
        }
    }
}

impl LookupChunk {
    /// Decides all lookups of the chunk.
    fn decide(
        &self,
        context: &DatasetMatch<'_>,
        decisions: &SharedSorter<'_>,
    ) -> Result<(), Error> {
        let lookups = || self.lookups.records().map(RulesLookup::read);
        let ids = lookups().map(|lookup| lookup.source.id.robots_id);
        let mut ids: Vec<i64> = ids.collect();
        ids.dedup();
        let mut lines = PartLines::open(context.resolve.dataset, self.part, ids.into())?;
        let mut file = RobotsTxtBuilder::new();
        let (mut record, mut new_records) = (Vec::new(), Arena::default());
        let mut lookups = lookups().peekable();
        while let Some(source) = lookups.peek().map(|lookup| lookup.source) {
            rebuild_robots_txt(context, &source, &mut lines, &mut file)?;
            let policies = context.run.policies(&file.as_robots_txt());
            while let Some(lookup) = lookups.next_if(|lookup| lookup.source.id == source.id) {
                let ListedUrl { index, url } = lookup.row;
                let crawler_decisions = policies
                    .iter()
                    .map(|policy| context.run.decide_by_rules(policy, url, source.time));
                RowDecisions::write(&mut record, index, url, Some(source.id), crawler_decisions);
                new_records.push(&record);
            }
            decisions.append(&new_records)?;
            new_records.clear();
        }
        Ok(())
    }
}

/// Replaces `file` with the robots.txt of a capture, rebuilt from the lines in the tables.
fn rebuild_robots_txt(
    context: &DatasetMatch<'_>,
    source: &RulesSource,
    lines: &mut PartLines,
    file: &mut RobotsTxtBuilder,
) -> Result<(), Error> {
    file.clear();
    let (mut count, mut has_rules) = (0, false);
    lines.read_capture(source.id.robots_id, &mut |line| {
        context.run.memory.check_stop_at_record(count)?;
        count += 1;
        has_rules |= matches!(line.kind, DirectiveKind::Allow | DirectiveKind::Disallow);
        match line.push_to(file, source.is_valid_utf8) {
            true => Ok(()),
            false => Err(DatasetDefect::too_many_rules().error(Path::new("rules"))),
        }
    })?;
    if source.content == ContentClass::Rules && !has_rules {
        return Err(lines.missing_rules_error());
    }
    file.set_content_class(source.content);
    context.run.progress.add_rows(count);
    Ok(())
}
