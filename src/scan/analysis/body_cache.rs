//! What was decided of bodies, for when they come again.
//!
//! About half of the robots.txt files of a crawl have been seen before: the
//! same site under two names, or a file that comes with its software. A body of
//! usual size is kept with all that was decided of it, until those that came
//! after it have filled the memory; whatever an archive holds, there is no more
//! of it.

use crate::parquet_writer::HASH_SEED;
use hashbrown::HashTable;
use robots::{
    AgentVerdict, Evaluator, LeniencyImpact, OwnedRobotsTxt, ParseOptions, Parser, RobotsTxt,
};
use std::cell::Cell;
use std::collections::VecDeque;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Bytes of a body that is kept at most.
const BODY_BYTES_MAX: usize = 16 << 10;

/// Bytes of memory that all that is kept takes: about 1 MiB of bodies.
const MEMORY_BYTES_MAX: usize = 4 << 20;

/// Bodies with what was decided of them.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    entries: Vec<Entry>,
    /// Places of entries, by the hashes of their bodies.
    index: HashTable<u32>,
    /// Entries in use, the oldest first, and others.
    used: VecDeque<u32>,
    free: Vec<u32>,
    memory_bytes: usize,
}

/// A body with what was decided of it.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    hash: u64,
    reading: ParseOptions,
    parsed: OwnedRobotsTxt,
    /// Verdicts without their names, and where each name ends in `names`.
    verdicts: Vec<(AgentVerdict<'static>, usize)>,
    names: Vec<u8>,
    changes: Vec<LeniencyImpact>,
    ruleset_id: i64,
    written: Cell<Written>,
}

/// Where rows of a body stand in a batch, one past the last, by tables.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Written {
    /// The batch; zero for none.
    pub(crate) batch: u64,
    pub(crate) groups: (usize, usize),
    pub(crate) rules: (usize, usize),
    pub(crate) directives: (usize, usize),
    pub(crate) verdicts: (usize, usize),
    /// Bytes of the host that stands in them.
    pub(crate) host_bytes: u64,
    /// What of the capture stands in them besides.
    pub(crate) is_robots_path: bool,
}

/// What a body says, whoever sent it.
#[derive(Debug)]
pub(crate) struct Decided<'a> {
    pub(crate) robots: RobotsTxt<'a>,
    pub(crate) verdicts: Vec<AgentVerdict<'a>>,
    pub(crate) changes: std::borrow::Cow<'a, [LeniencyImpact]>,
    pub(crate) ruleset_id: i64,
    /// Where its rows were written last; `None` if it is not kept.
    pub(crate) written: Option<&'a Cell<Written>>,
}

impl Memo {
    /// What a body says, decided now or remembered; `None` if it is too large
    /// to be kept.
    pub(crate) fn decide(
        &mut self,
        body: &[u8],
        reading: ParseOptions,
        parser: &mut Parser,
        evaluator: &mut Evaluator,
    ) -> Option<Decided<'_>> {
        if body.len() > BODY_BYTES_MAX {
            return None;
        }
        let hash = xxh3_64_with_seed(body, *HASH_SEED);
        let entries = &self.entries;
        let found = self.index.find(hash, |&at| {
            let entry = &entries[at as usize];
            entry.hash == hash && entry.reading == reading && entry.parsed.body() == body
        });
        let at = match found {
            Some(&at) => at,
            None => {
                let at = self.free.pop().unwrap_or_else(|| {
                    self.entries.push(Entry::default());
                    self.entries.len() as u32 - 1
                });
                let robots = parser.parse_with(body, reading);
                let entry = Entry::of(&robots, reading, hash, evaluator);
                self.memory_bytes += entry.memory_bytes();
                self.entries[at as usize] = entry;
                self.used.push_back(at);
                let entries = &self.entries;
                self.index
                    .insert_unique(hash, at, |&at| entries[at as usize].hash);
                self.forget_oldest();
                at
            }
        };
        Some(self.entries[at as usize].decided())
    }

    /// Gives up the oldest until no more memory is taken than may be.
    fn forget_oldest(&mut self) {
        while self.memory_bytes > MEMORY_BYTES_MAX
            && self.used.len() > 1
            && let Some(at) = self.used.pop_front()
        {
            let entry = std::mem::take(&mut self.entries[at as usize]);
            self.memory_bytes -= entry.memory_bytes();
            if let Ok(place) = self.index.find_entry(entry.hash, |&it| it == at) {
                place.remove();
            }
            self.free.push(at);
        }
    }
}

