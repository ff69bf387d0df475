//! The analysis of one capture.

use super::body_cache::BodyAnalysis;
use super::sitemap::SitemapLine;
use crate::Capture;
use crate::anomaly::CaptureAnomalyKind;
use robots::{
    AgentPreference, AgentVerdict, AiPreference, AnomalyKind, ContentClass, Directive,
    DirectiveKind, Evaluator, LeniencyImpact, Mechanism, PreferenceVerdict, RobotsTxt, Severity,
    Span, Vocabulary,
};
use std::borrow::Cow;

/// The maximum number of earlier preferences that a preference is compared with. Most files have a few.
/// The limit keeps the cost of hostile files linear.
const MAX_PREFERENCES_COMPARED: usize = 64;

/// A capture with everything that was derived from it.
#[derive(Debug)]
pub struct CaptureAnalysis<'a> {
    /// The key of the capture in all tables.
    pub robots_id: i64,
    /// The place of the record in its archive.
    pub location: warc::RecordLocation,
    /// The capture that was analyzed.
    pub capture: &'a Capture<'a>,
    /// The parsed body, if the capture is to be parsed as a robots.txt file.
    pub robots: Option<RobotsTxt<'a>>,
    /// The verdicts of `*` and of every name in the file.
    pub verdicts: Vec<AgentVerdict<'a>>,
    /// The sitemap lines, in the order of the file.
    pub sitemaps: Vec<SitemapLine<'a>>,
    /// The items of statements on AI use, in the order of the file.
    pub preferences: Vec<PreferenceLine<'a>>,
    /// The preferences for `*` and for every name in the file, by the vocabulary that was current at
    /// the time of the fetch.
    pub agent_preferences: Vec<AgentPreference<'a>>,
    /// The lines with statements on AI use that concern only the crawlers of their group, with their
    /// mechanism.
    statements: Vec<(&'a Directive, Mechanism)>,
    /// Anomalies of the body that the parser does not report, sorted by line.
    derived_anomalies: Vec<AnomalyRow<'a>>,
    /// The lines that were read leniently, and their effects on verdicts.
    leniency_impacts: Cow<'a, [LeniencyImpact]>,
    /// The fingerprint of the rules; `None` without a parsed body.
    pub ruleset_id: Option<i64>,
}

/// A preference on AI use and its line.
#[derive(Debug)]
pub struct PreferenceLine<'a> {
    /// The line of the statement.
    pub line: &'a Directive,
    /// One item of the statement.
    pub preference: AiPreference<'a>,
}

/// An anomaly of a capture or of its body, in the form of the table `anomalies`.
#[derive(Clone, Copy, Debug)]
pub struct AnomalyRow<'a> {
    /// The line, from 1, or `None` for an anomaly of the whole file, its response or its record.
    pub line_no: Option<u32>,
    /// The code, which never changes.
    pub code: &'static str,
    /// The severity of the code.
    pub severity: Severity,
    /// True if reading this line strictly changes a verdict; false if the line was not read
    /// leniently; `None` if the work limit was exceeded.
    pub changes_verdict: Option<bool>,
    /// The bytes that have the anomaly.
    pub detail: &'a [u8],
}

impl<'a> CaptureAnalysis<'a> {
    /// Returns the analysis of a capture without a parsed body.
    pub(crate) fn without_body(
        robots_id: i64,
        location: warc::RecordLocation,
        capture: &'a Capture<'a>,
    ) -> Self {
        Self {
            robots_id,
            location,
            capture,
            robots: None,
            verdicts: Vec::new(),
            sitemaps: Vec::new(),
            preferences: Vec::new(),
            agent_preferences: Vec::new(),
            statements: Vec::new(),
            derived_anomalies: Vec::new(),
            leniency_impacts: Cow::Borrowed(&[]),
            ruleset_id: None,
        }
    }

