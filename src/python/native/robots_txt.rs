//! The class `RobotsTxt`.

use crate::functions::parse_fetch_time;
use crate::policy_cache::PolicyCache;
use crate::table::Table;
use crate::text::Text;
use crate::{REGISTRY, error, parse_category, parse_dialect};
use answers::check::{CrawlerVerdict, ParsedFile};
use crawlers::{Crawler, CrawlerPolicy, DialectChoice};
use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use pyo3::types::{PyBytes, PyTuple, PyType};
use robots::{
    Basis, Directive, DirectiveKind, Group, HttpStatus, ParseOptions, RequestRate, Span,
    StatusEffect, Verdict,
};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// The size of a body up to which the lock of the interpreter is not released: waiting for the lock
/// again, which another thread may have taken, would last longer than parsing the body.
const SMALL_BODY_BYTES: usize = 2000;

/// Converts a crawl-delay to seconds.
fn to_seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}

/// The module with the classes of results, which are named tuples.
const RESULTS_MODULE: &str = "robots_scan._results";

static ACCESS_CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static ANOMALY_CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static GROUP_CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static PREFERENCE_CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static REQUEST_RATE_CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static RULE_CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A parsed robots.txt file. ``robots_scan.parse`` makes it.
///
/// It never changes, and threads may share it. Two files are equal if their bodies are equal and were
/// parsed with the same arguments.
#[pyclass(frozen, module = "robots_scan")]
pub(crate) struct RobotsTxt {
    file: ParsedFile,
    options: ParseOptions,
    /// The status of the response; with `None` the body is used.
    status: Option<u16>,
    policies: Mutex<PolicyCache>,
}

/// Parses a robots.txt file. Every sequence of bytes can be parsed.
///
/// ``body`` is bytes, any object with the buffer protocol, or text, which is encoded as UTF-8. Text that is
/// a URL or a path is an error. Lines that end after ``body_limit`` bytes do not count; ``None`` is no
/// limit. Of a body that ``is_truncated``, only whole lines count, and if none is a rule of a group, nothing is known.
///
/// ``status`` is the status code of the response. It may allow or disallow everything, whatever the body:
///
/// >>> import robots_scan
/// >>> robots_scan.parse(b"User-agent: *\nDisallow: /x\n")
/// <RobotsTxt: 27 bytes, 1 group, 1 rule, 0 sitemaps>
/// >>> robots_scan.parse(b"Service Unavailable", status=503).can_fetch("ExampleBot", "/")
/// False
#[pyfunction]
#[pyo3(signature = (
    body, *, body_limit = Some(robots::BODY_LIMIT_BYTES), is_truncated = false, status = None
))]
pub(crate) fn parse(
    py: Python<'_>,
    body: Text,
    body_limit: Option<u64>,
    is_truncated: bool,
    status: Option<u16>,
) -> PyResult<RobotsTxt> {
    if let Text::Utf8(text) = &body {
        crawlers::check_body(text).map_err(error::refused)?;
    }
    if let Some(status) = status {
        crawlers::check_status(status.into()).map_err(error::refused)?;
    }
    let options = ParseOptions {
        body_limit,
        is_truncated,
    };
    let bytes = body.as_bytes();
    let file = detach_if_large(py, bytes, || ParsedFile::new(bytes, options));
    Ok(RobotsTxt {
        file,
        options,
        status,
        policies: Mutex::default(),
    })
}

/// Calls `function`, without the lock of the interpreter if `body` is large.
fn detach_if_large<T: Send>(py: Python<'_>, body: &[u8], function: impl FnOnce() -> T + Send) -> T {
    if body.len() <= SMALL_BODY_BYTES {
        function()
    } else {
        py.detach(function)
    }
}

impl RobotsTxt {
    /// Calls `function`, without the lock of the interpreter if the file is large.
    fn detach_if_large<T: Send>(&self, py: Python<'_>, function: impl FnOnce() -> T + Send) -> T {
        detach_if_large(py, self.file.robots_txt().body(), function)
    }