impl Entry {
    fn of(
        robots: &RobotsTxt<'_>,
        reading: ParseOptions,
        hash: u64,
        evaluator: &mut Evaluator,
    ) -> Self {
        let mut evaluation = evaluator.evaluate(robots);
        let verdicts = evaluation.verdicts();
        let mut entry = Self {
            hash,
            reading,
            parsed: OwnedRobotsTxt::new(robots),
            verdicts: Vec::with_capacity(verdicts.len()),
            names: Vec::with_capacity(verdicts.iter().map(|it| it.agent.len()).sum()),
            changes: evaluation.leniency_impacts(&verdicts),
            ruleset_id: evaluation.fingerprint(xxh3_64).cast_signed(),
            written: Cell::default(),
        };
        for verdict in verdicts {
            entry.names.extend_from_slice(verdict.agent);
            let nameless = AgentVerdict {
                agent: b"",
                ..verdict
            };
            entry.verdicts.push((nameless, entry.names.len()));
        }
        entry
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.parsed.memory_bytes()
            + self.verdicts.capacity() * size_of::<(AgentVerdict<'_>, usize)>()
            + self.names.capacity()
            + self.changes.capacity() * size_of::<LeniencyImpact>()
    }

    fn decided(&self) -> Decided<'_> {
        let mut start = 0;
        let verdicts = self.verdicts.iter().map(|(verdict, end)| {
            let agent = &self.names[start..*end];
            start = *end;
            AgentVerdict {
                agent,
                ..verdict.clone()
            }
        });
        Decided {
            robots: self.parsed.as_robots_txt(),
            verdicts: verdicts.collect(),
            changes: self.changes.as_slice().into(),
            ruleset_id: self.ruleset_id,
            written: Some(&self.written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_comes_again_is_not_decided_again() {
        let (mut memo, mut evaluator) = (Memo::default(), Evaluator::new());
        let (body, other) = (
            b"User-agent: a\nDisallow: /\n",
            b"User-agent: b\nDisallow: /\n",
        );
        let reading = ParseOptions::default();
        let written = |memo: &mut Memo, evaluator: &mut Evaluator, body: &[u8], reading| {
            let decided = memo
                .decide(body, reading, &mut Parser::new(), evaluator)
                .unwrap();
            assert_eq!(decided.robots.body(), body);
            assert_eq!(decided.verdicts, Evaluator::new().verdicts(&decided.robots));
            let batch = decided.written.unwrap().get().batch;
            decided.written.unwrap().set(Written {
                batch: batch + 1,
                ..Written::default()
            });
            batch
        };
        assert_eq!(written(&mut memo, &mut evaluator, body, reading), 0);
        assert_eq!(written(&mut memo, &mut evaluator, other, reading), 0);
        assert_eq!(written(&mut memo, &mut evaluator, body, reading), 1);
        // Read otherwise it is another.
        let cut = ParseOptions {
            is_truncated: true,
            ..reading
        };
        assert_eq!(written(&mut memo, &mut evaluator, body, cut), 0);
        assert_eq!(written(&mut memo, &mut evaluator, body, reading), 2);
    }

    #[test]
    fn no_archive_makes_it_grow() {
        let (mut memo, mut evaluator) = (Memo::default(), Evaluator::new());
        for at in 0..3000 {
            let body = format!("User-agent: a{at}\n{}", "#".repeat(at * 7 % 6000));
            let decided = memo
                .decide(
                    body.as_bytes(),
                    ParseOptions::default(),
                    &mut Parser::new(),
                    &mut evaluator,
                )
                .unwrap();
            assert_eq!(decided.verdicts[1].agent, format!("a{at}").as_bytes());
            assert!(memo.memory_bytes <= MEMORY_BYTES_MAX);
            let used = memo
                .used
                .iter()
                .map(|&at| memo.entries[at as usize].memory_bytes());
            assert_eq!(used.sum::<usize>(), memo.memory_bytes);
            assert_eq!(memo.used.len() + memo.free.len(), memo.entries.len());
            assert_eq!(memo.index.len(), memo.used.len());
        }
        assert!(memo.entries.len() < 3000 && memo.entries.len() > 100);
        let large = vec![b'#'; BODY_BYTES_MAX + 1];
        assert!(
            memo.decide(
                &large,
                ParseOptions::default(),
                &mut Parser::new(),
                &mut evaluator
            )
            .is_none()
        );
    }
}
