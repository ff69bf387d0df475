//! The table `rules`.

use super::{column::table, int, line_no};
use crate::analysis::CaptureAnalysis;
use robots::{Directive, DirectiveKind};

table! { repeated "One row per allow or disallow line." {
    robots_id: Long, "The capture.";
    surt_host_name: Text null, "The host of the capture, as in `robots_files`.";
    group_no: Int null, "The group, as in `groups`; null before any user-agent line.";
    line_no: Int, "The line number, from 1.";
    record_no: Int, "The record in Koster's dialect, as in `groups`.";
    allow: Bool, "True for an allow line.";
    path_raw: Text, "The value as written, up to a `#`, without surrounding blanks and tabs.";
    path: Text shared_dictionary, "The path as Google's parser compares it: cut at a NUL and at 16,663 bytes of the line, with hex digits upper-cased and octets above 0x7F percent-encoded.";
    path_bytes: Int, "The length of `path` in octets, which is the priority of the rule in Google's dialect.";
    is_empty: Bool, "True if the path is empty.";
    has_wildcard: Bool, "True if the path contains a `*`.";
    has_end_anchor: Bool, "True if the last octet of the path is `$`.";
    has_query: Bool, "True if the path contains a `?`.";
    key_raw: Text, "The key as written, without surrounding blanks and tabs.";
    has_colon: Bool, "True if the key is followed by a colon; otherwise a blank was read as one.";
    counts: Bool, "True if the line counts for verdicts: it ends within the body limit and is not the last line of a truncated payload.";
    beyond_500kib: Bool, "True if the line ends after the first 512,000 bytes.";
}}

impl Builder {
    /// Adds the rows of a capture, column by column.
    pub(crate) fn push(&mut self, analysis: &CaptureAnalysis<'_>) {
        let Some(robots) = &analysis.robots else {
            return;
        };
        let is_utf8 = analysis.is_valid_utf8();
        let lines = robots.directives().iter();
        let lines: Vec<&Directive> = lines
            .filter(|line| matches!(line.kind, DirectiveKind::Allow | DirectiveKind::Disallow))
            .collect();
        let count = lines.len();
        if count == 0 {
            return;
        }
        let lines = lines.iter().copied();
        self.fill_capture(analysis, count);
        self.group_no
            .extend_options(lines.clone().map(|line| line_no(line.group_no())));
        self.line_no
            .extend(lines.clone().map(|line| int(line.line_no)));
        self.record_no
            .extend(lines.clone().map(|line| int(line.record_no)));
        self.allow
            .extend(lines.clone().map(|line| line.kind == DirectiveKind::Allow));
        let texts = &mut self.texts;
        self.path_raw.extend(
            lines
                .clone()
                .map(|line| texts.intern_body_text(robots.text(line.value_raw), is_utf8)),
        );
        let raws = lines.clone().zip(self.path_raw.last(count));
        // Nearly all paths are equal to the raw value.
        self.path
            .extend(raws.map(|(line, &raw)| match line.value == line.value_raw {
                true => raw,
                false => texts.intern_body_text(robots.text(line.value), is_utf8),
            }));
        let features: Vec<PathFeatures> = lines
            .clone()
            .map(|line| PathFeatures::of(robots.text(line.value)))
            .collect();
        self.path_bytes
            .extend(features.iter().map(|path| int(path.bytes)));
        self.is_empty
            .extend(features.iter().map(|path| path.bytes == 0));
        self.has_wildcard
            .extend(features.iter().map(|path| path.has_wildcard));
        self.has_end_anchor
            .extend(features.iter().map(|path| path.has_end_anchor));
        self.has_query
            .extend(features.iter().map(|path| path.has_query));
        let keys = lines.clone().map(|line| robots.text(line.key_raw));
        self.key_raw.extend(texts.intern_repeated(keys, is_utf8));
        self.has_colon
            .extend(lines.clone().map(|line| line.has_colon));
        self.counts.extend(lines.clone().map(|line| line.counts));
        self.beyond_500kib
            .extend(lines.map(|line| line.is_beyond_500kib));
        self.end_rows(count);
    }
}

/// The properties of a path that are columns.
#[derive(Clone, Copy)]
struct PathFeatures {
    bytes: u32,
    has_wildcard: bool,
    has_query: bool,
    has_end_anchor: bool,
}

impl PathFeatures {
    fn of(path: &[u8]) -> Self {
        // One loop for both: most paths are short, so that calls of memchr cost more.
        let (has_wildcard, has_query) = path.iter().fold((false, false), |(star, mark), &octet| {
            (star | (octet == b'*'), mark | (octet == b'?'))
        });
        Self {
            bytes: path.len() as u32,
            has_wildcard,
            has_query,
            has_end_anchor: path.last() == Some(&b'$'),
        }
    }
}