    /// Refuses an agent that is not one name.
    fn check_agent(&self, agent: &str) -> PyResult<()> {
        let checked = REGISTRY.check_agent(agent, &self.file.robots_txt());
        checked.map_err(error::refused)
    }

    /// Returns the effect of the status. Without a status the body is parsed. A body that was cut off and has no whole
    /// rule decides nothing.
    fn status_effect(&self, choice: DialectChoice) -> StatusEffect {
        let status = HttpStatus {
            code: self.status.or(Some(200)),
            has_location: false,
        };
        match status.effect(choice.dialect()) {
            StatusEffect::Parse if self.file.is_unknown() => StatusEffect::Defer,
            effect => effect,
        }
    }

    /// Returns the rules for a crawler; `None` if the status decides nothing. An agent that is not one name is
    /// an error.
    fn find_policy(
        &self,
        py: Python<'_>,
        agent: &str,
        choice: DialectChoice,
    ) -> PyResult<Option<Arc<CrawlerPolicy>>> {
        // Releasing the lock of the interpreter would take longer than looking up rules in the cache.
        let kept = match self.policies.try_lock() {
            Ok(policies) => policies.get(agent, choice),
            Err(_) => None,
        };
        if let Some(policy) = kept {
            return Ok(Some(policy));
        }
        self.check_agent(agent)?;
        let policy = match self.status_effect(choice) {
            StatusEffect::Parse => {
                let crawler = Crawler::new(&REGISTRY, agent);
                self.detach_if_large(py, || self.file.policy(&crawler, choice))
            }
            effect => match CrawlerPolicy::from_status(effect, choice) {
                Some(policy) => policy,
                None => return Ok(None),
            },
        };
        let policy = Arc::new(policy);
        let policies = self.policies.lock_py_attached(py);
        let mut policies = policies.unwrap_or_else(PoisonError::into_inner);
        policies.insert(agent, choice, Arc::clone(&policy));
        Ok(Some(policy))
    }

    /// Returns the verdict by the default rules; `None` if the status decides instead of the body.
    fn default_verdict(&self, py: Python<'_>, agent: &str) -> PyResult<Option<CrawlerVerdict>> {
        self.check_agent(agent)?;
        let choice = DialectChoice::Default;
        let is_used = self.status_effect(choice) == StatusEffect::Parse;
        Ok(is_used.then(|| {
            let crawler = Crawler::new(&REGISTRY, agent);
            self.detach_if_large(py, || self.file.verdict(&crawler))
        }))
    }

    /// Checks that the lines of the file can be listed.
    fn check_line_count(&self) -> PyResult<()> {
        if robots::has_too_many_lines(self.file.robots_txt().body()) {
            Err(error::usage_error(
                "the file has more than 500,000 lines",
                None,
            ))
        } else {
            Ok(())
        }
    }

    /// Returns the text of a line by its number.
    fn line_text(&self, line_no: u32) -> Option<String> {
        let index = (line_no as usize).checked_sub(1)?;
        let line = robots::Lines::new(self.file.robots_txt().body(), 0).nth(index)?;
        Some(String::from_utf8_lossy(line.bytes).trim().to_owned())
    }

    fn span_text(&self, span: robots::Span) -> String {
        String::from_utf8_lossy(self.file.robots_txt().text(span)).into_owned()
    }

