//! Decides listed URLs once the authoritative captures are known.

use super::decision::{
    DecidedRow, DecidedUrl, Decision, DecisionBasis, UrlAccess, write_decisions,
};
use super::lookup::{ListedUrl, RulesLookup, UrlLookup};
use super::match_run::MatchRun;
use super::summary::MatchSummary;
use dataset::error::DatasetDefect;
use dataset::{LineKind, PartLines};
use disk::error::Error;
use disk::open_files;
use hosts::{AsOf, CandidateSelection, KeyedCandidate, ResolveContext, RulesSource};
use rayon::prelude::*;
use robots::{ContentClass, RobotsTxtBuilder};
use sort::{Arena, GroupKey, Key, Reader, Rest, SharedSorter, SortedRecords};
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
        lookups: &SortedRecords<'_, UrlLookup>,
        candidates: &SortedRecords<'_, KeyedCandidate>,
        decisions: &SharedSorter<'_, DecidedRow>,
        summary: &mut MatchSummary,
    ) -> Result<SortedRecords<'a, RulesLookup<'static>>, Error> {
        let run = self.run;
        let dialect = run.options.dialect.dialect();
        let mut rule_lookups = run.memory.create_sorter();
        let (mut lookups, mut origin) = (lookups.read()?, GroupKey::default());
        let mut captures = AuthoritativeCaptures::new(candidates)?;
        let (mut of_crawlers, mut new) = (Vec::new(), Arena::default());
        while lookups.next_group(&mut origin)? {
            summary.origins += 1;
            captures.begin_origin(&origin)?;
            while let Some((as_of, row)) = lookups.next_of(&origin)? {
                let source = captures.select_source(&origin, as_of)?;
                let decision = match &source {
                    Some(source) => run.decide_by_status(source.effect(dialect), row.url),
                    None => Some(Decision::new_without_rule(
                        UrlAccess::Unknown,
                        DecisionBasis::NoCapture,
                    )),
                };
                if let Some(decision) = decision {
                    write_decisions(
                        run.options.crawlers.iter().map(|_| decision),
                        &mut of_crawlers,
                    );
                    let decided = DecidedUrl {
                        url: row.url,
                        capture: source.map(|source| source.id),
                        decisions: Rest(&of_crawlers),
                    };
                    new.push((row.index, decided));
                    decisions.append(&new)?;
                    new.clear();
                } else if let Some(source) = source {
                    rule_lookups.push(RulesLookup { source, row })?;
                }
            }
        }
        rule_lookups.finish()
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

/// Lookups whose rules are in one part of the dataset, sorted by capture.
struct LookupChunk {
    part: u32,
    lookups: Arena<RulesLookup<'static>>,
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
        lookups: &SortedRecords<'_, RulesLookup<'static>>,
        decisions: &SharedSorter<'_, DecidedRow>,
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
            while let Some(record) = lookups.peek_bytes()? {
                let lookup = sort::read::<RulesLookup<'static>>(record);
                let part = lookup.source.part;
                let has_room = |chunk: &&mut LookupChunk| {
                    chunk.part == part && chunk.lookups.has_room(record.len(), chunk_bytes)
                };
                let count = chunks.len();
                match chunks.last_mut().filter(has_room) {
                    Some(chunk) => chunk.lookups.push(lookup),
                    None if count >= chunks_max => break,
                    None => {
                        let mut lookups = Arena::default();
                        lookups.push(lookup);
                        chunks.push(LookupChunk { part, lookups });
                    }
                }
                let capture = Some(lookup.source.id);
                summary.files += u64::from(previous != capture);
                previous = capture;
                lookups.next_record()?;
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
        decisions: &SharedSorter<'_, DecidedRow>,
    ) -> Result<(), Error> {
        let lookups = || {
            self.lookups
                .records()
                .map(sort::read::<RulesLookup<'static>>)
        };
        let mut ids: Vec<i64> = lookups().map(|lookup| lookup.source.id.robots_id).collect();
        ids.dedup();
        let mut lines = PartLines::open(context.resolve.dataset, self.part, ids.into())?;
        let mut file = RobotsTxtBuilder::new();
        let (mut of_crawlers, mut new_records) = (Vec::new(), Arena::default());
        let mut lookups = lookups().peekable();
        while let Some(source) = lookups.peek().map(|lookup| lookup.source) {
            rebuild_robots_txt(context, &source, &mut lines, &mut file)?;
            let policies = context.run.policies(&file.as_robots_txt());
            while let Some(lookup) = lookups.next_if(|lookup| lookup.source.id == source.id) {
                let ListedUrl { index, url } = lookup.row;
                let of_policies = policies
                    .iter()
                    .map(|policy| context.run.decide_by_rules(policy, url, source.time));
                write_decisions(of_policies, &mut of_crawlers);
                let decided = DecidedUrl {
                    url,
                    capture: Some(source.id),
                    decisions: Rest(&of_crawlers),
                };
                new_records.push((index, decided));
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
        has_rules |= matches!(line.kind, LineKind::Allow | LineKind::Disallow);
        if line.push_to(file, source.is_valid_utf8) {
            Ok(())
        } else {
            Err(DatasetDefect::too_many_rules().error(Path::new("rules")))
        }
    })?;
    if source.content.0 == ContentClass::Rules && !has_rules {
        return Err(lines.missing_rules_error());
    }
    file.set_content_class(source.content.0);
    context.run.progress.add_rows(count);
    Ok(())
}
