//! What is said of one capture: all decisions, before any row is written.

pub(crate) mod body_cache;

use crate::analysis::body_cache::{Decided, Memo, Written};
use crate::capture::Capture;
use crate::capture::anomaly::Note;
use crate::capture::url::{self, HostColumns};
use robots::{
    AgentVerdict, AnomalyKind, Basis, ContentClass, Directive, DirectiveKind, Evaluator,
    LeniencyImpact, Mechanism, ParseOptions, Parser, RobotsTxt, Severity, Span, StatusEffect,
    Verdict,
};
use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Statements before one that it is compared with: files hold a handful, and a
/// hostile one must not cost the square of its lines.
const STATEMENTS_COMPARED_MAX: usize = 64;

/// A capture with all that was decided of it.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The key of all its rows.
    pub robots_id: i64,
    /// Where the record lies.
    pub location: warc::RecordLocation,
    /// The capture.
    pub capture: &'a Capture<'a>,
    /// The body, where it is read as a robots.txt.
    pub robots: Option<RobotsTxt<'a>>,
    /// `*` and every name in the file.
    pub verdicts: Vec<AgentVerdict<'a>>,
    /// The sitemap lines.
    pub sitemaps: Vec<Sitemap<'a>>,
    /// The statements on AI use.
    pub preferences: Vec<Stated<'a>>,
    /// Anomalies that the parser did not report, sorted by line.
    others: Vec<Oddity<'a>>,
    /// The lines with liberties, and whether each changes a verdict.
    changes: Cow<'a, [LeniencyImpact]>,
    /// The fingerprint of its rules.
    pub ruleset_id: Option<i64>,
    /// Where rows of the same body were written last, if it is remembered.
    pub(crate) written: Option<&'a Cell<Written>>,
}

/// A sitemap line, resolved.
#[derive(Debug)]
pub struct Sitemap<'a> {
    /// The line.
    pub line: &'a Directive,
    /// The absolute URL, resolved against that of the robots.txt.
    pub url: Option<String>,
    /// The host of that URL.
    pub host: Option<Arc<HostColumns>>,
    /// Whether it was written as an absolute URL (RFC 9309 §2.2.4, sitemaps.org).
    pub is_absolute: bool,
    /// Whether it lies on the host of the robots.txt.
    pub same_host: Option<bool>,
    /// Whether it lies on the registered domain of the robots.txt.
    pub same_registered_domain: Option<bool>,
}

/// A preference at its line.
#[derive(Debug)]
pub struct Stated<'a> {
    /// The line.
    pub line: &'a Directive,
    /// What it says.
    pub preference: robots::AiPreference<'a>,
}

/// An anomaly of the body or of what is around it.
#[derive(Clone, Copy, Debug)]
pub struct Oddity<'a> {
    /// The line, 0 for none.
    pub line_no: u32,
    /// Its permanent code.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Whether the strict reading of this line changes a verdict: false where
    /// no liberty was taken, `None` past the work limit.
    pub changes_verdict: Option<bool>,
    /// The bytes it was met in.
    pub detail: &'a [u8],
}

/// Decides, one capture after the other, in the same memory.
#[derive(Debug, Default)]
pub struct Examiner {
    parser: Parser,
    evaluator: Evaluator,
    memo: Memo,
}

/// The key of a capture: XXH3-64 of the archive's name, a NUL, the offset as
/// eight and the place in the member as four bytes, both little-endian.
pub fn robots_id(warc_filename: &str, location: warc::RecordLocation) -> i64 {
    let mut key = Vec::with_capacity(warc_filename.len() + 13);
    key.extend_from_slice(warc_filename.as_bytes());
    key.push(0);
    key.extend_from_slice(&location.offset.to_le_bytes());
    key.extend_from_slice(&location.index_in_member.to_le_bytes());
    xxh3_64(&key).cast_signed()
}

impl Examiner {
    /// Frees the memory that a large body needed.
    pub(crate) fn release(&mut self) {
        self.parser = Parser::default();
        self.evaluator = Evaluator::default();
    }