    fn new_rule<'py>(&self, py: Python<'py>, line: &Directive) -> PyResult<Bound<'py, PyAny>> {
        let allow = line.kind == DirectiveKind::Allow;
        let class = RULE_CLASS.import(py, RESULTS_MODULE, "Rule")?;
        class.call1((
            allow,
            self.span_text(line.value_raw),
            line.line_no,
            line.counts,
        ))
    }

    fn new_group<'py>(
        &self,
        py: Python<'py>,
        number: u32,
        group: &Group,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (mut agents, mut rules) = (Vec::new(), Vec::new());
        let robots_txt = self.file.robots_txt();
        let limits = robots_txt.rate_limits(group.line_no);
        let (mut crawl_delay_ms, mut request_rate, mut visit_time) = (
            limits.crawl_delay_ms,
            limits.request_rate,
            limits.visit_time,
        );
        for line in robots_txt.group_directives(number) {
            match line.kind {
                DirectiveKind::UserAgent => {
                    agents.push(self.span_text(line.value_raw));
                    let other = robots_txt.rate_limits(line.line_no);
                    let text = |span: Option<Span>| span.map(|span| robots_txt.text(span));
                    crawl_delay_ms =
                        crawl_delay_ms.filter(|_| crawl_delay_ms == other.crawl_delay_ms);
                    request_rate =
                        request_rate.filter(|_| text(request_rate) == text(other.request_rate));
                    visit_time = visit_time.filter(|_| text(visit_time) == text(other.visit_time));
                }
                DirectiveKind::Allow | DirectiveKind::Disallow => {
                    rules.push(self.new_rule(py, line)?)
                }
                DirectiveKind::Sitemap | DirectiveKind::Other => {}
            }
        }
        let class = GROUP_CLASS.import(py, RESULTS_MODULE, "Group")?;
        class.call1((
            PyTuple::new(py, agents)?,
            PyTuple::new(py, rules)?,
            crawl_delay_ms.map(to_seconds),
            request_rate.map(|span| self.span_text(span)),
            visit_time.map(|span| self.span_text(span)),
            group.line_no,
        ))
    }
}

#[pymethods]
impl RobotsTxt {
    /// Returns true if a crawler may fetch a URL.
    ///
    /// The parameters are in the order of ``urllib.robotparser``; Protego has the opposite one. ``agent`` is the
    /// name of one crawler, with at most a version; a User-Agent header is an error. A URL is absolute or begins
    /// with ``/``. ``dialect`` is that of ``access``.
    ///
    /// >>> import robots_scan
    /// >>> robots = robots_scan.parse(b"User-agent: GPTBot\nDisallow: /private\n")
    /// >>> robots.can_fetch("GPTBot", "https://example.com/private/a")
    /// False
    /// >>> robots.can_fetch("CCBot", "https://example.com/private/a")
    /// True
    #[pyo3(signature = (agent, url, dialect = None))]
    fn can_fetch(
        &self,
        py: Python<'_>,
        agent: Text,
        url: Text,
        dialect: Option<&str>,
    ) -> PyResult<bool> {
        crawlers::check_url(url.as_bytes()).map_err(error::refused)?;
        let policy = self.find_policy(py, &agent.to_str(), parse_dialect(dialect)?)?;
        Ok(policy.is_some_and(|policy| policy.access(url.as_bytes()).is_allowed))
    }

