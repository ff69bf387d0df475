use super::record_rows::RowInput;
use super::value::{BodyText, Constant, TextId};
use crate::table;
use capture::analysis::{CaptureAnalysis, PreferenceLine};
use robots::{Mechanism, PreferenceVerdict};

table! { per_capture "One row per capture, name, mechanism and category: what the statements mean for a crawler, over all paths that it may fetch. `*` and every whole name in the file have rows of `content-usage` and `content-signal` if any group states something of the mechanism, and of `any`, which reads both together, if any group states something of either. `rsl-license` and `tdmrep` concern all crawlers."
row(robots_id: i64, agent: TextId, stated: Stated<'_>) {
    let [has_allowed, has_disallowed, has_unknown] = stated.has;
} {
    robots_id: Long delta, "The capture." = robots_id;
    agent: Text, "A whole name, lower-cased, as in `verdicts`; `*` for all other crawlers." = agent;
    mechanism: Text, "`any` (`content-usage` and `content-signal` together), `content-usage`, `content-signal`, `rsl-license` (a row per line), or `tdmrep`: the header of this response, which need not be that of pages." = Constant(stated.mechanism);
    category: Text, "The category of use: of `any` `training` (`train-ai` or `ai-train`) and `search`, decided path by path: disallowed if either word disallows it, else allowed if either allows it; of `content-usage` by the vocabulary at the time of the fetch, for example `train-ai`, `ai-use`, `search`; of `content-signal` `search`, `ai-input`, `ai-train`; `license`; `tdm`." = Constant(stated.category);
    preference: Text null, "The preference over all paths that the crawler may fetch: `allow_all`, `disallow_all`, `unknown_all` (neither allowed nor disallowed), `mixed`, `not_crawlable` (no path may be fetched, so nothing is stated), `too_complex` (the work budget was exceeded). Null for `rsl-license`." = stated.verdict.map(|verdict| Constant(verdict.name()));
    has_allowed: Bool, "True if it is allowed for some path that may be fetched." = has_allowed;
    has_disallowed: Bool, "True if it is disallowed for some path that may be fetched." = has_disallowed;
    has_unknown: Bool, "True if it is unknown for some path that may be fetched." = has_unknown;
    evidence_line: Int null, "The line of a statement that has the most restrictive of these preferences; for `not_crawlable`, the rule that disallows all paths." = stated.evidence_line;
    address: Text null, "The address of the licence, for `rsl-license`." = stated.address;
}}

/// The statement of a row: a verdict for one category, or the address of a licence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stated<'a> {
    mechanism: &'static str,
    category: &'static str,
    verdict: Option<PreferenceVerdict>,
    /// True if the preference is allowed, disallowed and unknown for some path.
    has: [bool; 3],
    evidence_line: Option<u32>,
    address: Option<BodyText<'a>>,
}

impl Builder {
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        let analysis = capture.analysis;
        let is_utf8 = analysis.is_valid_utf8();
        // The rows of a name are consecutive. The name is interned once, and its bytes count for each row.
        let mut last: Option<(&[u8], TextId, u64)> = None;
        for row in &analysis.agent_preferences {
            let known = last.filter(|(name, ..)| std::ptr::eq(*name, row.agent));
            let (agent, bytes) = match known {
                Some((_, agent, bytes)) => {
                    self.texts.add_requested_bytes(bytes);
                    (agent, bytes)
                }
                None => {
                    let before = self.texts.requested_bytes();
                    let agent = TextId(self.texts.intern_body_text(row.agent, is_utf8));
                    (agent, self.texts.requested_bytes() - before)
                }
            };
            last = Some((row.agent, agent, bytes));
            let stated = Stated {
                mechanism: row.mechanism.name(),
                category: row.category,
                verdict: Some(row.verdict),
                has: [row.has_allowed, row.has_disallowed, row.has_unknown],
                evidence_line: row.evidence_line,
                address: None,
            };
            self.push_row(analysis.robots_id, agent, stated);
        }
        if analysis.robots.is_some() {
            self.push_for_all(analysis);
        }
    }

    /// Adds the rows that concern all crawlers: licences, and the header of TDMRep.
    fn push_for_all(&mut self, analysis: &CaptureAnalysis<'_>) {
        let mut push = |stated| {
            let agent = TextId(self.texts.intern_static("*"));
            self.push_row(analysis.robots_id, agent, stated);
        };
        for PreferenceLine { line, preference } in &analysis.preferences {
            if preference.mechanism == Mechanism::RslLicense && line.counts {
                let address = preference.value.unwrap_or_default();
                push(Stated {
                    mechanism: preference.mechanism.name(),
                    category: "license",
                    verdict: None,
                    has: [false; 3],
                    evidence_line: Some(line.line_no),
                    address: Some(BodyText(address, analysis.is_valid_utf8())),
                });
            }
        }
        // TDMRep, "HTTP headers": 1 reserves the rights, 0 does not.
        if let Some(reservation) = &analysis.capture.headers.tdm_reservation {
            let (verdict, has) = match reservation.trim() {
                "1" => (PreferenceVerdict::DisallowAll, [false, true, false]),
                "0" => (PreferenceVerdict::AllowAll, [true, false, false]),
                _ => (PreferenceVerdict::UnknownAll, [false, false, true]),
            };
            push(Stated {
                mechanism: "tdmrep",
                category: "tdm",
                verdict: Some(verdict),
                has,
                evidence_line: None,
                address: None,
            });
        }
    }
}