    /// Adds the analysis of the body, and derives all that depends on both the body and the capture.
    /// Preferences are not computed without an evaluator.
    pub(crate) fn add_body(&mut self, body: BodyAnalysis<'a>, evaluator: Option<&mut Evaluator>) {
        self.robots = Some(body.robots);
        self.verdicts = body.verdicts;
        self.ruleset_id = Some(body.ruleset_id);
        self.leniency_impacts = body.leniency_impacts;
        self.add_sitemaps_and_preferences(&body.robots);
        if let Some(evaluator) = evaluator
            && !self.statements.is_empty()
        {
            let vocabularies = [
                Vocabulary::content_usage(self.capture.fetch.time),
                Vocabulary::content_signal(),
            ];
            let mut evaluation = evaluator.evaluate(&body.robots);
            self.agent_preferences = evaluation.preferences(&vocabularies);
        }
        self.add_file_anomalies(&body.robots);
        if !body.robots.summary().content.is_page_or_binary() {
            self.add_sitemap_anomalies(&body.robots);
            self.add_preference_anomalies(&body.robots);
        }
        self.derived_anomalies
            .sort_by_key(|anomaly| anomaly.line_no);
    }

    /// Adds the sitemap lines and the preferences of a file.
    fn add_sitemaps_and_preferences(&mut self, robots: &RobotsTxt<'a>) {
        let mut name = Vec::new();
        for line in robots.directives() {
            match line.kind {
                DirectiveKind::Sitemap => {
                    let value = robots.text(line.value);
                    let sitemap = SitemapLine::resolve(value, line, self.capture);
                    self.sitemaps.push(sitemap);
                }
                DirectiveKind::Other => {
                    robots.write_directive_name(line, &mut name);
                    let mechanism = std::str::from_utf8(&name)
                        .ok()
                        .and_then(Mechanism::from_directive);
                    if let Some(mechanism) = mechanism {
                        if mechanism.is_read_by_group() {
                            self.statements.push((line, mechanism));
                        }
                        let preferences = &mut self.preferences;
                        robots::parse_preferences(
                            mechanism,
                            robots.text(line.value),
                            |preference| {
                                preferences.push(PreferenceLine { line, preference });
                            },
                        );
                    }
                }
                _ => {}
            }
        }
    }

    fn add_file_anomalies(&mut self, robots: &RobotsTxt<'a>) {
        if self.verdicts.iter().any(AgentVerdict::is_undecided)
            || (self.agent_preferences.iter())
                .any(|row| row.verdict == PreferenceVerdict::TooComplex)
        {
            self.derived_anomalies
                .push(AnomalyRow::new_for_file(AnomalyKind::TooComplex));
        }
        if robots.summary().content == ContentClass::Html && self.capture.is_challenge_if_html {
            self.derived_anomalies.push(AnomalyRow::new_for_capture(
                CaptureAnomalyKind::ChallengePage,
            ));
        }
    }

    fn add_sitemap_anomalies(&mut self, robots: &RobotsTxt<'a>) {
        for sitemap in &self.sitemaps {
            let detail = robots.text(sitemap.line.value);
            let anomaly = |kind| AnomalyRow::new_for_line(sitemap.line, kind, detail);
            if !sitemap.is_absolute {
                self.derived_anomalies
                    .push(anomaly(AnomalyKind::RelativeSitemap));
            }
            if sitemap.same_registered_domain == Some(false) {
                self.derived_anomalies
                    .push(anomaly(AnomalyKind::SitemapOtherDomain));
            }
        }
    }

