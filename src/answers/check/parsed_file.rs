//! A parsed robots.txt, from which the results for crawlers are computed.

use super::report::{AgentReport, CategoryPreference, CrawlerVerdict, ReportedAnomaly, UrlResult};
use super::robots_txt::CheckRequest;
use capture::Capture;
use capture::analysis::Analyzer;
use crawlers::{CategoryChoice, Crawler, CrawlerPolicy, DialectChoice};
use robots::{
    Basis, Dialect, Evaluator, Mechanism, OwnedRobotsTxt, ParseOptions, Parser, Policy,
    RequestRate, RobotsTxt, SharedCategory, StatusEffect, Verdict, Vocabulary, is_product_token,
};
use std::sync::OnceLock;
use warc::RecordLocation;

/// A parsed robots.txt, from which results are computed on demand, for any number of crawlers.
#[derive(Debug)]
pub struct ParsedFile {
    robots: OwnedRobotsTxt,
    options: ParseOptions,
    /// The verdicts for all names in the file, computed on first use. The first is that for `*`.
    verdicts: OnceLock<Vec<NameVerdict>>,
    /// The anomalies, computed on first use.
    anomalies: OnceLock<Vec<ReportedAnomaly>>,
}

/// The default verdict for a name in the file.
#[derive(Debug)]
struct NameVerdict {
    name: Box<[u8]>,
    verdict: CrawlerVerdict,
}

impl CrawlerVerdict {
    /// Returns a verdict that no line shows.
    fn without_lines(verdict: Verdict, basis: Basis) -> Self {
        Self {
            verdict,
            basis,
            decided_by: None,
            evidence_line: None,
            crawl_delay_ms: None,
        }
    }
}

/// A function that returns the text of a line by its number; `None` if there is no such line.
pub(super) type LineTextLookup<'a> = dyn Fn(u32) -> Option<String> + 'a;

impl ParsedFile {
    pub fn new(body: &[u8], options: ParseOptions) -> Self {
        let mut parser = Parser::new();
        Self::from_robots_txt(&parser.parse_with(body, options), options)
    }

    /// Copies a file that was parsed with these options.
    pub(super) fn from_robots_txt(robots: &RobotsTxt<'_>, options: ParseOptions) -> Self {
        Self {
            robots: OwnedRobotsTxt::new(robots),
            options,
            verdicts: OnceLock::new(),
            anomalies: OnceLock::new(),
        }
    }

