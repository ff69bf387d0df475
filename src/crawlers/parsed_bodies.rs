//! A cache of parsed bodies for the rows of SQL engines, with the policies that were computed for crawlers.

use crate::{Crawler, CrawlerPolicy, CrawlerRegistry, DialectChoice};
use hashbrown::HashTable;
use process::HASH_SEED;
use robots::{Directive, DirectiveKind, OwnedRobotsTxt, Parser, RobotsTxt};
use std::rc::Rc;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The limit of the memory of parsed bodies, by the estimate of [`ParsedBody::bytes`]. If it is exceeded, all are
/// dropped.
const MAX_PARSED_BYTES: usize = 16 << 20;

/// The most crawlers whose policies are kept for a body. If there are more, all of them are dropped.
const MAX_CRAWLERS: usize = 256;

/// A cache of distinct parsed bodies. A thread keeps it between the calls of an engine.
#[derive(Default)]
pub struct ParsedBodies {
    parser: Parser,
    bodies: Vec<ParsedBody>,
    /// Indexes of bodies, hashed by their hashes.
    indexes: HashTable<usize>,
    bytes: usize,
    /// The index of the body of the previous row: neighbouring rows often have the same body.
    last: usize,
}

/// The cache during one call of an engine. The bodies of the rows of the call live as long as `'a`.
pub struct RowBodies<'a> {
    parsed: ParsedBodies,
    /// The body of the previous row. Rows of a constant or a dictionary share a body, which is recognized by its
    /// address, without comparing bytes.
    previous: Option<&'a [u8]>,
}

pub struct ParsedBody {
    hash: u64,
    robots: OwnedRobotsTxt,
    policies: Vec<KeptPolicy>,
    /// The rules of the crawlers that obey `*` and that the file does not name, by the default rules.
    unnamed_policy: Option<Rc<CrawlerPolicy>>,
}

/// The rules of a body for a crawler.
struct KeptPolicy {
    agent: Box<[u8]>,
    choice: DialectChoice,
    rules: Rc<CrawlerPolicy>,
}

impl<'a> RowBodies<'a> {
    /// Begins a call with the bodies that previous calls have parsed.
    pub fn new(parsed: ParsedBodies) -> Self {
        Self {
            parsed,
            previous: None,
        }
    }

    /// Returns the parsed bodies for the next call: none if they exceed the memory limit.
    pub fn into_parsed(mut self) -> ParsedBodies {
        self.parsed.release();
        self.parsed
    }

    /// Calls `answer` with the body of the next row, which is parsed unless it is in the cache.
    pub fn with_body<T>(&mut self, body: &'a [u8], answer: impl FnOnce(&mut ParsedBody) -> T) -> T {
        let is_previous = self.previous.is_some_and(|last| std::ptr::eq(last, body));
        if !is_previous {
            self.parsed.last = self.parsed.find_or_parse(body);
            self.previous = Some(body);
        }
        let parsed = &mut self.parsed;
        let found = &mut parsed.bodies[parsed.last];
        let before = found.bytes();
        let answer = answer(found);
        // The answer may also have dropped policies.
        parsed.bytes = parsed.bytes + found.bytes() - before;
        answer
    }
}

impl ParsedBodies {
    /// Drops all bodies if they exceed the memory limit.
    fn release(&mut self) {
        if self.bytes > MAX_PARSED_BYTES {
            *self = Self::default();
        }
    }

