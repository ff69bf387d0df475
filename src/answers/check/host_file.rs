//! The robots.txt of a host, and its verdicts for crawlers.

use super::line_limit::LineLimit;
use super::report::{AgentReport, CrawlerVerdicts, UrlResult};
use super::robots_txt::{CheckRequest, build_agent_report};
use crawlers::{Crawler, disallow_all_policy};
use dataset::{CaptureFilter, Dataset, StoredLine};
use disk::error::Error;
use hosts::{CaptureId, RulesSource};
use robots::{Basis, Dialect, Evaluator, RobotsTxt, RobotsTxtBuilder, StatusEffect, Verdict};
use sort::Field;
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
    /// Reads the lines of the capture, unless its status decides in every dialect.
    /// `path` is the path of the data in errors.
    pub(super) fn read(
        dataset: &Dataset,
        source: &RulesSource,
        path: &Path,
    ) -> Result<Self, Error> {
        let mut file = RobotsTxtBuilder::new();
        let effects = Dialect::ALL.map(|dialect| (dialect, source.effect(dialect)));
        if effects
            .iter()
            .any(|(_, effect)| *effect == StatusEffect::Parse)
        {
            push_lines(dataset, source, LineLimit::new(path), &mut file)?;
        }
        Ok(Self {
            file,
            effects,
            time: source.time,
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

pub(super) fn capture_filter(id: CaptureId) -> CaptureFilter {
    CaptureFilter::One {
        crawl: id.crawl,
        robots_id: id.robots_id,
    }
}

/// Adds the lines of a capture to `file`. Repeated lines are added once, because a dataset may have a
/// capture twice.
fn push_lines(
    dataset: &Dataset,
    source: &RulesSource,
    mut limit: LineLimit<'_>,
    file: &mut RobotsTxtBuilder,
) -> Result<(), Error> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    dataset.read_lines(&capture_filter(source.id), &mut |crawl, robots_id, line| {
        if (CaptureId { crawl, robots_id }) == source.id {
            let mut record = Vec::new();
            line.write(&mut record);
            limit.count(1, record.len())?;
            lines.push(record);
        }
        Ok(())
    })?;
    lines.sort();
    lines.dedup();
    for line in &lines {
        let line = sort::read::<StoredLine<'static>>(line);
        if !line.push_to(file, source.is_valid_utf8) {
            break;
        }
    }
    file.set_content_class(source.content.0);
    Ok(())
}