    /// Returns a view of the parsed file.
    pub fn robots_txt(&self) -> RobotsTxt<'_> {
        self.robots.as_robots_txt()
    }

    /// Returns true if nothing is known of the file, because it was cut off and no whole line is a rule.
    pub fn is_unknown(&self) -> bool {
        capture::cut::is_unknown(&self.robots_txt(), self.options)
    }

    /// Returns the rules that apply to a crawler in the chosen dialect.
    pub fn policy(&self, crawler: &Crawler, choice: DialectChoice) -> CrawlerPolicy {
        crawler.policy(choice, &self.robots_txt())
    }

    /// Returns the default verdict for a crawler.
    pub fn verdict(&self, crawler: &Crawler) -> CrawlerVerdict {
        let verdicts = self.verdicts();
        let find_explicit = |name: &[u8]| {
            verdicts.iter().find(|known| {
                let basis = known.verdict.basis;
                *known.name == *name && matches!(basis, Basis::Explicit | Basis::TooComplex)
            })
        };
        let wildcard = verdicts.first().filter(|_| !crawler.ignores_wildcard());
        match crawler.names().find_map(find_explicit).or(wildcard) {
            Some(found) => found.verdict.clone(),
            None => CrawlerVerdict::without_lines(Verdict::AllowAll, Basis::NoGroup),
        }
    }

    /// Returns the request rate for a crawler. Each user-agent line that applies to it by the default verdict has at most
    /// one: the first `Request-rate` line below it, even if that is invalid. The first valid one of these is returned.
    pub fn request_rate(&self, crawler: &Crawler) -> Option<RequestRate> {
        let robots = self.robots_txt();
        let lines = self.policy(crawler, DialectChoice::Default).lines();
        let mut limits = lines.iter().map(|&line_no| robots.rate_limits(line_no));
        limits.find_map(|limits| RequestRate::parse(robots.text(limits.request_rate?)))
    }

    /// Returns the anomalies of the file, in the order of lines, as a scan finds them for the table `anomalies`.
    /// Anomalies of the URL and the response are not found, because these are unknown.
    pub fn anomalies(&self) -> &[ReportedAnomaly] {
        self.anomalies.get_or_init(|| {
            let capture = Capture::from_body(self.robots.body(), self.options);
            let mut analyzer = Analyzer::default();
            let analysis = analyzer.analyze(0, RecordLocation::default(), &capture);
            let anomalies = analysis.anomalies().map(|anomaly| {
                ReportedAnomaly::new(anomaly.line_no, anomaly.code, anomaly.changes_verdict)
            });
            anomalies.collect()
        })
    }

    fn verdicts(&self) -> &[NameVerdict] {
        self.verdicts.get_or_init(|| {
            let verdicts = Evaluator::new().verdicts(&self.robots_txt());
            let verdicts = verdicts.iter().map(|known| NameVerdict {
                name: known.agent.into(),
                verdict: CrawlerVerdict {
                    verdict: known.verdict,
                    basis: known.basis,
                    decided_by: (known.agent != b"*")
                        .then(|| String::from_utf8_lossy(known.agent).into_owned()),
                    evidence_line: known.evidence_line,
                    crawl_delay_ms: known.crawl_delay_ms,
                },
            });
            verdicts.collect()
        })
    }

    /// Returns the results for each crawler of a request. `effects` are those of the HTTP status.
    pub(super) fn agent_reports(
        &self,
        request: &CheckRequest<'_>,
        effects: [(Dialect, StatusEffect); 3],
        line_text: &LineTextLookup<'_>,
    ) -> Vec<AgentReport> {
        let agents = request.agents.iter();
        let crawlers = agents.map(|agent| Crawler::new(request.registry, agent));
        crawlers
            .map(|crawler| self.agent_report(request, effects, &crawler, line_text))
            .collect()
    }

    fn agent_report(
        &self,
        request: &CheckRequest<'_>,
        effects: [(Dialect, StatusEffect); 3],
        crawler: &Crawler,
        line_text: &LineTextLookup<'_>,
    ) -> AgentReport {
        let robots = self.robots_txt();
        let choice = request.dialect;
        let effect = effects
            .into_iter()
            .find(|(dialect, _)| *dialect == choice.dialect());
        let effect = effect.map_or(StatusEffect::Parse, |(_, effect)| effect);
        let own = (effect == StatusEffect::Parse).then(|| self.policy(crawler, choice));
        let by_status = CrawlerPolicy::from_status(effect, choice);
        let urls = request.urls.iter().map(|url| {
            let bytes = url.as_bytes();
            let access = own
                .as_ref()
                .or(by_status.as_ref())
                .map(|policy| policy.access(bytes));
            let line_no = access
                .and_then(|access| access.line_no)
                .filter(|_| own.is_some());
            UrlResult {
                url: url.clone(),
                is_allowed: access.map(|access| access.is_allowed),
                line_no,
                line: line_no.and_then(line_text),
                group_line_no: line_no.and_then(|line_no| group_line_no(&robots, line_no)),
                preferences: own.as_ref().map_or_else(Vec::new, |policy| {
                    find_preferences(policy, bytes, request.fetch_time)
                }),
            }
        });
        let name = crawler.agent();
        AgentReport {
            agent: name.to_owned(),
            urls: urls.collect(),
            verdict: match status_verdict(effect) {
                Some(verdict) => CrawlerVerdict::without_lines(verdict, Basis::HttpStatus),
                None => self.verdict(crawler),
            },
            by_dialect: effects.map(|(dialect, effect)| {
                let of_rules = || Policy::new(dialect, &robots, name.as_bytes()).verdict();
                (dialect, status_verdict(effect).unwrap_or_else(of_rules))
            }),
            refusal: request.registry.check_agent(name, &robots).err(),
            is_no_token: name != "*" && !is_product_token(name.as_bytes()),
            lines: own.map_or_else(Vec::new, |policy| policy.lines()),
        }
    }
}

