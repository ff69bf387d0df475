//! The capture that speaks for a host, checked as a file is.

use super::archive::{self, Temporary};
use super::{AgentReport, Answer, Asking, Oddity, Report, Source, Verdicts};
use crate::capture::anomaly::CaptureAnomalyKind;
use crate::crawler::{Crawler, disallow_all};
use crate::dataset::{CaptureFilter, Dataset, StoredLine, capture_key, column};
use crate::error::{DatasetDefect, Error, ErrorKind};
use crate::external_sort::{Filter, Scratch};
use crate::resolve::{self, Host};
use crate::tables::Table;
use arrow_array::{
    Array, BooleanArray, Int16Array, Int32Array, Int64Array, StringArray, TimestampMillisecondArray,
};
use robots::{
    AnomalyKind, Basis, Dialect, Evaluator, RobotsTxtBuilder, Severity, StatusEffect, Verdict,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A host to be checked, in a dataset or an archive.
#[derive(Clone, Debug)]
pub struct HostQuestion<'a> {
    /// The folder of a dataset, or an archive.
    pub place: &'a Path,
    /// The host.
    pub host: &'a Host,
    /// Crawls that are looked at; all if none is named.
    pub crawls: &'a [String],
    /// The time for which it speaks; `None` for the newest.
    pub at: Option<i64>,
    /// Bytes of a body that count, for an archive. A dataset has its own.
    pub body_limit: Option<u64>,
}

/// A capture, as it was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The URL.
    pub target_uri: String,
    /// When, in milliseconds since 1970.
    pub fetch_time: Option<i64>,
    /// The HTTP status.
    pub fetch_status: Option<i16>,
    /// The archive.
    pub warc_filename: String,
    /// The place of its record.
    pub warc_record_offset: i64,
    /// Its crawl.
    pub crawl: String,
    /// Its key in the crawl.
    pub robots_id: i64,
    /// Whether it is a revisit.
    pub is_revisit: bool,
}

/// What is said of a host.
#[derive(Clone, Debug)]
pub struct HostReport {
    /// The capture that speaks.
    pub capture: Seen,
    /// The one that holds the rules, if it is another: where a redirect ends,
    /// or what fills a revisit.
    pub rules_capture: Option<Seen>,
    /// What its status means, if that decides and not its body.
    pub effect: Option<StatusEffect>,
    /// The rest.
    pub report: Report,
    /// Whether the dataset has the table of anomalies.
    pub has_anomalies: bool,
    /// Places of the archive that could not be read.
    pub faults: u64,
}

