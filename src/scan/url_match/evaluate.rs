//! What a URL's answers are, once it is known who speaks for its origin.

use super::{Job, Totals};
use crate::crawler::disallow_all;
use crate::dataset::{CaptureFilter, StoredLine, capture_key};
use crate::error::{DatasetDefect, Error, ErrorKind};
use crate::external_sort::sort_key::{Values, put_i64, put_text, put_u8, put_u32, put_u64};
use crate::external_sort::{Sorted, Sorter};
use crate::resolve::candidate::{Page, Pick, Source};
use crate::resolve::captures::skip_to;
use robots::{Access, Basis, RobotsTxtBuilder, StatusEffect};
use std::path::Path;
use std::sync::Arc;

/// Whether a URL may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    Allowed,
    Disallowed,
    Unknown,
}

/// What an answer rests on: words of `verdicts.basis`, and others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ground {
    Explicit,
    Wildcard,
    NoGroup,
    NoRules,
    HttpStatus,
    NoCapture,
    BadUrl,
    BadTime,
}

/// The answer for one URL and one crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) permission: Permission,
    pub(crate) ground: Ground,
    pub(crate) line_no: Option<u32>,
}

impl Permission {
    const ALL: [Self; 3] = [Self::Allowed, Self::Disallowed, Self::Unknown];

    fn of(access: Access) -> Self {
        match access.is_allowed {
            true => Self::Allowed,
            false => Self::Disallowed,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Disallowed => "disallowed",
            Self::Unknown => "unknown",
        }
    }
}

impl Ground {
    pub(crate) const ALL: [Self; 8] = [
        Self::Explicit,
        Self::Wildcard,
        Self::NoGroup,
        Self::NoRules,
        Self::HttpStatus,
        Self::NoCapture,
        Self::BadUrl,
        Self::BadTime,
    ];

    fn of(basis: Basis) -> Self {
        match basis {
            Basis::Explicit | Basis::TooComplex => Self::Explicit,
            Basis::Wildcard => Self::Wildcard,
            Basis::NoGroup => Self::NoGroup,
            Basis::NoRules => Self::NoRules,
            Basis::HttpStatus => Self::HttpStatus,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Explicit => Basis::Explicit.name(),
            Self::Wildcard => Basis::Wildcard.name(),
            Self::NoGroup => Basis::NoGroup.name(),
            Self::NoRules => Basis::NoRules.name(),
            Self::HttpStatus => Basis::HttpStatus.name(),
            Self::NoCapture => "no_capture",
            Self::BadUrl => "bad_url",
            Self::BadTime => "bad_time",
        }
    }
}

impl Answer {
    /// Nothing is known, for this reason.
    pub(crate) fn unknown(ground: Ground) -> Self {
        Self {
            permission: Permission::Unknown,
            ground,
            line_no: None,
        }
    }
}

/// The answers of one row of the list, to all crawlers in their order.
#[derive(Debug)]
pub(crate) struct Answers<'a> {
    pub(crate) url: &'a [u8],
    /// The number of the crawl, and the capture.
    pub(crate) capture: Option<(u32, i64)>,
    rest: Values<'a>,
}

impl<'a> Answers<'a> {
    /// Reads what [`put_answers`] wrote.
    pub(crate) fn read(record: &'a [u8]) -> Self {
        let mut values = Values(record);
        values.u64();
        let url = values.text();
        let is_there = values.u8() != 0;
        let capture = (values.u32(), values.i64());
        Self {
            url,
            capture: is_there.then_some(capture),
            rest: values,
        }
    }

    /// The answer to the next crawler; there must be one.
    pub(crate) fn next(&mut self) -> Answer {
        Answer {
            permission: Permission::ALL[usize::from(self.rest.u8())],
            ground: Ground::ALL[usize::from(self.rest.u8())],
            line_no: Some(self.rest.u32()).filter(|&line_no| line_no != 0),
        }
    }
}

/// Writes the answers of the `ordinal`-th row; records order as rows do.
pub(crate) fn put_answers(
    record: &mut Vec<u8>,
    ordinal: u64,
    url: &[u8],
    capture: Option<(u32, i64)>,
    answers: impl Iterator<Item = Answer>,
) {
    record.clear();
    put_u64(record, ordinal);
    put_text(record, url);
    put_u8(record, capture.is_some().into());
    let (crawl, robots_id) = capture.unwrap_or_default();
    put_u32(record, crawl);
    put_i64(record, robots_id);
    for answer in answers {
        put_u8(record, answer.permission as u8);
        put_u8(record, answer.ground as u8);
        put_u32(record, answer.line_no.unwrap_or(0));
    }
}

/// Writes a question: the origin, the time, the place in the list, the URL.
pub(crate) fn put_question(
    record: &mut Vec<u8>,
    origin: &[u8],
    time: i64,
    ordinal: u64,
    url: &[u8],
) {
    record.clear();
    put_text(record, origin);
    put_i64(record, time);
    put_u64(record, ordinal);
    put_text(record, url);
}

