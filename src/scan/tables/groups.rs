//! The table `groups`.

use super::{column::table, int};
use crate::facts::Facts;
use robots::{Key, is_product_token};

table! { "One row per user-agent line." {
    robots_id: Long, "The capture.";
    surt_host_name: Text null, "Its host, as in `robots_files`.";
    group_no: Int, "The group, from 1, by Google's reading: user-agent lines with no rule between them share one.";
    agent_no: Int, "The line's place among the user-agent lines of its group, from 1.";
    line_no: Int, "The line, from 1.";
    record_no: Int, "The record, from 1, by Koster's reading: a blank line ends one, and a user-agent line after rules begins one.";
    key_raw: Text, "The key as written, without the blanks and tabs around it.";
    has_colon: Bool, "Whether a colon follows it; else a blank was taken for one.";
    counts: Bool, "Whether the line counts for verdicts: it ends within the body limit, and is not the last of a truncated payload.";
    agent_raw: Text, "The value as written, up to a `#`, without the blanks and tabs around it.";
    agent: Text, "The whole name: lower-cased, cut at the first of `/ , ; ( *`, inner blanks made one, a last word of digits and dots dropped; `*` for everybody; empty if it addresses nobody.";
    agent_token: Text, "What Google's parser reads: the leading run of letters, `_` and `-`, lower-cased; `*` for everybody; may be empty.";
    token_valid: Bool, "Whether the value is a product token by RFC 9309 §2.2.1.";
    n_rules: Int, "Allow and disallow lines of the group.";
    n_allow: Int, "Allow lines of the group.";
    n_disallow: Int, "Disallow lines of the group.";
    crawl_delay: Double null, "The group's first valid `Crawl-delay` that counts, in seconds.";
    request_rate: Text null, "The group's first `Request-rate` that counts.";
    visit_time: Text null, "The group's first `Visit-time` that counts.";
}}

impl Builder {
    /// Adds the rows of a capture.
    pub(crate) fn push(&mut self, facts: &Facts<'_>) {
        let Some(robots) = &facts.robots else { return };
        let is_utf8 = facts.is_valid_utf8();
        let host = facts.surt_host_name().map(|host| self.texts.intern(host));
        for line in robots
            .directives()
            .iter()
            .filter(|it| it.key == Key::UserAgent)
        {
            let group = &robots.groups()[line.group_no as usize - 1];
            self.robots_id.append_value(facts.robots_id);
            self.surt_host_name.append_option(host);
            self.group_no.append_value(int(line.group_no));
            self.agent_no.append_value(int(line.agent_no));
            self.line_no.append_value(int(line.line_no));
            self.record_no.append_value(int(line.record_no));
            self.key_raw
                .append_value(self.texts.of_body(robots.text(line.key_raw), is_utf8));
            self.has_colon.append_value(line.has_colon);
            self.counts.append_value(line.counts);
            self.agent_raw
                .append_value(self.texts.of_body(robots.text(line.value_raw), is_utf8));
            self.agent
                .append_value(self.texts.of_body(robots.text(line.name), is_utf8));
            self.agent_token
                .append_value(self.texts.of_body(robots.text(line.token), is_utf8));
            self.token_valid
                .append_value(is_product_token(robots.text(line.value)));
            self.n_rules
                .append_value(int(group.n_allow + group.n_disallow));
            self.n_allow.append_value(int(group.n_allow));
            self.n_disallow.append_value(int(group.n_disallow));
            self.crawl_delay.append_option(group.crawl_delay);
            let mut text = |span| self.texts.of_body(robots.text(span), is_utf8);
            self.request_rate
                .append_option(group.request_rate.map(&mut text));
            self.visit_time
                .append_option(group.visit_time.map(&mut text));
            self.end_row();
        }
    }
}
