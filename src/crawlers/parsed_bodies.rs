//! A cache of parsed bodies for the rows of SQL engines, with the policies that were computed for crawlers.

use crate::{Crawler, CrawlerPolicy, CrawlerRegistry, DialectChoice, Refusal};
use hashbrown::HashTable;
use process::HASH_SEED;
use robots::{
    Directive, DirectiveKind, HttpStatus, OwnedRobotsTxt, Parser, RobotsTxt, StatusEffect,
};
use std::ops::RangeInclusive;
use std::rc::Rc;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The limit of the memory of parsed bodies, by the estimate of [`ParsedBody::bytes`]. If it is exceeded, all are
/// dropped.
const MAX_PARSED_BYTES: usize = 16 << 20;

/// The most crawlers whose policies are kept for a body. If there are more, all of them are dropped.
const MAX_CRAWLERS: usize = 256;

/// The valid status codes of HTTP.
const STATUS_CODES: RangeInclusive<i64> = 100..=999;

/// A response to the request for a robots.txt file, in a row of a table of fetches. Without a status, the body counts as
/// that of a 200 response.
#[derive(Clone, Copy)]
pub struct RowResponse<'a> {
    pub body: Option<&'a [u8]>,
    pub status: Option<i64>,
}

impl RowResponse<'_> {
    /// Returns true if the row says nothing about a response, as the row of a failed fetch.
    fn is_absent(self) -> bool {
        self.body.is_none() && matches!(self.status, None | Some(0))
    }

    /// Returns the effect of the response. A status that decides by a body that the row lacks decides nothing.
    fn effect(self, choice: DialectChoice) -> Result<StatusEffect, Refusal> {
        let code = check_status(self.status.unwrap_or(200))?;
        let status = HttpStatus {
            code: Some(code),
            has_location: false,
        };
        Ok(match status.effect(choice.dialect()) {
            StatusEffect::Parse if self.body.is_none() => StatusEffect::Defer,
            effect => effect,
        })
    }
}

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

    /// Returns the answer to a question about the response of the next row; `None` if the row says nothing about a
    /// response. `answer` is called with the rules for the crawler, or with `None` if the response decides nothing.
    pub fn answer<T>(
        &mut self,
        response: RowResponse<'a>,
        registry: &CrawlerRegistry,
        agent: &[u8],
        choice: DialectChoice,
        answer: impl FnOnce(Option<&CrawlerPolicy>) -> T,
    ) -> Result<Option<T>, Refusal> {
        if response.is_absent() {
            return Ok(None);
        }
        match (response.effect(choice)?, response.body) {
            (StatusEffect::Parse, Some(body)) => self.with_body(body, |body| {
                Ok(Some(answer(Some(body.policy(registry, agent, choice)?))))
            }),
            (effect, _) => {
                registry.check_agent_name(&String::from_utf8_lossy(agent))?;
                let policy = CrawlerPolicy::from_status(effect, choice);
                Ok(Some(answer(policy.as_ref())))
            }
        }
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

    /// Returns the rules for a crawler, which are computed at the first call. An agent that is not one name is refused.
    fn policy(
        &mut self,
        registry: &CrawlerRegistry,
        agent: &[u8],
        choice: DialectChoice,
    ) -> Result<&CrawlerPolicy, Refusal> {
        let index = match self.find_policy(agent, choice) {
            Some(index) => index,
            None => {
                let name = String::from_utf8_lossy(agent);
                registry.check_agent(&name, &self.robots_txt())?;
                if self.policies.len() >= MAX_CRAWLERS {
                    self.policies.clear();
                }
                let rules = self.rules(&Crawler::new(registry, &name), choice);
                self.policies.push(KeptPolicy {
                    agent: agent.into(),
                    choice,
                    rules,
                });
                self.policies.len() - 1
            }
        };
        Ok(&self.policies[index].rules)
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

/// Returns the status code; an error if the number is not between 100 and 999.
pub fn check_status(status: i64) -> Result<u16, Refusal> {
    let code = u16::try_from(status).ok();
    let code = code.filter(|_| STATUS_CODES.contains(&status));
    code.ok_or_else(|| Refusal {
        text: format!("there is no status {status}"),
        hint: "status codes have three digits".to_owned(),
    })
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
                    let policy = body
                        .policy(&registry, b"a", DialectChoice::Default)
                        .unwrap();
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
                    let policy = body.policy(&registry, agent.as_bytes(), choice).unwrap();
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
            assert!(body.find_policy(b"Googlebot", google).is_some());
            for number in 0..2 * MAX_CRAWLERS {
                let name = format!("a{number}");
                body.policy(&registry, name.as_bytes(), google).unwrap();
                assert!(body.policies.len() <= MAX_CRAWLERS);
            }
            assert!(body.find_policy(b"Googlebot", google).is_none());
        });
    }

    #[test]
    fn a_status_decides_as_the_specifications_say() {
        let registry = CrawlerRegistry::built_in();
        let body: &[u8] = b"User-agent: *\nDisallow: /x\n";
        let mut rows = RowBodies::new(ParsedBodies::default());
        let mut ask = |body: Option<&'static [u8]>, status, agent: &[u8]| {
            let response = RowResponse { body, status };
            let is_allowed = |policy: Option<&CrawlerPolicy>| {
                policy.map(|policy| policy.access(b"/x").is_allowed)
            };
            rows.answer(
                response,
                &registry,
                agent,
                DialectChoice::Default,
                is_allowed,
            )
        };
        // RFC 9309 §2.3.1, and Google's page for 429.
        for (status, expected) in [
            (None, Some(false)),
            (Some(200), Some(false)),
            (Some(301), None),
            (Some(404), Some(true)),
            (Some(403), Some(true)),
            (Some(429), Some(false)),
            (Some(503), Some(false)),
        ] {
            assert_eq!(
                ask(Some(body), status, b"GPTBot"),
                Ok(Some(expected)),
                "{status:?}"
            );
        }
        for (status, expected) in [
            (None, None),
            (Some(0), None),
            (Some(200), Some(None)),
            (Some(404), Some(Some(true))),
        ] {
            assert_eq!(ask(None, status, b"GPTBot"), Ok(expected), "{status:?}");
        }
        for status in [0, -1, 20, 1000, 65_736] {
            let refusal = ask(Some(body), Some(status), b"GPTBot").unwrap_err();
            assert_eq!(refusal.text, format!("there is no status {status}"));
        }
        let header = b"Mozilla/5.0 (compatible; GPTBot/1.2)";
        for status in [None, Some(404)] {
            let refusal = ask(Some(body), status, header).unwrap_err();
            assert_eq!(refusal.hint, "give the name 'GPTBot'");
        }
    }
}