/// Puts questions and their speakers together. What a status decides is
/// answered; the rest is sorted by the capture whose rules must be read.
pub(crate) fn ask_status<'j>(
    job: &Job<'j>,
    questions: &Sorted<'_>,
    speakers: &Sorted<'_>,
    out: &mut Sorter<'_>,
    totals: &mut Totals,
) -> Result<Sorted<'j>, Error> {
    let disallow_all = disallow_all(job.asked);

    let mut of_rules = job.sorter();
    let (mut questions, mut speakers) = (questions.read()?, speakers.read()?);
    let (mut origin, mut asked) = (Vec::new(), None);
    let (mut pick, mut best) = (Pick::default(), None);
    let mut record = Vec::new();
    while let Some(question) = questions.peek() {
        let mut values = Values(question);
        let key = values.key();
        if key != origin {
            origin.clear();
            origin.extend_from_slice(key);
            asked = None;
            totals.origins += 1;
            skip_to(&mut speakers, &origin)?;
        }
        let time = values.i64();
        if asked != Some(time) {
            asked = Some(time);
            pick.clear();
            while let Some(page) = speakers
                .peek()
                .and_then(|record| speaker(record, &origin, time))
            {
                pick.add(page);
                speakers.advance()?;
            }
            best = pick.best();
        }
        let (ordinal, url) = (values.u64(), values.text());
        let source = best.map(|page| page.source);
        let capture = source.map(|source| (source.crawl, source.robots_id));
        let by_status = |permission| Answer {
            permission,
            ground: Ground::HttpStatus,
            line_no: None,
        };
        let answer = match source.map(|source| source.effect(job.asked.dialect())) {
            None => Answer::unknown(Ground::NoCapture),
            Some(StatusEffect::AllowAll) => by_status(Permission::Allowed),
            Some(StatusEffect::DisallowAll) => by_status(Permission::of(disallow_all.access(url))),
            Some(StatusEffect::Follow | StatusEffect::Defer) => by_status(Permission::Unknown),
            Some(StatusEffect::Parse) => {
                if let Some(source) = source {
                    put_rules_question(&mut record, &source, ordinal, url);
                    of_rules.push(&record)?;
                }
                questions.advance()?;
                continue;
            }
        };
        let answers = job.crawlers.iter().map(|_| answer);
        put_answers(&mut record, ordinal, url, capture, answers);
        out.push(&record)?;
        questions.advance()?;
    }
    of_rules.finish()
}

/// The candidate of a record, if it is of this origin and time.
fn speaker(record: &[u8], origin: &[u8], time: i64) -> Option<Page> {
    let mut values = Values(record);
    (values.key() == origin && values.i64() == time).then(|| Page::read(&mut values))
}

fn put_rules_question(record: &mut Vec<u8>, source: &Source, ordinal: u64, url: &[u8]) {
    record.clear();
    put_text(record, &capture_key(source.crawl, source.robots_id));
    put_u64(record, ordinal);
    source.write(record);
    put_text(record, url);
}

/// Answers what rules decide: reads the lines of the captures that are asked
/// and makes each file again, once.
pub(crate) fn ask_rules(
    job: &Job<'_>,
    questions: &Sorted<'_>,
    out: &mut Sorter<'_>,
    totals: &mut Totals,
) -> Result<(), Error> {
    if questions.is_empty() {
        return Ok(());
    }
    let lines = lines_of(job, questions)?;
    let (mut questions, mut lines) = (questions.read()?, lines.read()?);
    let mut file = RobotsTxtBuilder::new();
    let (mut capture, mut previous, mut record) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(question) = questions.peek() {
        let mut values = Values(question);
        capture.clear();
        capture.extend_from_slice(values.key());
        values.u64();
        let source = Source::read(&mut values);
        file.clear();
        previous.clear();
        skip_to(&mut lines, &capture)?;
        while let Some(line) = lines.peek() {
            let mut values = Values(line);
            if values.key() != capture {
                break;
            }
            // A capture that is there twice has each line twice.
            if values.0 != previous {
                if !StoredLine::read(values.0).push_to(&mut file, source.is_valid_utf8) {
                    let kind = ErrorKind::NotADataset(DatasetDefect::TooManyRules);
                    return Err(Error::new(kind, Path::new("rules")));
                }
                previous.clear();
                previous.extend_from_slice(values.0);
            }
            lines.advance()?;
        }
        totals.files += 1;
        let robots = file.as_robots_txt();
        let crawlers = job.crawlers.iter();
        let policies: Vec<_> = crawlers
            .map(|crawler| crawler.policy(job.asked, &robots))
            .collect();
        while let Some(question) = questions.peek() {
            let mut values = Values(question);
            if values.key() != capture {
                break;
            }
            let ordinal = values.u64();
            Source::read(&mut values);
            let url = values.text();
            let answers = policies.iter().map(|policy| {
                let access = policy.access(url);
                Answer {
                    permission: Permission::of(access),
                    ground: Ground::of(policy.basis),
                    line_no: access.line_no,
                }
            });
            let place = Some((source.crawl, source.robots_id));
            put_answers(&mut record, ordinal, url, place, answers);
            out.push(&record)?;
            questions.advance()?;
        }
    }
    Ok(())
}

/// The lines of all captures that are asked, by capture.
fn lines_of<'j>(job: &Job<'j>, questions: &Sorted<'_>) -> Result<Sorted<'j>, Error> {
    let mut filter = job.filter(questions.len());
    let mut reader = questions.read()?;
    while let Some(record) = reader.peek() {
        filter.insert(Values(record).text());
        reader.advance()?;
    }
    drop(reader);
    let mut lines = job.sorter();
    let mut record = Vec::new();
    let wanted = CaptureFilter::Captures(Arc::new(filter));
    let mut count = 0;
    job.dataset
        .read_lines(&wanted, &mut |crawl, robots_id, line| {
            record.clear();
            put_text(&mut record, &capture_key(crawl, robots_id));
            line.write(&mut record);
            count += 1;
            job.progress.set_rows(count);
            lines.push(&record)
        })?;
    lines.finish()
}