/// Returns the verdict of an HTTP status with this effect; `None` if the body decides.
fn status_verdict(effect: StatusEffect) -> Option<Verdict> {
    match effect {
        StatusEffect::Parse => None,
        StatusEffect::AllowAll => Some(Verdict::AllowAll),
        StatusEffect::DisallowAll => Some(Verdict::DisallowAll),
        StatusEffect::Follow | StatusEffect::Defer => Some(Verdict::Unknown),
    }
}

/// Returns the preferences for a URL in the categories of each mechanism with statements, according to
/// the vocabularies at the time of the fetch.
fn find_preferences(
    policy: &CrawlerPolicy,
    url: &[u8],
    fetch_time: Option<i64>,
) -> Vec<CategoryPreference> {
    let new = |mechanism, category, preference: robots::UrlPreference| CategoryPreference {
        mechanism,
        category,
        preference,
        line_no: preference.line_no,
    };
    let vocabularies = [
        Vocabulary::content_usage(fetch_time),
        Vocabulary::content_signal(),
    ];
    let stated = vocabularies.into_iter();
    let stated = stated.filter(|vocabulary| policy.has_statements(vocabulary.mechanism()));
    let of_mechanisms: Vec<_> = stated
        .flat_map(|vocabulary| {
            let mechanism = vocabulary.mechanism();
            let categories = vocabulary.categories().enumerate();
            categories.map(move |(index, category)| {
                new(
                    mechanism,
                    category,
                    policy.preference(vocabulary, index, url),
                )
            })
        })
        .collect();
    let shared = SharedCategory::ALL
        .into_iter()
        .filter(|_| !of_mechanisms.is_empty());
    let shared = shared.map(|category| {
        let preference = CategoryChoice::Shared(category).preference(policy, url, fetch_time);
        new(Mechanism::Any, category.name(), preference)
    });
    shared.chain(of_mechanisms.iter().cloned()).collect()
}

/// Returns the number of the first line of the group that a line belongs to.
fn group_line_no(robots: &RobotsTxt<'_>, line_no: u32) -> Option<u32> {
    let mut directives = robots.directives().iter();
    let directive = directives.find(|directive| directive.line_no == line_no)?;
    let group = directive.group_no()?;
    Some(robots.groups()[group as usize - 1].line_no)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawlers::CrawlerRegistry;

    #[test]
    fn the_request_rate_is_that_of_the_names_directly_above_it() {
        let body = b"User-agent: c\nRequest-rate: 9/1\nUser-agent: d\nUser-agent: a\nRequest-rate: 1/5 0600-0845\nDisallow: /y\n\n\
            User-agent: A/1.0\nRequest-rate: 2/1m # slow\nDisallow: /z\n\n\
            User-agent: googlebot\nDisallow: /x\n\n\
            User-agent: *\nRequest-rate: 3/1h\n";
        let file = ParsedFile::new(body, ParseOptions::default());
        let registry = CrawlerRegistry::built_in();
        for (agent, expected) in [
            ("a", Some((2, 60))),
            ("b", Some((3, 3600))),
            ("c", Some((9, 1))),
            ("d", None),
            ("Googlebot-News", None),
            ("AdsBot-Google", None),
        ] {
            let rate = file.request_rate(&Crawler::new(&registry, agent));
            let rate = rate.map(|rate| (rate.requests, rate.seconds));
            assert_eq!(rate, expected, "{agent}");
        }
    }
}
