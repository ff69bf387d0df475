use super::column::Expression::Same;
use super::record_rows::RowInput;
use super::saturating_i32;
use crate::table;
use robots::{Directive, DirectiveKind, is_product_token};

table! { per_capture "One row per user-agent line." {
    robots_id: Long delta, "The capture.";
    group_no: Int, "The number of the group in Google's dialect, from 1: user-agent lines with no rule between them share a group.";
    agent_no: Int, "The position of the line among the user-agent lines of its group, from 1.";
    line_no: Int delta, "The line number, from 1.";
    record_no: Int, "The number of the record in Koster's dialect, from 1: a blank line ends a record, and a user-agent line after rules begins one.";
    key_raw: Text null, "In files null where it is `User-agent`. The key as written, without surrounding blanks and tabs." => Same("coalesce(key_raw, 'User-agent')");
    has_colon: Bool, "True if the key is followed by a colon; otherwise a blank was read as one.";
    counts: Bool, "True if the line counts for verdicts: it ends within the body limit and is not the last line of a truncated payload.";
    agent_raw: Text null, "In files null where it equals `agent`. The value as written, up to a `#`, without surrounding blanks and tabs." => Same("coalesce(agent_raw, agent)");
    agent: Text bloom_filter, "The whole name: lower-cased, cut at the first of `/ , ; ( *`, with inner blanks collapsed and a last word of digits and dots removed if another word is before it. `*` for all crawlers; empty if the line addresses no crawler.";
    token_valid: Bool, "True if the value is a product token according to RFC 9309 §2.2.1. A value is cut at a NUL and at 16,663 bytes of the line.";
    n_allow: Int, "Allow lines of the group.";
    n_disallow: Int, "Disallow lines of the group.";
    crawl_delay_ms: Long null, "The first valid `Crawl-delay` that counts, in milliseconds, rounded up, of the lines after this and adjacent user-agent lines, up to the next user-agent line.";
    request_rate: Text null, "The first `Request-rate` that counts, of the same lines as `crawl_delay_ms`.";
    visit_time: Text null, "The first `Visit-time` that counts, of the same lines as `crawl_delay_ms`.";
} derived {
    agent_token: Text, "The name as Google's parser reads it: the leading run of letters, `_` and `-`, lower-cased; `*` for all crawlers; may be empty." => Same("CASE WHEN agent = '*' THEN '*' ELSE regexp_extract(agent, '^[a-z_-]*', 0) END");
    n_rules: Int, "Allow and disallow lines of the group." => Same("n_allow + n_disallow");
}}

/// The spelling of the key for which `key_raw` is null in files.
const USUAL_KEY: &[u8] = b"User-agent";

impl Builder {
    /// Adds the rows of a capture, column by column.
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        let analysis = capture.analysis;
        let Some(robots) = &analysis.robots else {
            return;
        };
        let is_utf8 = analysis.is_valid_utf8();
        let lines = robots.directives().iter();
        let lines: Vec<&Directive> = lines
            .filter(|line| line.kind == DirectiveKind::UserAgent)
            .collect();
        let group_no = |line: &Directive| {
            line.group_no()
                .expect("a user-agent line belongs to a group")
        };
        let group = |line: &Directive| &robots.groups()[group_no(line) as usize - 1];
        let count = lines.len();
        if count == 0 {
            return;
        }
        let lines = lines.iter().copied();
        self.robots_id
            .append_repeated(Some(analysis.robots_id), count);
        self.group_no
            .extend(lines.clone().map(|line| saturating_i32(group_no(line))));
        self.agent_no.extend(
            lines
                .clone()
                .map(|line| line.agent_no().map_or(0, saturating_i32)),
        );
        self.line_no
            .extend(lines.clone().map(|line| saturating_i32(line.line_no)));
        self.record_no
            .extend(lines.clone().map(|line| saturating_i32(line.record_no)));
        let texts = &mut self.texts;
        let mut text = |span| texts.intern_body_text(robots.text(span), is_utf8);
        self.agent.extend(lines.clone().map(|line| text(line.name)));
        self.agent_raw.extend_options(lines.clone().map(|line| {
            let (raw, name) = (robots.text(line.value_raw), robots.text(line.name));
            (raw != name).then(|| text(line.value_raw))
        }));
        for line in lines.clone() {
            let limits = robots.rate_limits(line.line_no);
            self.request_rate
                .append_option(limits.request_rate.map(&mut text));
            self.visit_time
                .append_option(limits.visit_time.map(&mut text));
            self.crawl_delay_ms.append_option(limits.crawl_delay_ms);
        }
        let keys = lines.clone().map(|line| robots.text(line.key_raw));
        let keys = keys.map(|key| (key != USUAL_KEY).then_some(key));
        let other_keys = texts.intern_repeated(keys, is_utf8).enumerate();
        let other_keys = other_keys.filter_map(|(i, key)| Some((i, key?)));
        self.key_raw.extend_sparse(count, other_keys);
        self.has_colon
            .extend(lines.clone().map(|line| line.has_colon));
        self.counts.extend(lines.clone().map(|line| line.counts));
        let is_valid = |line: &Directive| is_product_token(robots.text(line.value));
        self.token_valid.extend(lines.clone().map(is_valid));
        self.n_allow.extend(
            lines
                .clone()
                .map(|line| saturating_i32(group(line).n_allow)),
        );
        self.n_disallow
            .extend(lines.map(|line| saturating_i32(group(line).n_disallow)));
        self.end_rows(count);
    }
}