    /// Decides everything of `capture`, which lies at `place` of an archive.
    pub fn examine<'a>(
        &'a mut self,
        warc_filename: &str,
        location: warc::RecordLocation,
        capture: &'a Capture<'a>,
    ) -> Facts<'a> {
        let decided = match &capture.body {
            Some(body) if capture.is_parsed() => Some(self.decide(body, capture.reading)),
            _ => None,
        };
        let mut facts = Facts {
            robots_id: robots_id(warc_filename, location),
            location,
            capture,
            robots: None,
            verdicts: Vec::new(),
            sitemaps: Vec::new(),
            preferences: Vec::new(),
            others: Vec::new(),
            changes: Cow::Borrowed(&[]),
            ruleset_id: None,
            written: None,
        };
        match decided {
            Some(decided) => {
                facts.robots = Some(decided.robots);
                facts.verdicts = decided.verdicts;
                facts.ruleset_id = Some(decided.ruleset_id);
                facts.written = decided.written;
                facts.changes = decided.changes;
                facts.read_lines(&decided.robots);
                facts.read_oddities(&decided.robots);
            }
            None => facts.verdicts.push(verdict_of_status(capture)),
        }
        facts.others.sort_by_key(|oddity| oddity.line_no);
        facts
    }

    /// What a body says: remembered, if it is of usual size and was seen of late.
    fn decide<'a>(&'a mut self, body: &'a [u8], reading: ParseOptions) -> Decided<'a> {
        let Self {
            parser,
            evaluator,
            memo,
        } = self;
        if let Some(decided) = memo.decide(body, reading, parser, evaluator) {
            return decided;
        }
        let robots = parser.parse_with(body, reading);
        let mut evaluation = evaluator.evaluate(&robots);
        let verdicts = evaluation.verdicts();
        Decided {
            robots,
            changes: Cow::Owned(evaluation.leniency_impacts(&verdicts)),
            ruleset_id: evaluation.fingerprint(xxh3_64).cast_signed(),
            verdicts,
            written: None,
        }
    }
}

