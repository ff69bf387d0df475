//! The robots.txt of a host, and its verdicts for crawlers.

use super::report::{AgentReport, CrawlerVerdicts, UrlResult};
use super::robots_txt::{CheckRequest, build_agent_report};
use crate::captures::{Captures, FoundCapture, LineLimit};
use crawlers::{Crawler, disallow_all_policy};
use errors::Error;
use robots::{Basis, Dialect, Evaluator, RobotsTxt, RobotsTxtBuilder, StatusEffect, Verdict};
use std::path::Path;

/// The robots.txt of a host, rebuilt from table rows, and the effect of its HTTP status.
pub(super) struct HostFile {
    pub(super) file: RobotsTxtBuilder,
    /// The effect of the HTTP status in each dialect.
    pub(super) effects: [(Dialect, StatusEffect); 3],
    /// The time of the fetch, in milliseconds since 1970.
    pub(super) time: Option<i64>,
}

impl HostFile {
    /// Reads the robots.txt of a capture, unless the status decides in every dialect. `path` is the path of the data in
    /// errors.
    pub(super) fn read<C: Captures>(
        captures: &C,
        found: &FoundCapture<C>,
        path: &Path,
    ) -> Result<Self, Error> {
        let mut file = RobotsTxtBuilder::new();
        let mut effects = found.effects.iter();
        if effects.any(|(_, effect)| *effect == StatusEffect::Parse) {
            let mut rules = captures.open_rules(&[found.place])?;
            let limit = &mut LineLimit::new(path);
            captures.read_file(&mut rules, &found.place, limit, &mut file)?;
        }
        Ok(Self {
            file,
            effects: found.effects,
            time: found.time,
        })
    }
}

/// Returns the results for each crawler. `effect` is the effect of the HTTP status in the requested
/// dialect.
pub(super) fn build_agent_reports(
    host: &HostFile,
    effect: StatusEffect,
    request: &CheckRequest<'_>,
) -> Vec<AgentReport> {
    let request = &CheckRequest {
        fetch_time: host.time,
        ..*request
    };
    let robots = host.file.as_robots_txt();
    let verdicts = Evaluator::new().verdicts(&robots);
    let line_text = |line_no: u32| compose_line_text(&robots, line_no);
    let reports = request.crawlers().map(|crawler| {
        let mut report = match status_verdict(effect) {
            None => build_agent_report(&robots, &verdicts, request, &crawler, &line_text),
            Some(verdict) => build_status_report(request, &crawler, verdict),
        };
        for ((_, verdict), (_, effect)) in report.verdicts.by_dialect.iter_mut().zip(host.effects) {
            if let Some(by_status) = status_verdict(effect) {
                *verdict = by_status;
            }
        }
        report
    });
    reports.collect()
}

/// Composes the text of a line from its key and its value.
fn compose_line_text(robots: &RobotsTxt<'_>, line_no: u32) -> Option<String> {
    let mut directives = robots.directives().iter();
    let directive = directives.find(|directive| directive.line_no == line_no)?;
    let separator = if directive.has_colon { ": " } else { " " };
    let key = String::from_utf8_lossy(robots.text(directive.key_raw));
    let value = String::from_utf8_lossy(robots.text(directive.value_raw));
    Some(format!("{key}{separator}{value}"))
}

/// Returns the verdict for a host whose HTTP status has this effect; `None` if the body decides.
fn status_verdict(effect: StatusEffect) -> Option<Verdict> {
    match effect {
        StatusEffect::Parse => None,
        StatusEffect::AllowAll => Some(Verdict::AllowAll),
        StatusEffect::DisallowAll => Some(Verdict::DisallowAll),
        StatusEffect::Follow | StatusEffect::Defer => Some(Verdict::Unknown),
    }
}

/// Returns the results for one crawler if the HTTP status determines `verdict`.
fn build_status_report(
    request: &CheckRequest<'_>,
    crawler: &Crawler,
    verdict: Verdict,
) -> AgentReport {
    let policy = disallow_all_policy(request.dialect);
    let urls = request.urls.iter().map(|url| {
        let is_allowed = match verdict {
            Verdict::AllowAll => Some(true),
            Verdict::DisallowAll => Some(policy.access(url.as_bytes()).is_allowed),
            Verdict::Partial | Verdict::Unknown => None,
        };
        UrlResult {
            url: url.clone(),
            is_allowed,
            rule: None,
            preferences: Vec::new(),
        }
    });
    AgentReport {
        agent: crawler.agent().to_owned(),
        urls: urls.collect(),
        verdicts: CrawlerVerdicts {
            verdict,
            basis: Basis::HttpStatus,
            decided_by: None,
            evidence_line: None,
            by_dialect: Dialect::ALL.map(|dialect| (dialect, verdict)),
        },
        lines: Vec::new(),
    }
}
