use super::line_no_value;
use super::record_rows::RowInput;
use crate::table;
use robots::{Mechanism, Preference, PreferenceVerdict};

table! { per_capture "One row per capture, name, mechanism and category: what the statements mean for a crawler, over all paths that it may fetch. `*` and every whole name in the file have rows of `content-usage` and `content-signal` if any group states something of the mechanism, and of `any`, which reads both together, if any group states something of either. `rsl-license` and `tdmrep` concern all crawlers." {
    robots_id: Long delta, "The capture.";
    agent: Text, "A whole name, lower-cased, as in `verdicts`; `*` for all other crawlers.";
    mechanism: Text, "`any` (`content-usage` and `content-signal` together), `content-usage`, `content-signal`, `rsl-license` (a row per line), or `tdmrep`: the header of this response, which need not be that of pages.";
    category: Text, "The category of use: of `any` `training` (`train-ai` or `ai-train`) and `search`, decided path by path: disallowed if either word disallows it, else allowed if either allows it; of `content-usage` by the vocabulary at the time of the fetch, for example `train-ai`, `ai-use`, `search`; of `content-signal` `search`, `ai-input`, `ai-train`; `license`; `tdm`.";
    preference: Text null, "The preference over all paths that the crawler may fetch: `allow_all`, `disallow_all`, `unknown_all` (neither allowed nor disallowed), `mixed`, `not_crawlable` (no path may be fetched, so nothing is stated), `too_complex` (the work budget was exceeded). Null for `rsl-license`.";
    has_allowed: Bool, "True if it is allowed for some path that may be fetched.";
    has_disallowed: Bool, "True if it is disallowed for some path that may be fetched.";
    has_unknown: Bool, "True if it is unknown for some path that may be fetched.";
    evidence_line: Int null, "The line of a statement that has the most restrictive of these preferences; for `not_crawlable`, the rule that disallows all paths.";
    address: Text null, "The address of the licence, for `rsl-license`.";
}}

impl Builder {
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        let analysis = capture.analysis;
        let is_utf8 = analysis.is_valid_utf8();
        // The rows of a name are consecutive. The name is interned once, and its bytes count for each row.
        let mut last: Option<(&[u8], u32, u64)> = None;
        for row in &analysis.agent_preferences {
            let known = last.filter(|(name, ..)| std::ptr::eq(*name, row.agent));
            let (agent, bytes) = match known {
                Some((_, agent, bytes)) => {
                    self.texts.add_requested_bytes(bytes);
                    (agent, bytes)
                }
                None => {
                    let before = self.texts.requested_bytes();
                    let agent = self.texts.intern_body_text(row.agent, is_utf8);
                    (agent, self.texts.requested_bytes() - before)
                }
            };
            last = Some((row.agent, agent, bytes));
            self.robots_id.append_value(analysis.robots_id);
            self.agent.append_value(agent);
            self.mechanism
                .append_value(self.texts.intern_static(row.mechanism.name()));
            self.category
                .append_value(self.texts.intern_static(row.category));
            self.preference
                .append_option(Some(self.texts.intern_static(row.verdict.name())));
            self.has_allowed.append_value(row.has_allowed);
            self.has_disallowed.append_value(row.has_disallowed);
            self.has_unknown.append_value(row.has_unknown);
            self.evidence_line
                .append_option(line_no_value(row.evidence_line));
            self.address.append_option(None);
            self.end_rows(1);
        }
        if analysis.robots.is_none() {
            return;
        }
        for statement in &analysis.preferences {
            let preference = &statement.preference;
            if preference.mechanism == Mechanism::RslLicense && statement.line.counts {
                let address = preference.value.unwrap_or_default();
                let address = self.texts.intern_body_text(address, is_utf8);
                self.push_for_all(analysis.robots_id, "rsl-license", "license");
                self.preference.append_option(None);
                self.push_flags(None);
                self.evidence_line
                    .append_option(line_no_value(Some(statement.line.line_no)));
                self.address.append_option(Some(address));
                self.end_rows(1);
            }
        }
        // TDMRep, "HTTP headers": 1 reserves the rights, 0 does not.
        if let Some(reservation) = &analysis.capture.headers.tdm_reservation {
            let (preference, verdict) = match reservation.trim() {
                "1" => (Preference::Disallowed, PreferenceVerdict::DisallowAll),
                "0" => (Preference::Allowed, PreferenceVerdict::AllowAll),
                _ => (Preference::Unknown, PreferenceVerdict::UnknownAll),
            };
            self.push_for_all(analysis.robots_id, "tdmrep", "tdm");
            self.preference
                .append_option(Some(self.texts.intern_static(verdict.name())));
            self.push_flags(Some(preference));
            self.evidence_line.append_option(None);
            self.address.append_option(None);
            self.end_rows(1);
        }
    }

    /// Adds the first values of a row that concerns all crawlers.
    fn push_for_all(&mut self, robots_id: i64, mechanism: &'static str, category: &'static str) {
        self.robots_id.append_value(robots_id);
        self.agent.append_value(self.texts.intern_static("*"));
        self.mechanism
            .append_value(self.texts.intern_static(mechanism));
        self.category
            .append_value(self.texts.intern_static(category));
    }

    fn push_flags(&mut self, preference: Option<Preference>) {
        let has = |other| preference == Some(other);
        self.has_allowed.append_value(has(Preference::Allowed));
        self.has_disallowed
            .append_value(has(Preference::Disallowed));
        self.has_unknown.append_value(has(Preference::Unknown));
    }
}
