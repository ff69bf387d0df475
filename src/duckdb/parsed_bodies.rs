//! The bodies that a thread has parsed.

use crawlers::{Crawler, CrawlerPolicy, CrawlerRegistry, DialectChoice};
use hashbrown::HashTable;
use robots::{OwnedRobotsTxt, Parser, RobotsTxt};
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The limit of the memory of the bodies of a thread, by the estimate of [`ParsedBody::bytes`]. If it is exceeded, all
/// are dropped.
const MAX_PARSED_BYTES: usize = 16 << 20;

/// The most crawlers whose policies are kept for a body. If there are more, all of them are dropped.
const MAX_CRAWLERS: usize = 256;

/// The built-in registry of crawlers.
pub(crate) static REGISTRY: LazyLock<CrawlerRegistry> = LazyLock::new(CrawlerRegistry::built_in);

/// The seed of hashes of bodies, random so that nobody can construct bodies whose hashes collide.
static HASH_SEED: LazyLock<u64> = LazyLock::new(|| {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0_u8)
});

/// Distinct bodies, parsed, with the policies that were asked for.
#[derive(Default)]
pub(crate) struct ParsedBodies {
    parser: Parser,
    bodies: Vec<ParsedBody>,
    /// Indexes of bodies, hashed by their hashes.
    indexes: HashTable<usize>,
    bytes: usize,
    /// The index of the body of the previous row, which has the same body in most queries.
    last: usize,
}

/// A parsed body.
pub(crate) struct ParsedBody {
    hash: u64,
    robots: OwnedRobotsTxt,
    policies: Vec<Policy>,
}

/// The rules of a body for a crawler.
struct Policy {
    agent: Box<[u8]>,
    choice: DialectChoice,
    rules: CrawlerPolicy,
}

impl ParsedBodies {
    /// Calls `answer` with a body, which is parsed unless it is here.
    pub(crate) fn with_body<T>(
        &mut self,
        body: &[u8],
        answer: impl FnOnce(&mut ParsedBody) -> T,
    ) -> T {
        let index = self.find_or_parse(body);
        self.last = index;
        let found = &mut self.bodies[index];
        let before = found.bytes();
        let answer = answer(found);
        // The answer may also have dropped policies.
        self.bytes = self.bytes + found.bytes() - before;
        answer
    }

    /// Drops all bodies if they exceed the memory limit.
    pub(crate) fn release(&mut self) {
        if self.bytes > MAX_PARSED_BYTES {
            *self = Self::default();
        }
    }

    fn find_or_parse(&mut self, body: &[u8]) -> usize {
        if self
            .bodies
            .get(self.last)
            .is_some_and(|last| last.robots.body() == body)
        {
            return self.last;
        }
        let hash = xxh3_64_with_seed(body, *HASH_SEED);
        let is_equal = |&index: &usize| {
            let found = &self.bodies[index];
            found.hash == hash && found.robots.body() == body
        };
        if let Some(index) = self.indexes.find(hash, is_equal) {
            return *index;
        }
        self.release();
        let parsed = ParsedBody {
            hash,
            robots: OwnedRobotsTxt::new(&self.parser.parse(body)),
            policies: Vec::new(),
        };
        self.bytes += parsed.bytes();
        self.bodies.push(parsed);
        let index = self.bodies.len() - 1;
        let bodies = &self.bodies;
        self.indexes
            .insert_unique(hash, index, |&index| bodies[index].hash);
        index
    }
}

impl ParsedBody {
    /// Returns the parsed body.
    pub(crate) fn robots_txt(&self) -> RobotsTxt<'_> {
        self.robots.as_robots_txt()
    }

    /// Returns the rules for a crawler, which are computed at the first call.
    pub(crate) fn policy(&mut self, agent: &[u8], choice: DialectChoice) -> &CrawlerPolicy {
        let is_asked = |policy: &Policy| &*policy.agent == agent && policy.choice == choice;
        let index = match self.policies.iter().position(is_asked) {
            Some(index) => index,
            None => {
                if self.policies.len() >= MAX_CRAWLERS {
                    self.policies.clear();
                }
                let crawler = Crawler::new(&REGISTRY, &String::from_utf8_lossy(agent));
                let rules = crawler.policy(choice, &self.robots.as_robots_txt());
                self.policies.push(Policy {
                    agent: agent.into(),
                    choice,
                    rules,
                });
                self.policies.len() - 1
            }
        };
        &self.policies[index].rules
    }

    /// Returns an estimate of the memory: that of the parsed body, and the size of the body for each crawler.
    fn bytes(&self) -> usize {
        self.robots.memory_bytes() + self.policies.len() * (self.robots.body().len() + 256)
    }
}