/// Finds the capture that speaks for a host, and checks it.
///
/// # Errors
///
/// [`ErrorKind::NoCapture`] if no capture speaks for the host; reading errors;
/// those of [`Dataset::open`]; [`ErrorKind::Abandoned`] once `stop` is set.
pub fn check_host(
    question: &HostQuestion<'_>,
    asking: &Asking<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<HostReport, Error> {
    let temporary = Temporary::create()?;
    let (root, faults) = match Source::of(question.place)? {
        Source::Archive => {
            let root = temporary.join("dataset");
            let (limit, registry) = (question.body_limit, asking.registry);
            let summary = archive::scan(question.place, &root, limit, registry, stop)?;
            (root, summary.faults)
        }
        Source::Dataset => (question.place.to_owned(), 0),
        Source::File => {
            let kind = ErrorKind::NotADataset(DatasetDefect::NotSearchable);
            return Err(Error::new(kind, question.place));
        }
    };
    let mut tables = vec![Table::RobotsFiles, Table::Groups, Table::Rules];
    let has_anomalies = root.join(Table::Anomalies.name()).is_dir();
    if has_anomalies {
        tables.push(Table::Anomalies);
    }
    let dataset = Dataset::open(&root, question.crawls, &tables)?;
    let scratch = Scratch::create(&temporary.join("sort"), Arc::clone(stop))?;
    let speaker = resolve::speaker(&dataset, &scratch, question.host, question.at)?;
    let Some(speaker) = speaker else {
        let nearby = resolve::nearby(&dataset, &scratch, question.host)?;
        let kind = ErrorKind::NoCapture {
            host: question.host.to_string(),
            first_time: nearby.first_time,
            similar: nearby.hosts,
        };
        return Err(Error::new(kind, question.place));
    };
    let source = speaker.source;
    let key = (source.crawl, source.robots_id);
    let capture = seen(&dataset, (speaker.crawl, speaker.robots_id))?;
    let capture = capture.ok_or_else(|| {
        let kind = ErrorKind::NotADataset(DatasetDefect::Changed);
        Error::new(kind, question.place)
    })?;
    let rules_capture = match key == (speaker.crawl, speaker.robots_id) {
        true => None,
        false => seen(&dataset, key)?,
    };
    let effect =
        Some(source.effect(asking.asked.dialect())).filter(|it| *it != StatusEffect::Parse);
    let mut file = RobotsTxtBuilder::new();
    if Dialect::ALL
        .iter()
        .any(|it| source.effect(*it) == StatusEffect::Parse)
    {
        push_lines(&dataset, key, source.is_valid_utf8, &mut file)?;
    }
    let robots = file.as_robots_txt();
    let rows = Evaluator::new().verdicts(&robots);
    let line = |line_no: u32| {
        let mut directives = robots.directives().iter();
        let directive = directives.find(|directive| directive.line_no == line_no)?;
        let parting = if directive.has_colon { ": " } else { " " };
        let key = String::from_utf8_lossy(robots.text(directive.key_raw));
        let value = String::from_utf8_lossy(robots.text(directive.value_raw));
        Some(format!("{key}{parting}{value}"))
    };
    let agents = asking.crawlers().map(|crawler| {
        let mut report = match effect {
            None => super::agent_report(&robots, &rows, asking, &crawler, &line),
            Some(effect) => by_status(asking, &crawler, effect),
        };
        for (dialect, verdict) in &mut report.verdicts.by_dialect {
            if let Some(decided) = verdict_of(source.effect(*dialect)) {
                *verdict = decided;
            }
        }
        report
    });
    let report = Report {
        agents: agents.collect(),
        anomalies: match has_anomalies {
            true => anomalies(&dataset, key)?,
            false => Vec::new(),
        },
    };
    Ok(HostReport {
        capture,
        rules_capture,
        effect,
        report,
        has_anomalies,
        faults,
    })
}

/// What a status decides; `None` where the body does.
fn verdict_of(effect: StatusEffect) -> Option<Verdict> {
    match effect {
        StatusEffect::Parse => None,
        StatusEffect::AllowAll => Some(Verdict::AllowAll),
        StatusEffect::DisallowAll => Some(Verdict::DisallowAll),
        StatusEffect::Follow | StatusEffect::Defer => Some(Verdict::Unknown),
    }
}

/// Returns the results that the status gives for one crawler.
fn by_status(asking: &Asking<'_>, crawler: &Crawler, effect: StatusEffect) -> AgentReport {
    let verdict = verdict_of(effect).unwrap_or(Verdict::Unknown);
    let policy = disallow_all(asking.asked);
    let answers = asking.urls.iter().map(|url| {
        let is_allowed = match verdict {
            Verdict::AllowAll => Some(true),
            Verdict::DisallowAll => Some(policy.access(url.as_bytes()).is_allowed),
            Verdict::Partial | Verdict::Unknown => None,
        };
        Answer {
            asked: url.clone(),
            is_allowed,
            line_no: None,
            line: None,
            group_line_no: None,
        }
    });
    AgentReport {
        agent: crawler.agent().to_owned(),
        answers: answers.collect(),
        verdicts: Verdicts {
            verdict,
            basis: Basis::HttpStatus,
            evidence_line: None,
            by_dialect: Dialect::ALL.map(|dialect| (dialect, verdict)),
        },
    }
}

/// The set of one capture.
fn only(key: (u32, i64)) -> CaptureFilter {
    let mut filter = Filter::new(1, 8);
    filter.insert(&capture_key(key.0, key.1));
    CaptureFilter::Captures(Arc::new(filter))
}

fn push_lines(
    dataset: &Dataset,
    key: (u32, i64),
    is_valid_utf8: bool,
    file: &mut RobotsTxtBuilder,
) -> Result<(), Error> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    dataset.read_lines(&only(key), &mut |crawl, robots_id, line| {
        if (crawl, robots_id) == key {
            let mut record = Vec::new();
            line.write(&mut record);
            lines.push(record);
        }
        Ok(())
    })?;
    lines.sort();
    lines.dedup();
    for line in &lines {
        if !StoredLine::read(line).push_to(file, is_valid_utf8) {
            break;
        }
    }
    Ok(())
}