    fn find_or_parse(&mut self, body: &[u8]) -> usize {
        let last = self.bodies.get(self.last);
        if last.is_some_and(|last| last.robots.body() == body) {
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
            unnamed_policy: None,
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
    pub fn robots_txt(&self) -> RobotsTxt<'_> {
        self.robots.as_robots_txt()
    }

    /// Returns true if the rules for a crawler have been computed and kept.
    pub fn has_policy(&self, agent: &[u8], choice: DialectChoice) -> bool {
        self.find_policy(agent, choice).is_some()
    }

    /// Returns the rules for a crawler, which are computed at the first call.
    pub fn policy(
        &mut self,
        registry: &CrawlerRegistry,
        agent: &[u8],
        choice: DialectChoice,
    ) -> &CrawlerPolicy {
        let index = self.find_policy(agent, choice).unwrap_or_else(|| {
            if self.policies.len() >= MAX_CRAWLERS {
                self.policies.clear();
            }
            let crawler = Crawler::new(registry, &String::from_utf8_lossy(agent));
            let rules = self.rules(&crawler, choice);
            self.policies.push(KeptPolicy {
                agent: agent.into(),
                choice,
                rules,
            });
            self.policies.len() - 1
        });
        &self.policies[index].rules
    }

    /// Returns the rules for a crawler. They are computed once for all crawlers to which only the rules of
    /// `*` apply, which are most.
    fn rules(&mut self, crawler: &Crawler, choice: DialectChoice) -> Rc<CrawlerPolicy> {
        let robots = self.robots.as_robots_txt();
        let compute = || Rc::new(crawler.policy(choice, &robots));
        let is_name = |line: &Directive| {
            line.kind == DirectiveKind::UserAgent
                && crawler.names().any(|name| name == robots.text(line.name))
        };
        let is_other = choice == DialectChoice::Default
            && !crawler.ignores_wildcard()
            && !robots.directives().iter().any(is_name);
        if is_other {
            Rc::clone(self.unnamed_policy.get_or_insert_with(compute))
        } else {
            compute()
        }
    }

    fn find_policy(&self, agent: &[u8], choice: DialectChoice) -> Option<usize> {
        let mut policies = self.policies.iter();
        policies.position(|policy| &*policy.agent == agent && policy.choice == choice)
    }

    /// Returns an estimate of the memory: that of the parsed body, and the size of the body for each crawler.
    fn bytes(&self) -> usize {
        self.robots.memory_bytes() + self.policies.len() * (self.robots.body().len() + 256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bodies_are_parsed_once_and_dropped_above_the_limit() {
        let registry = CrawlerRegistry::built_in();
        let body = |number: usize| {
            format!(
                "User-agent: *\nDisallow: /{number}\n#{}",
                "-".repeat(1 << 20)
            )
        };
        let bodies: Vec<String> = (0..20).chain(0..20).map(body).collect();
        let mut rows = RowBodies::new(ParsedBodies::default());
        for (number, body) in bodies.iter().enumerate() {
            for path in [format!("/{}", number % 20), "/x".to_owned()] {
                let is_allowed = rows.with_body(body.as_bytes(), |body| {
                    let policy = body.policy(&registry, b"a", DialectChoice::Default);
                    policy.access(path.as_bytes()).is_allowed
                });
                assert_eq!(is_allowed, path == "/x", "{number}");
            }
            assert!(rows.parsed.bytes < MAX_PARSED_BYTES + (4 << 20), "{number}");
        }
        assert!(rows.parsed.bodies.len() < 20);

        let (few, equal) = (vec![body(1); 3], body(1));
        let mut rows = RowBodies::new(rows.into_parsed());
        rows.parsed = ParsedBodies::default();
        for body in few.iter().chain([&equal]) {
            rows.with_body(body.as_bytes(), |_| ());
        }
        let kept = rows.into_parsed();
        assert_eq!(kept.bodies.len(), 1);
        assert!(kept.bodies[0].policies.is_empty());
    }

    #[test]
    fn policies_are_those_of_the_crawler_and_the_dialect() {
        let registry = CrawlerRegistry::built_in();
        let text = b"User-agent: googlebot\nDisallow: /\nUser-agent: *\nDisallow: /y\n";
        let mut rows = RowBodies::new(ParsedBodies::default());
        let google = DialectChoice::Dialect(robots::Dialect::Google);
        for _ in 0..2 {
            for (agent, choice, expected) in [
                ("Googlebot-News", DialectChoice::Default, false),
                ("Googlebot-News", google, true),
                ("Googlebot", google, false),
                ("GPTBot", DialectChoice::Default, true),
                ("CCBot", DialectChoice::Default, true),
                ("AdsBot-Google", DialectChoice::Default, true),
                ("*", DialectChoice::Default, true),
                ("", DialectChoice::Default, true),
            ] {
                let is_allowed = rows.with_body(text, |body| {
                    let policy = body.policy(&registry, agent.as_bytes(), choice);
                    let crawler = Crawler::new(&registry, agent);
                    let mut parser = Parser::new();
                    let alone = crawler.policy(choice, &parser.parse(text));
                    assert_eq!(policy.basis, alone.basis, "{agent}");
                    assert_eq!(policy.access(b"/y"), alone.access(b"/y"), "{agent}");
                    policy.access(b"/x").is_allowed
                });
                assert_eq!(is_allowed, expected, "{agent}");
            }
        }
        // Each further crawler drops those before, above the limit of their number.
        rows.with_body(text, |body| {
            assert!(body.has_policy(b"Googlebot", google));
            for number in 0..2 * MAX_CRAWLERS {
                body.policy(&registry, format!("a{number}").as_bytes(), google);
                assert!(body.policies.len() <= MAX_CRAWLERS);
            }
            assert!(!body.has_policy(b"Googlebot", google));
        });
    }
}