    /// Returns whether a crawler may fetch a URL, and the line that decides it.
    ///
    /// ``allowed`` is ``None`` if the status of the response decides nothing.
    ///
    /// ``dialect`` is ``"google"``, ``"rfc9309"`` or ``"koster1996"``. Without it, the default rules apply:
    /// Google's, with names compared whole and with the fallbacks of the registry of crawlers.
    ///
    /// >>> import robots_scan
    /// >>> robots = robots_scan.parse(b"User-agent: *\nDisallow: /*.pdf$\n")
    /// >>> robots.access("ExampleBot", "/a.pdf")
    /// Access(allowed=False, line_no=2, line='Disallow: /*.pdf$', basis='wildcard')
    /// >>> bool(robots.access("ExampleBot", "/a.pdf", dialect="koster1996"))
    /// True
    #[pyo3(signature = (agent, url, dialect = None))]
    fn access<'py>(
        &self,
        py: Python<'py>,
        agent: Text,
        url: Text,
        dialect: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crawlers::check_url(url.as_bytes()).map_err(error::refused)?;
        let policy = self.find_policy(py, &agent.to_str(), parse_dialect(dialect)?)?;
        let class = ACCESS_CLASS.import(py, RESULTS_MODULE, "Access")?;
        let Some(policy) = policy else {
            let (line_no, line) = (None::<u32>, None::<&str>);
            return class.call1((None::<bool>, line_no, line, Basis::HttpStatus.name()));
        };
        let access = policy.access(url.as_bytes());
        // The policy of a status is made from the rules of a substitute body, whose lines are not in this file.
        let line_no = access.line_no.filter(|_| policy.basis != Basis::HttpStatus);
        let line = line_no.and_then(|line_no| self.line_text(line_no));
        class.call1((access.is_allowed, line_no, line, policy.basis.name()))
    }

    /// Returns the preference of the site about one use of a URL by a crawler, and the line that decides
    /// it: ``"allowed"``, ``"disallowed"``, ``"unknown"``, or ``"not_crawlable"`` if the crawler may not
    /// fetch the URL. ``preference`` is ``None`` if the status of the response decides nothing.
    ///
    /// ``category`` is ``training`` or ``search``, which are read from ``Content-Usage`` and
    /// ``Content-Signal`` together (disallowed if either disallows it), or a word of one of them:
    /// ``train-ai``, ``ai-use``, ``content-usage:search``, ``ai-train``, ``ai-input`` or
    /// ``content-signal:search``. ``dialect`` is that of ``access``. ``fetch_time`` is the time at which the
    /// file was fetched, a ``datetime``, a ``date`` or text in ISO 8601: labels are read as they were defined
    /// then, and as they are defined last if it is not given.
    ///
    /// >>> import robots_scan
    /// >>> robots = robots_scan.parse(b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ok/ train-ai=y\n")
    /// >>> robots.preference("ExampleBot", "/a")
    /// Preference(preference='disallowed', line_no=2, line='Content-Usage: train-ai=n')
    /// >>> robots.preference("ExampleBot", "/ok/a", "training").preference
    /// 'allowed'
    #[pyo3(signature = (agent, url, category = "training", dialect = None, fetch_time = None))]
    fn preference<'py>(
        &self,
        py: Python<'py>,
        agent: Text,
        url: Text,
        category: &str,
        dialect: Option<&str>,
        fetch_time: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crawlers::check_url(url.as_bytes()).map_err(error::refused)?;
        let category = parse_category(category)?;
        let fetch_time = match fetch_time {
            Some(time) => Some(parse_fetch_time(&time.str()?.to_string_lossy())?),
            None => None,
        };
        let policy = self.find_policy(py, &agent.to_str(), parse_dialect(dialect)?)?;
        let class = PREFERENCE_CLASS.import(py, RESULTS_MODULE, "Preference")?;
        let Some(policy) = policy else {
            return class.call1((None::<&str>, None::<u32>, None::<&str>));
        };
        let found = category.preference(&policy, url.as_bytes(), fetch_time);
        let line_no = found.line_no.filter(|_| policy.basis != Basis::HttpStatus);
        let line = line_no.and_then(|line_no| self.line_text(line_no));
        class.call1((found.name(), line_no, line))
    }

    /// Returns the verdict on the whole site: ``"allow_all"``, ``"partial"``, ``"disallow_all"``, or
    /// ``"unknown"`` if the file is too complex, or if the status of the response decides nothing.
    ///
    /// >>> import robots_scan
    /// >>> robots = robots_scan.parse(b"User-agent: GPTBot\nDisallow: /\n")
    /// >>> robots.verdict("GPTBot"), robots.verdict("CCBot")
    /// ('disallow_all', 'allow_all')
    #[pyo3(signature = (agent, dialect = None))]
    fn verdict(
        &self,
        py: Python<'_>,
        agent: Text,
        dialect: Option<&str>,
    ) -> PyResult<&'static str> {
        let (agent, choice) = (agent.to_str(), parse_dialect(dialect)?);
        if choice == DialectChoice::Default
            && let Some(found) = self.default_verdict(py, &agent)?
        {
            return Ok(found.verdict.name());
        }
        let policy = self.find_policy(py, &agent, choice)?;
        let verdict = self.detach_if_large(py, || policy.map(|policy| policy.verdict()));
        Ok(verdict.unwrap_or(Verdict::Unknown).name())
    }

    /// Returns the first valid ``Crawl-delay`` for a crawler, in seconds, or ``None``. A delay belongs only to the
    /// names directly above it.
    ///
    /// >>> import robots_scan
    /// >>> robots = robots_scan.parse(b"User-agent: *\nCrawl-delay: 2.5\n")
    /// >>> robots.crawl_delay("ExampleBot")
    /// 2.5
    fn crawl_delay(&self, py: Python<'_>, agent: Text) -> PyResult<Option<f64>> {
        let verdict = self.default_verdict(py, &agent.to_str())?;
        Ok(verdict.and_then(|verdict| verdict.crawl_delay_ms.map(to_seconds)))
    }

    /// Returns the rate for a crawler: of the first ``Request-rate`` after each of its user-agent lines, the first
    /// that is valid, or ``None``.
    ///
    /// >>> import robots_scan
    /// >>> robots = robots_scan.parse(b"User-agent: *\nRequest-rate: 1/10m\n")
    /// >>> robots.request_rate("ExampleBot")
    /// RequestRate(requests=1, seconds=600)
    fn request_rate<'py>(
        &self,
        py: Python<'py>,
        agent: Text,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (agent, choice) = (agent.to_str(), DialectChoice::Default);
        self.check_agent(&agent)?;
        if self.status_effect(choice) != StatusEffect::Parse {
            return Ok(None);
        }
        let crawler = Crawler::new(&REGISTRY, &agent);
        let rate = self.detach_if_large(py, || self.file.request_rate(&crawler));
        let Some(RequestRate { requests, seconds }) = rate else {
            return Ok(None);
        };
        let class = REQUEST_RATE_CLASS.import(py, RESULTS_MODULE, "RequestRate")?;
        class.call1((requests, seconds)).map(Some)
    }

    /// Returns the values of the sitemap lines as ``urllib.robotparser`` does: ``None`` if there are none.
    fn site_maps(&self) -> PyResult<Option<Vec<String>>> {
        Ok(Some(self.sitemaps()?).filter(|sitemaps| !sitemaps.is_empty()))
    }

    /// The values of the sitemap lines, in order.
    ///
    /// >>> import robots_scan
    /// >>> robots_scan.parse(b"Sitemap: https://example.com/sitemap.xml\n").sitemaps
    /// ['https://example.com/sitemap.xml']
    #[getter]
    fn sitemaps(&self) -> PyResult<Vec<String>> {
        self.check_line_count()?;
        let lines = self.file.robots_txt().directives().iter();
        let sitemaps = lines.filter(|line| line.kind == DirectiveKind::Sitemap);
        let values = sitemaps.map(|line| self.span_text(line.value));
        Ok(values.filter(|value| !value.is_empty()).collect())
    }

    /// The groups, in the order of the file: their crawlers, rules, and ``Crawl-delay``.
    ///
    /// >>> import robots_scan
    /// >>> robots = robots_scan.parse(b"User-agent: a\nUser-agent: b\nDisallow: /x\n")
    /// >>> group, = robots.groups
    /// >>> group.agents
    /// ('a', 'b')
    /// >>> group.rules
    /// (Rule(allow=False, path='/x', line_no=3, counts=True),)
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.check_line_count()?;
        let groups = self.file.robots_txt().groups().iter();
        let groups = (1..).zip(groups);
        groups
            .map(|(number, group)| self.new_group(py, number, group))
            .collect()
    }

    /// The anomalies: places where the meaning of the file had to be guessed, or that are unusual.
    ///
    /// >>> import robots_scan
    /// >>> robots = robots_scan.parse(b"User-agent: *\nDisalow: /\n")
    /// >>> [(anomaly.line_no, anomaly.code) for anomaly in robots.anomalies]
    /// [(2, 'typo_accepted_by_google')]
    #[getter]
    fn anomalies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.check_line_count()?;
        let anomalies = self.detach_if_large(py, || self.file.anomalies());
        let class = ANOMALY_CLASS.import(py, RESULTS_MODULE, "Anomaly")?;
        let anomalies = anomalies.iter().map(|anomaly| {
            class.call1((
                &*anomaly.code,
                anomaly.line_no,
                anomaly.severity.name(),
                anomaly.changes_verdict,
                anomaly.about,
            ))
        });
        anomalies.collect()
    }

    /// Returns the rows that the file has in a table of a dataset, for any library that reads Arrow.
    ///
    /// The tables are ``groups``, ``rules``, ``sitemaps``, ``directives``, ``preferences``, ``anomalies`` and
    /// ``verdicts``, with the columns of their Parquet files except ``robots_id``.
    ///
    /// >>> import robots_scan
    /// >>> table = robots_scan.parse(b"User-agent: *\nDisallow: /x\n").table("rules")
    /// >>> [row["path"] for row in table.to_pylist()]
    /// ['/x']
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        let body_tables = tables::Table::FROM_RECORDS.into_iter();
        let body_tables =
            body_tables.filter(|table| tables::schema_of_rows_from_body(*table).is_some());
        let Some(table) = body_tables.clone().find(|table| table.name() == name) else {
            let names: Vec<&str> = body_tables.map(tables::Table::name).collect();
            let text = format!("a single file has no table '{name}'");
            return Err(error::usage_error(
                &text,
                Some(&format!("choose from {}", names.join(", "))),
            ));
        };
        self.check_line_count()?;
        let body = self.file.robots_txt().body();
        let rows = py.detach(|| tables::rows_from_body(body, self.options, table));
        Ok(Table::new(rows.map_err(crate::table::arrow_error)?))
    }

    /// The bytes that were parsed.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.file.robots_txt().body())
    }

    /// The number of bytes within which a line must end to count; ``None`` for no limit.
    #[getter]
    fn body_limit(&self) -> Option<u64> {
        self.options.body_limit
    }

    /// True if the body was cut off, so that only its whole lines count.
    #[getter]
    fn is_truncated(&self) -> bool {
        self.options.is_truncated
    }

    /// The status code of the response, if it was given.
    #[getter]
    fn status(&self) -> Option<u16> {
        self.status
    }

    /// The kind of the body: ``rules``, ``no_rules``, ``comments_only``, ``empty``, ``html`` or ``binary``.
    #[getter]
    fn content_class(&self) -> &'static str {
        self.file.robots_txt().summary().content.name()
    }

    /// The software or service that generated the file, if it is recognized.
    #[getter]
    fn template(&self) -> Option<&'static str> {
        let template = self.file.robots_txt().summary().template;
        template.map(robots::Template::name)
    }

    fn __eq__(&self, other: &Self) -> bool {
        let (body, other_body) = (
            self.file.robots_txt().body(),
            other.file.robots_txt().body(),
        );
        let options = (self.options, self.status);
        options == (other.options, other.status) && body == other_body
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.file.robots_txt().body().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let counted = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            _ => format!("{count} {noun}s"),
        };
        let robots = self.file.robots_txt();
        let summary = robots.summary();
        let rules = (summary.n_allow + summary.n_disallow) as usize;
        let status = self.status.map(|status| format!("status {status}, "));
        format!(
            "<RobotsTxt: {}{}, {}, {}, {}>",
            status.unwrap_or_default(),
            counted(robots.body().len(), "byte"),
            counted(summary.n_groups as usize, "group"),
            counted(rules, "rule"),
            counted(summary.n_sitemaps as usize, "sitemap"),
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let function = py.import("robots_scan._results")?.getattr("unpickled")?;
        let arguments = (
            self.body(py),
            self.options.body_limit,
            self.options.is_truncated,
            self.status,
        );
        (function, arguments).into_pyobject(py)
    }
}
