//! The analyzer of captures.

use super::body_cache::{BodyAnalysis, BodyCache};
use super::capture_analysis::CaptureAnalysis;
use crate::Capture;
use crate::cut::{self, Cut};
use robots::{
    AgentVerdict, Basis, Evaluator, ParseOptions, Parser, RobotsTxt, StatusEffect, Verdict,
};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_64;

/// Analyzes captures one after the other, and reuses memory and the results for repeated bodies.
#[derive(Debug, Default)]
pub struct Analyzer {
    parser: Parser,
    evaluator: BodyEvaluator,
    cache: BodyCache,
}

/// Evaluates parsed bodies.
#[derive(Debug, Default)]
struct BodyEvaluator {
    evaluator: Evaluator,
    /// True if verdicts and the effects of anomalies are not computed.
    skips_verdicts: bool,
}

impl Analyzer {
    /// Returns an analyzer that does not compute verdicts and the effects of anomalies on them
    /// ([`AnomalyRow::changes_verdict`](super::AnomalyRow)). It reports the same anomalies.
    pub fn without_verdicts() -> Self {
        let mut analyzer = Self::default();
        analyzer.evaluator.skips_verdicts = true;
        analyzer
    }

    /// Analyzes `capture`, whose key is `robots_id` and whose record is at `location` of its
    /// archive.
    pub fn analyze<'a>(
        &'a mut self,
        robots_id: i64,
        location: warc::RecordLocation,
        capture: &'a Capture<'a>,
    ) -> CaptureAnalysis<'a> {
        let mut analysis = CaptureAnalysis::without_body(robots_id, location, capture);
        match &capture.body {
            Some(body) if capture.should_parse() => {
                let Self {
                    parser,
                    evaluator,
                    cache,
                } = self;
                let body = analyze_body(parser, evaluator, cache, body, capture.parse_options);
                if cut::is_unknown(&body.robots, capture.parse_options) {
                    analysis.verdicts.push(status_verdict(capture));
                } else {
                    let computes_preferences = !evaluator.skips_verdicts;
                    let evaluator = computes_preferences.then_some(&mut evaluator.evaluator);
                    analysis.add_body(body, evaluator);
                }
            }
            _ => analysis.verdicts.push(status_verdict(capture)),
        }
        analysis
    }

    /// Frees the memory that a large body needed. The cache is kept.
    pub fn release_memory(&mut self) {
        self.parser = Parser::default();
        self.evaluator.evaluator = Evaluator::default();
    }
}

/// Analyzes a body, or returns the cached analysis of an equal one.
fn analyze_body<'a>(
    parser: &'a mut Parser,
    evaluator: &mut BodyEvaluator,
    cache: &'a mut BodyCache,
    body: &'a [u8],
    options: ParseOptions,
) -> BodyAnalysis<'a> {
    if !BodyCache::is_cacheable(body) {
        let robots = parser.parse_with(body, options);
        return evaluator.evaluate(robots);
    }
    let hash = BodyCache::hash(body);
    if let Some(index) = cache.find(hash, body, options) {
        return cache.get(index);
    }
    let has_occurred = cache.remember_occurrence(hash);
    let analysis = evaluator.evaluate(parser.parse_with(body, options));
    if !has_occurred {
        return analysis;
    }
    let index = cache.insert(hash, options, analysis);
    cache.get(index)
}

/// The number of bits of a hash that an id does not use. Ids have 53 bits, because programs that store
/// numbers as floating point represent larger ones inexactly.
const UNUSED_ID_BITS: u32 = u64::BITS - f64::MANTISSA_DIGITS;

impl BodyEvaluator {
    /// Computes everything that depends on a parsed body alone.
    fn evaluate<'a>(&mut self, robots: RobotsTxt<'a>) -> BodyAnalysis<'a> {
        let mut evaluation = self.evaluator.evaluate(&robots);
        let ruleset_id = (evaluation.fingerprint(xxh3_64) >> UNUSED_ID_BITS).cast_signed();
        let (mut verdicts, mut leniency_impacts) = (Vec::new(), Vec::new());
        // Files that may exceed the work budget are evaluated anyway, because exceeding it is an anomaly.
        if !self.skips_verdicts || !evaluation.fits_work_budget() {
            verdicts = evaluation.verdicts();
        }
        if !self.skips_verdicts {
            leniency_impacts = evaluation.leniency_impacts(&verdicts);
        }
        BodyAnalysis {
            robots,
            verdicts,
            leniency_impacts: Cow::Owned(leniency_impacts),
            ruleset_id,
        }
    }
}

/// Returns the verdict of a capture whose body is not parsed, according to its status.
fn status_verdict(capture: &Capture<'_>) -> AgentVerdict<'static> {
    let effect_verdict = |effect: StatusEffect| match effect {
        _ if capture.record.is_revisit
            || matches!(capture.cut, Some(Cut::NoResponse | Cut::StatusLine)) =>
        {
            Verdict::Unknown
        }
        StatusEffect::AllowAll => Verdict::AllowAll,
        StatusEffect::DisallowAll => Verdict::DisallowAll,
        StatusEffect::Parse | StatusEffect::Follow | StatusEffect::Defer => Verdict::Unknown,
    };
    let status = &capture.fetch.http_status;
    let verdict = effect_verdict(status.effect_google());
    AgentVerdict {
        agent: b"*",
        verdict,
        verdict_google: verdict,
        verdict_rfc9309: effect_verdict(status.effect_rfc9309()),
        verdict_koster1996: effect_verdict(status.effect_koster1996()),
        basis: Basis::HttpStatus,
        is_root_allowed: verdict == Verdict::AllowAll,
        n_allow: 0,
        n_disallow: 0,
        crawl_delay_ms: None,
        evidence_line: None,
    }
}