    fn add_preference_anomalies(&mut self, robots: &RobotsTxt<'a>) {
        for (line, mechanism) in &self.statements {
            let value = robots.text(line.value);
            let anomalies = &mut self.derived_anomalies;
            let mut add = |kind| anomalies.push(AnomalyRow::new_for_line(line, kind, value));
            if line.group_no().is_none() {
                add(AnomalyKind::SignalOutsideGroup);
            }
            if !robots::is_readable_statement(*mechanism, value) {
                add(AnomalyKind::BadDictionary);
            }
        }
        for (i, PreferenceLine { line, preference }) in self.preferences.iter().enumerate() {
            if preference.preference.is_none() {
                self.derived_anomalies.push(AnomalyRow::new_for_line(
                    line,
                    AnomalyKind::DuplicateSignalKey,
                    preference.key,
                ));
            }
            if !preference.is_valid {
                self.derived_anomalies.push(AnomalyRow::new_for_line(
                    line,
                    AnomalyKind::BadSignalValue,
                    robots.text(line.value),
                ));
            }
            let earlier = self.preferences[..i].iter().rev();
            let is_contradiction = earlier.take(MAX_PREFERENCES_COMPARED).any(|other| {
                other.line.group_no() == line.group_no()
                    && other.preference.mechanism == preference.mechanism
                    && other.preference.path == preference.path
                    && other.preference.key.eq_ignore_ascii_case(preference.key)
                    && matches!(
                        (other.preference.allow, preference.allow),
                        (Some(a), Some(b)) if a != b
                    )
            });
            if is_contradiction {
                self.derived_anomalies.push(AnomalyRow::new_for_line(
                    line,
                    AnomalyKind::SignalContradiction,
                    preference.key,
                ));
            }
        }
    }

    /// Returns the number of anomalies of the capture.
    pub fn anomaly_count(&self) -> usize {
        let parser_count = self
            .robots
            .as_ref()
            .map_or(0, |robots| robots.reported_anomalies().len());
        self.capture.anomalies.len() + parser_count + self.derived_anomalies.len()
    }

    /// Returns the anomalies of the capture, sorted by line. Anomalies of the whole file come
    /// first. They are created lazily, because a hostile body can have millions.
    pub fn anomalies(&self) -> impl Iterator<Item = AnomalyRow<'a>> {
        let capture_anomalies = self.capture.anomalies.iter().copied();
        let parser_anomalies = self
            .robots
            .as_ref()
            .map_or(&[][..], RobotsTxt::reported_anomalies);
        let mut parser_anomalies = parser_anomalies.iter().peekable();
        let mut derived = self.derived_anomalies.iter().peekable();
        let body_anomalies = std::iter::from_fn(move || {
            let is_parser_next = match (parser_anomalies.peek(), derived.peek()) {
                (Some(anomaly), Some(other)) => anomaly.line_no <= other.line_no,
                (anomaly, _) => anomaly.is_some(),
            };
            if !is_parser_next {
                return derived.next().copied();
            }
            parser_anomalies.next().map(|anomaly| AnomalyRow {
                line_no: anomaly.line_no,
                code: anomaly.kind.code(),
                severity: anomaly.kind.severity(),
                changes_verdict: robots::anomaly_changes_verdict(&self.leniency_impacts, anomaly),
                detail: self.text(anomaly.detail),
            })
        });
        capture_anomalies
            .map(AnomalyRow::new_for_capture)
            .chain(body_anomalies)
    }

    /// Returns the bytes of the body in `span`; empty without a parsed body.
    pub fn text(&self, span: Span) -> &'a [u8] {
        self.robots.as_ref().map_or(b"", |robots| robots.text(span))
    }

    /// Returns true if the body is UTF-8 or was not parsed.
    pub fn is_valid_utf8(&self) -> bool {
        self.robots
            .as_ref()
            .is_none_or(|robots| robots.summary().is_valid_utf8)
    }
}

impl AnomalyRow<'_> {
    /// Returns an anomaly of the record, the URL or the response.
    pub fn new_for_capture(kind: CaptureAnomalyKind) -> Self {
        Self {
            line_no: None,
            code: kind.code(),
            severity: kind.severity(),
            changes_verdict: Some(false),
            detail: b"",
        }
    }
}

impl<'a> AnomalyRow<'a> {
    /// Returns an anomaly of the body as a whole.
    pub fn new_for_file(kind: AnomalyKind) -> Self {
        Self {
            line_no: None,
            code: kind.code(),
            severity: kind.severity(),
            changes_verdict: Some(false),
            detail: b"",
        }
    }

    pub(crate) fn new_for_line(line: &Directive, kind: AnomalyKind, detail: &'a [u8]) -> Self {
        Self {
            line_no: Some(line.line_no),
            code: kind.code(),
            severity: kind.severity(),
            changes_verdict: Some(false),
            detail,
        }
    }
}