/// A capture's row.
fn seen(dataset: &Dataset, key: (u32, i64)) -> Result<Option<Seen>, Error> {
    let columns = [
        "robots_id",
        "url",
        "fetch_time",
        "fetch_status",
        "warc_filename",
        "warc_record_offset",
        "is_revisit",
    ];
    let mut found = None;
    dataset.read(
        Table::RobotsFiles,
        &columns,
        &only(key),
        &mut |crawl, batch| {
            let ids = column::<Int64Array>(batch, "robots_id")?;
            let is_it = |row: &usize| (crawl, ids.value(*row)) == key;
            let Some(row) = (0..batch.num_rows()).find(is_it) else {
                return Ok(());
            };
            let time = column::<TimestampMillisecondArray>(batch, "fetch_time")?;
            let status = column::<Int16Array>(batch, "fetch_status")?;
            let url = column::<StringArray>(batch, "url")?;
            found = Some(Seen {
                target_uri: url.value(row).to_owned(),
                fetch_time: time.is_valid(row).then(|| time.value(row)),
                fetch_status: status.is_valid(row).then(|| status.value(row)),
                warc_filename: column::<StringArray>(batch, "warc_filename")?
                    .value(row)
                    .to_owned(),
                warc_record_offset: column::<Int64Array>(batch, "warc_record_offset")?.value(row),
                crawl: dataset.crawls()[crawl as usize].clone(),
                robots_id: key.1,
                is_revisit: column::<BooleanArray>(batch, "is_revisit")?.value(row),
            });
            Ok(())
        },
    )?;
    Ok(found)
}

/// A capture's anomalies, as the table has them.
fn anomalies(dataset: &Dataset, key: (u32, i64)) -> Result<Vec<Oddity>, Error> {
    let columns = [
        "robots_id",
        "line_no",
        "code",
        "severity",
        "changes_verdict",
    ];
    let mut found = Vec::new();
    dataset.read(
        Table::Anomalies,
        &columns,
        &only(key),
        &mut |crawl, batch| {
            let ids = column::<Int64Array>(batch, "robots_id")?;
            let lines = column::<Int32Array>(batch, "line_no")?;
            let codes = column::<StringArray>(batch, "code")?;
            let severities = column::<StringArray>(batch, "severity")?;
            let changes = column::<BooleanArray>(batch, "changes_verdict")?;
            for row in (0..batch.num_rows()).filter(|row| (crawl, ids.value(*row)) == key) {
                let line_no = lines.is_valid(row).then(|| lines.value(row));
                let severity = [Severity::Error, Severity::Warning]
                    .into_iter()
                    .find(|it| it.name() == severities.value(row));
                found.push(Oddity {
                    line_no: line_no.and_then(|line_no| u32::try_from(line_no).ok()),
                    code: codes.value(row).to_owned(),
                    severity: severity.unwrap_or(Severity::Info),
                    about: about(codes.value(row)).to_owned(),
                    changes_verdict: changes.is_valid(row).then(|| changes.value(row)),
                });
            }
            Ok(())
        },
    )?;
    Ok(found)
}

/// What a code means; nothing for one that is not known here.
fn about(code: &str) -> &'static str {
    let anomalies = AnomalyKind::ALL.iter().map(|it| (it.code(), it.about()));
    let notes = CaptureAnomalyKind::ALL
        .iter()
        .map(|it| (it.code(), it.about()));
    let mut all = anomalies.chain(notes);
    all.find(|(known, _)| *known == code)
        .map_or("", |(_, about)| about)
}
