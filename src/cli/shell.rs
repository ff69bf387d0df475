//! Quoting of words for a shell.

use crate::escape::escape;
use std::borrow::Cow;
use std::path::Path;

/// Returns the DuckDB query that shows a file, quoted for a shell.
pub(crate) fn duckdb_query(output: &Path) -> String {
    let path = output.to_string_lossy();
    let query = format!("FROM '{}'", path.replace('\'', "''"));
    let is_escaped = matches!(escape(&path), Cow::Owned(_));
    if is_escaped || path.contains(['"', '$', '`', '\\', '!', '\'']) {
        quoted(&query)
    } else {
        format!("\"{query}\"")
    }
}

/// Returns a text quoted for a shell. Control characters are written in the form
/// `$'…'`, which bash, zsh and ksh understand.
pub(crate) fn quoted(text: &str) -> String {
    if matches!(escape(text), Cow::Owned(_)) {
        let mut out = "$'".to_owned();
        for char in text.chars() {
            let mut bytes = [0; 4];
            let char = char.encode_utf8(&mut bytes);
            match (&*char, escape(char)) {
                ("'" | "\\", _) => out.push_str(&format!("\\{char}")),
                (_, Cow::Borrowed(_)) => out.push_str(char),
                (_, Cow::Owned(_)) => out.extend(char.bytes().map(|byte| format!("\\x{byte:02x}"))),
            }
        }
        return out + "'";
    }
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(&byte));
    if is_plain {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_contain_no_control_characters() {
        for (text, word) in [
            ("out.parquet", "out.parquet"),
            ("my out", "'my out'"),
            ("it's", "'it'\\''s'"),
            ("a\x1b[2J'\\\u{9b}", "$'a\\x1b[2J\\'\\\\\\xc2\\x9b'"),
        ] {
            assert_eq!(quoted(text), word);
        }
        assert_eq!(duckdb_query(Path::new("a\x07")), "$'FROM \\'a\\x07\\''");
    }
}
