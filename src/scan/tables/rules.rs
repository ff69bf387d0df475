//! The table `rules`.

use super::{column::table, int, line_no};
use crate::facts::Facts;
use robots::Key;

table! { "One row per allow or disallow line." {
    robots_id: Long, "The capture.";
    surt_host_name: Text null, "Its host, as in `robots_files`.";
    group_no: Int null, "The group, as in `groups`; null before any user-agent line.";
    line_no: Int, "The line, from 1.";
    record_no: Int, "The record by Koster's reading, as in `groups`.";
    allow: Bool, "Whether it allows.";
    path_raw: Text, "The value as written, up to a `#`, without the blanks and tabs around it.";
    path: Text, "The path as Google's parser compares it: cut at a NUL and at 16,663 bytes of the line, hex upper-cased, octets above 0x7F percent-encoded.";
    path_bytes: Int, "The length of `path` in octets: the rule's priority for Google.";
    is_empty: Bool, "Whether the path is empty.";
    has_wildcard: Bool, "Whether the path has a `*`.";
    has_end_anchor: Bool, "Whether `$` is the path's last octet.";
    has_query: Bool, "Whether the path has a `?`.";
    key_raw: Text, "The key as written, without the blanks and tabs around it.";
    has_colon: Bool, "Whether a colon follows it; else a blank was taken for one.";
    counts: Bool, "Whether the line counts for verdicts: it ends within the body limit, and is not the last of a truncated payload.";
    beyond_500kib: Bool, "Whether the line ends beyond 512,000 bytes.";
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
            .filter(|it| matches!(it.key, Key::Allow | Key::Disallow))
        {
            let path = robots.text(line.value);
            self.robots_id.append_value(facts.robots_id);
            self.surt_host_name.append_option(host);
            self.group_no.append_option(line_no(line.group_no));
            self.line_no.append_value(int(line.line_no));
            self.record_no.append_value(int(line.record_no));
            self.allow.append_value(line.key == Key::Allow);
            self.path_raw
                .append_value(self.texts.of_body(robots.text(line.value_raw), is_utf8));
            self.path.append_value(self.texts.of_body(path, is_utf8));
            self.path_bytes.append_value(int(path.len() as u32));
            self.is_empty.append_value(path.is_empty());
            self.has_wildcard
                .append_value(memchr::memchr(b'*', path).is_some());
            self.has_end_anchor.append_value(path.last() == Some(&b'$'));
            self.has_query
                .append_value(memchr::memchr(b'?', path).is_some());
            self.key_raw
                .append_value(self.texts.of_body(robots.text(line.key_raw), is_utf8));
            self.has_colon.append_value(line.has_colon);
            self.counts.append_value(line.counts);
            self.beyond_500kib.append_value(line.is_beyond_500kib);
            self.end_row();
        }
    }
}
