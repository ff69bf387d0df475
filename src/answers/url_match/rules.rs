//! Decides URLs by the rules of files, on all threads.

use super::decision::{SortedDecision, write_decisions};
use super::match_run::MatchRun;
use super::planned_urls::FileRequest;
use crate::captures::{Captures, LineLimit, Place};
use errors::Error;
use process::open_files;
use rayon::prelude::*;
use robots::RobotsTxtBuilder;
use sort::{Arena, SharedSorter, SortedRecords};

/// Requests whose rules are in one part, sorted by place.
struct RequestChunk<P: Place> {
    part: u32,
    requests: Arena<FileRequest<P>>,
}

/// The maximum number of bytes of requests in a chunk. Large chunks save time, because the files of
/// the part are opened once per chunk.
const CHUNK_BYTES: usize = 2 << 20;

/// The number of files that each thread may have open: those of four tables, and two spilled runs of
/// sorters.
const FILES_PER_THREAD: usize = 6;

/// Decides all requests, and adds the decisions to `decisions`. The robots.txt of a capture is rebuilt
/// once in each chunk with requests for it, which is usually one chunk. Returns the number of files.
pub(super) fn decide_by_rules<C: Captures>(
    run: &MatchRun<'_>,
    captures: &C,
    requests: &SortedRecords<'_, FileRequest<C::Place>>,
    decisions: &SharedSorter<'_, SortedDecision>,
) -> Result<u64, Error> {
    let buffer_bytes = run.memory.buffer_bytes();
    let chunk_bytes = CHUNK_BYTES.min(buffer_bytes);
    let chunks_max = (buffer_bytes / chunk_bytes)
        .min(open_files::count_free() / FILES_PER_THREAD)
        .clamp(1, rayon::current_num_threads());
    let mut requests = requests.read()?;
    let (mut previous, mut files) = (None, 0);
    loop {
        let mut chunks: Vec<RequestChunk<C::Place>> = Vec::new();
        while let Some(record) = requests.peek_bytes()? {
            let request = sort::read::<FileRequest<C::Place>>(record);
            let part = request.0.part();
            let has_room = |chunk: &&mut RequestChunk<C::Place>| {
                chunk.part == part && chunk.requests.has_room(record.len(), chunk_bytes)
            };
            let count = chunks.len();
            match chunks.last_mut().filter(has_room) {
                Some(chunk) => chunk.requests.push(request),
                None if count >= chunks_max => break,
                None => {
                    let mut requests = Arena::default();
                    requests.push(request);
                    chunks.push(RequestChunk { part, requests });
                }
            }
            files += u64::from(previous != Some(request.0));
            previous = Some(request.0);
            requests.next_record()?;
        }
        if chunks.is_empty() {
            return Ok(files);
        }
        chunks
            .par_iter()
            .try_for_each(|chunk| chunk.decide(run, captures, decisions))?;
    }
}

impl<P: Place> RequestChunk<P> {
    /// Decides all requests of the chunk.
    fn decide<C: Captures<Place = P>>(
        &self,
        run: &MatchRun<'_>,
        captures: &C,
        decisions: &SharedSorter<'_, SortedDecision>,
    ) -> Result<(), Error> {
        let requests = || self.requests.records().map(sort::read::<FileRequest<P>>);
        let mut places: Vec<P> = requests().map(|(place, _)| place).collect();
        places.dedup();
        let mut rules = captures.open_rules(&places)?;
        let mut file = RobotsTxtBuilder::new();
        let (mut of_crawlers, mut new) = (Vec::new(), Arena::default());
        let mut requests = requests().peekable();
        for place in places {
            file.clear();
            let lines =
                captures.read_file(&mut rules, &place, &mut LineLimit::none(), &mut file)?;
            run.progress.add_rows(lines);
            let policies = run.policies(&file.as_robots_txt());
            while let Some((_, url)) = requests.next_if(|(of_url, _)| *of_url == place) {
                let of_policies = policies
                    .iter()
                    .map(|policy| run.decide_by_rules(policy, url.row.url, url.time));
                write_decisions(of_policies, &mut of_crawlers);
                new.push(url.decided(&of_crawlers));
            }
            decisions.append(&new)?;
            new.clear();
        }
        Ok(())
    }
}
