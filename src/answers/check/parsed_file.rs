//! A parsed robots.txt, from which results for many crawlers are computed.

use super::report::ReportedAnomaly;
use super::robots_txt::{find_anomalies, find_verdict_for};
use crawlers::{Crawler, CrawlerPolicy, DialectChoice};
use robots::{
    AgentVerdict, Basis, Evaluator, OwnedRobotsTxt, ParseOptions, Parser, RequestRate, RobotsTxt,
    Verdict,
};
use std::sync::OnceLock;

/// A parsed robots.txt, from which the single results of [`check`](super::check()) are computed on
/// demand, for any number of crawlers.
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

/// The default verdict for a crawler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrawlerVerdict {
    pub verdict: Verdict,
    /// The reason for the verdict.
    pub basis: Basis,
    /// The line that shows the verdict, if one does.
    pub evidence_line: Option<u32>,
    /// The first valid `Crawl-delay` of the user-agent lines that apply to the crawler, in milliseconds.
    pub crawl_delay_ms: Option<i64>,
}

impl CrawlerVerdict {
    /// The verdict for a crawler to which no group applies.
    const NO_GROUP: Self = Self {
        verdict: Verdict::AllowAll,
        basis: Basis::NoGroup,
        evidence_line: None,
        crawl_delay_ms: None,
    };
}

impl ParsedFile {
    pub fn new(body: &[u8], options: ParseOptions) -> Self {
        let mut parser = Parser::new();
        Self {
            robots: OwnedRobotsTxt::new(&parser.parse_with(body, options)),
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
        let names = verdicts.iter();
        let names = names.map(|verdict| (&*verdict.name, verdict.verdict.basis));
        match find_verdict_for(names, crawler) {
            Some(i) => verdicts[i].verdict,
            None => CrawlerVerdict::NO_GROUP,
        }
    }

    /// Returns the request rate for a crawler, whose user-agent lines are found as for the default verdict. Of
    /// the limits of each such line, only the first `Request-rate` counts; the first valid one is returned.
    pub fn request_rate(&self, crawler: &Crawler) -> Option<RequestRate> {
        let robots = self.robots_txt();
        let lines = self.policy(crawler, DialectChoice::Default).lines();
        let mut limits = lines.iter().map(|&line_no| robots.rate_limits(line_no));
        limits.find_map(|limits| RequestRate::parse(robots.text(limits.request_rate?)))
    }

    /// Returns the anomalies of the file, in the order of lines.
    pub fn anomalies(&self) -> &[ReportedAnomaly] {
        let compute = || find_anomalies(self.robots_txt().body(), self.options);
        self.anomalies.get_or_init(compute)
    }

    fn verdicts(&self) -> &[NameVerdict] {
        self.verdicts.get_or_init(|| {
            let verdicts = Evaluator::new().verdicts(&self.robots_txt());
            verdicts.iter().map(NameVerdict::new).collect()
        })
    }
}

impl NameVerdict {
    fn new(verdict: &AgentVerdict<'_>) -> Self {
        Self {
            name: verdict.agent.into(),
            verdict: CrawlerVerdict {
                verdict: verdict.verdict,
                basis: verdict.basis,
                evidence_line: verdict.evidence_line,
                crawl_delay_ms: verdict.crawl_delay_ms,
            },
        }
    }
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
