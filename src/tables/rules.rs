use super::column::Expression::{self, PerDialect, Same};
use super::record_rows::RowInput;
use super::{line_no_value, saturating_i32};
use crate::table;
use robots::{Directive, DirectiveKind};

table! { per_capture "One row per allow or disallow line." {
    robots_id: Long delta, "The capture.";
    group_no: Int null, "The group, as in `groups`; null before any user-agent line.";
    line_no: Int delta, "The line number, from 1.";
    record_no: Int, "The record in Koster's dialect, as in `groups`.";
    allow: Bool, "True for an allow line.";
    path_raw: Text null, "In files null where it equals `path`. The value as written, up to a `#`, without surrounding blanks and tabs." => Same("coalesce(path_raw, path)");
    path: Text, "The path as Google's parser compares it: cut at a NUL and at 16,663 bytes of the line, with hex digits upper-cased and octets above 0x7F percent-encoded. It is ASCII, so that its backslashes are not doubled in a file that is not UTF-8.";
    key_raw: Text null, "In files null where it is `Allow` for an allow line or `Disallow` for a disallow line. The key as written, without surrounding blanks and tabs." => Same("coalesce(key_raw, CASE WHEN allow THEN 'Allow' ELSE 'Disallow' END)");
    has_colon: Bool, "True if the key is followed by a colon; otherwise a blank was read as one.";
    counts: Bool, "True if the line counts for verdicts: it ends within the body limit and is not the last line of a truncated payload.";
    beyond_500kib: Bool, "True if the line ends after the first 512,000 bytes.";
    is_repeated: Bool, "True if an earlier line of the file has the same direction and path, for the same or another agent. Files and hosts are counted by path `WHERE NOT is_repeated`.";
} derived {
    path_bytes: Int, "The length of the path in octets, which is the priority of the rule in Google's dialect." => PATH_BYTES;
    is_empty: Bool, "True if the path is empty." => Same("path = ''");
    has_wildcard: Bool, "True if the path contains a `*`." => Same("instr(path, '*') > 0");
    has_end_anchor: Bool, "True if the last octet of the path is `$`." => Same("path LIKE '%$'");
    has_query: Bool, "True if the path contains a `?`." => Same("instr(path, '?') > 0");
} buffer SeenRules }

/// Paths are ASCII, so that octets are characters.
const PATH_BYTES: Expression = PerDialect {
    duckdb: "strlen(path)",
    spark: "octet_length(path)",
};

/// Finds rules that are repeated in a file.
#[derive(Debug, Default)]
struct SeenRules {
    /// The number of the last file that has each rule. The index of a rule is twice the id of its
    /// path, plus one for allow.
    last_files: Vec<u32>,
    /// The number of the current file, from 1.
    file: u32,
}

/// The number of entries of [`SeenRules`] above which their memory is freed before the next file.
const KEPT_RULES: usize = 1 << 19;

impl SeenRules {
    fn begin_file(&mut self) {
        if self.last_files.len() > KEPT_RULES {
            self.last_files = Vec::new();
        }
        self.file += 1;
    }

    /// Returns true if the current file had a rule with this path and direction before.
    fn is_repeated(&mut self, path: u32, allow: bool) -> bool {
        let index = path as usize * 2 + usize::from(allow);
        if index >= self.last_files.len() {
            self.last_files.resize((index + 1).next_power_of_two(), 0);
        }
        std::mem::replace(&mut self.last_files[index], self.file) == self.file
    }
}

impl Builder {
    /// Adds the rows of a capture, column by column.
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        let analysis = capture.analysis;
        let Some(robots) = &analysis.robots else {
            return;
        };
        let is_utf8 = analysis.is_valid_utf8();
        let summary = robots.summary();
        let mut lines: Vec<&Directive> =
            Vec::with_capacity((summary.n_allow + summary.n_disallow) as usize);
        let is_rule = |line: &&Directive| line.is_rule();
        lines.extend(robots.directives().iter().filter(is_rule));
        let count = lines.len();
        if count == 0 {
            return;
        }
        let lines = lines.iter().copied();
        self.robots_id
            .append_repeated(Some(analysis.robots_id), count);
        self.group_no
            .extend_options(lines.clone().map(|line| line_no_value(line.group_no())));
        self.line_no
            .extend(lines.clone().map(|line| saturating_i32(line.line_no)));
        self.record_no
            .extend(lines.clone().map(|line| saturating_i32(line.record_no)));
        self.allow
            .extend(lines.clone().map(|line| line.kind == DirectiveKind::Allow));
        let texts = &mut self.texts;
        // Paths are ASCII, so that nothing in them is escaped.
        let paths = lines
            .clone()
            .map(|line| texts.intern_ascii(robots.text(line.value)));
        self.buffer.begin_file();
        for (line, path) in lines.clone().zip(paths) {
            let allow = line.kind == DirectiveKind::Allow;
            self.path.append_value(path);
            self.is_repeated
                .append_value(self.buffer.is_repeated(path, allow));
        }
        // Nearly all values are equal to the path, and most are the same range of the body, which
        // is compared first.
        let other_texts = lines.clone().enumerate().filter_map(|(i, line)| {
            let raw = robots.text(line.value_raw);
            let is_equal = line.value_raw == line.value || raw == robots.text(line.value);
            let is_escaped = !is_utf8 && raw.contains(&b'\\');
            (!is_equal || is_escaped).then(|| (i, texts.intern_body_text(raw, is_utf8)))
        });
        self.path_raw.extend_sparse(count, other_texts);
        let keys = lines.clone().map(|line| {
            let key = robots.text(line.key_raw);
            let is_usual = match line.kind {
                DirectiveKind::Allow => key == b"Allow",
                _ => key == b"Disallow",
            };
            (!is_usual).then_some(key)
        });
        let other_keys = texts.intern_repeated(keys, is_utf8).enumerate();
        let other_keys = other_keys.filter_map(|(i, key)| Some((i, key?)));
        self.key_raw.extend_sparse(count, other_keys);
        self.has_colon
            .extend(lines.clone().map(|line| line.has_colon));
        self.counts.extend(lines.clone().map(|line| line.counts));
        self.beyond_500kib
            .extend(lines.map(|line| line.is_beyond_500kib));
        self.end_rows(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_repeated_if_direction_and_path_occurred_before_in_the_file() {
        let rules = [
            (7, true),
            (7, false),
            (3, false),
            (7, true),
            (3, false),
            (7, true),
        ];
        let mut seen = SeenRules::default();
        for _ in 0..2 {
            seen.begin_file();
            let repeated = rules.map(|(path, allow)| seen.is_repeated(path, allow));
            assert_eq!(repeated, [false, false, false, true, true, true]);
        }
    }
}