/// The verdicts that the status alone gives, by each dialect's table.
fn verdict_of_status(capture: &Capture<'_>) -> AgentVerdict<'static> {
    let of = |effect: StatusEffect| match effect {
        _ if capture.is_revisit => Verdict::Unknown,
        StatusEffect::AllowAll => Verdict::AllowAll,
        StatusEffect::DisallowAll => Verdict::DisallowAll,
        StatusEffect::Parse | StatusEffect::Follow | StatusEffect::Defer => Verdict::Unknown,
    };
    let verdict = of(capture.status.effect_google());
    AgentVerdict {
        agent: b"*",
        verdict,
        verdict_google: verdict,
        verdict_rfc9309: of(capture.status.effect_rfc9309()),
        verdict_koster1996: of(capture.status.effect_koster1996()),
        basis: Basis::HttpStatus,
        is_root_allowed: verdict == Verdict::AllowAll,
        n_allow: 0,
        n_disallow: 0,
        crawl_delay: None,
        evidence_line: 0,
    }
}

impl<'a> Facts<'a> {
    /// Sitemaps and preferences, which need more than their own line.
    fn read_lines(&mut self, robots: &RobotsTxt<'a>) {
        let mut name = Vec::new();
        for line in robots.directives() {
            match line.kind {
                DirectiveKind::Sitemap => {
                    let sitemap = Sitemap::resolve(robots.text(line.value), line, self.capture);
                    self.sitemaps.push(sitemap);
                }
                DirectiveKind::Other => {
                    robots.directive_name(line, &mut name);
                    let mechanism = std::str::from_utf8(&name)
                        .ok()
                        .and_then(Mechanism::of_directive);
                    if let Some(mechanism) = mechanism {
                        let stated = &mut self.preferences;
                        robots::preferences(mechanism, robots.text(line.value), |preference| {
                            stated.push(Stated { line, preference });
                        });
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the number of anomalies of the capture.
    pub fn anomaly_count(&self) -> usize {
        let findings = self
            .robots
            .as_ref()
            .map_or(0, |robots| robots.anomalies().len());
        self.capture.notes.len() + findings + self.others.len()
    }

    /// Returns all anomalies of the capture, sorted by line, those of the whole
    /// file first. They are made one after the other: a hostile body has
    /// millions.
    pub fn anomalies(&self) -> impl Iterator<Item = Oddity<'a>> {
        let notes = self.capture.notes.iter().copied().map(Oddity::of_note);
        let findings = self.robots.as_ref().map_or(&[][..], RobotsTxt::anomalies);
        let mut findings = findings.iter().peekable();
        let mut others = self.others.iter().peekable();
        notes.chain(std::iter::from_fn(move || {
            let is_finding_next = match (findings.peek(), others.peek()) {
                (Some(finding), Some(other)) => finding.line_no <= other.line_no,
                (finding, _) => finding.is_some(),
            };
            if !is_finding_next {
                return others.next().copied();
            }
            findings.next().map(|finding| Oddity {
                line_no: finding.line_no,
                code: finding.kind.code(),
                severity: finding.kind.severity(),
                changes_verdict: robots::changes_verdict(&self.changes, finding),
                detail: self.text(finding.detail),
            })
        }))
    }

    fn read_oddities(&mut self, robots: &RobotsTxt<'a>) {
        if self.verdicts.iter().any(AgentVerdict::is_undecided) {
            self.others.push(Oddity::of_file(AnomalyKind::TooComplex));
        }
        if robots.summary().content == ContentClass::Html && self.capture.is_challenge_if_html {
            self.others.push(Oddity::of_note(Note::ChallengePage));
        }
        for sitemap in &self.sitemaps {
            let detail = robots.text(sitemap.line.value);
            if !sitemap.is_absolute {
                self.others.push(Oddity::at(
                    sitemap.line,
                    AnomalyKind::RelativeSitemap,
                    detail,
                ));
            }
            if sitemap.same_registered_domain == Some(false) {
                self.others.push(Oddity::at(
                    sitemap.line,
                    AnomalyKind::SitemapOtherDomain,
                    detail,
                ));
            }
        }
        for (at, stated) in self.preferences.iter().enumerate() {
            let it = &stated.preference;
            if !it.is_valid {
                self.others.push(Oddity::at(
                    stated.line,
                    AnomalyKind::BadSignalValue,
                    robots.text(stated.line.value),
                ));
            }
            let before = self.preferences[..at].iter().rev();
            let contradicts = before.take(STATEMENTS_COMPARED_MAX).any(|other| {
                other.line.group_no == stated.line.group_no
                    && other.preference.mechanism == it.mechanism
                    && other.preference.path == it.path
                    && other.preference.key.eq_ignore_ascii_case(it.key)
                    && matches!((other.preference.allow, it.allow), (Some(a), Some(b)) if a != b)
            });
            if contradicts {
                self.others.push(Oddity::at(
                    stated.line,
                    AnomalyKind::SignalContradiction,
                    it.key,
                ));
            }
        }
    }

    /// The text of a span of the body.
    pub fn text(&self, span: Span) -> &'a [u8] {
        self.robots.as_ref().map_or(b"", |robots| robots.text(span))
    }

    /// Whether the body is UTF-8.
    pub fn is_valid_utf8(&self) -> bool {
        self.robots
            .as_ref()
            .is_none_or(|robots| robots.summary().is_valid_utf8)
    }

    /// The key of the host, empty where there is none.
    pub fn surt_host_name(&self) -> Option<&'a str> {
        let capture: &'a Capture<'a> = self.capture;
        capture
            .url
            .as_ref()?
            .host
            .as_ref()
            .map(|host| host.surt_host_name.as_str())
    }
}

impl Oddity<'_> {
    fn of_note(note: Note) -> Self {
        Self {
            line_no: 0,
            code: note.code(),
            severity: note.severity(),
            changes_verdict: Some(false),
            detail: b"",
        }
    }
}

impl<'a> Oddity<'a> {
    fn of_file(anomaly: AnomalyKind) -> Self {
        Self {
            line_no: 0,
            code: anomaly.code(),
            severity: anomaly.severity(),
            changes_verdict: Some(false),
            detail: b"",
        }
    }

    fn at(line: &Directive, anomaly: AnomalyKind, detail: &'a [u8]) -> Self {
        Self {
            line_no: line.line_no,
            code: anomaly.code(),
            severity: anomaly.severity(),
            changes_verdict: Some(false),
            detail,
        }
    }
}

impl<'a> Sitemap<'a> {
    fn resolve(value: &[u8], line: &'a Directive, capture: &Capture<'_>) -> Self {
        let own = capture.url.as_ref().and_then(|url| url.host.as_ref());
        let of = |url: &::url::Url| {
            let host = url.host_str().filter(|host| !host.is_empty())?;
            // Most sitemaps lie where their robots.txt does.
            let own = own.filter(|own| own.name == host).map(Arc::clone);
            Some(own.unwrap_or_else(|| Arc::new(url::host_columns(host))))
        };
        let absolute = url::parse_url(value)
            .filter(|url| matches!(url.scheme(), "http" | "https" | "ftp") && url.has_host());
        let is_absolute = absolute.is_some();
        let url = absolute.or_else(|| {
            let base = url::parse_url(capture.url.as_ref()?.url.as_bytes())?;
            (!value.is_empty()).then(|| url::join_url(&base, value))?
        });
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https" | "ftp"));
        let host = url.as_ref().and_then(of);
        let same = |pick: fn(&HostColumns) -> Option<&str>| {
            let (a, b) = (pick(host.as_deref()?)?, pick(own?)?);
            Some(a == b)
        };
        Self {
            line,
            is_absolute,
            same_host: same(|host| Some(&host.name)),
            same_registered_domain: same(|host| {
                Some(host.registered_domain.as_deref().unwrap_or(&host.name))
            }),
            host,
            url: url.map(|mut url| {
                url.set_fragment(None);
                url.into()
            }),
        }
    }
}
