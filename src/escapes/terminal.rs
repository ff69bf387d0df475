//! Escaping of untrusted text for terminals and shells.
//!
//! Text from archives, paths, lists or arguments may contain control characters
//! that move the cursor, set the title of a terminal or reverse the direction of
//! writing.

use std::borrow::Cow;

/// Replaces characters with an effect on terminals by visible escapes: control
/// characters (C0, DEL, C1), line and paragraph separators, characters that change the
/// direction of writing, and the noncharacters that XML 1.0 excludes. A line break
/// becomes `\n`, ESC `\x1b`, U+202E `\u{202e}`. Backslashes are not escaped. The function
/// `escaped` of the Python package does the same.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_control_character) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if !is_control_character(char) => out.push(char),
            _ if char.is_ascii() => out.push_str(&format!("\\x{:02x}", char as u32)),
            _ => out.push_str(&format!("\\u{{{:x}}}", char as u32)),
        }
    }
    Cow::Owned(out)
}

/// Returns a text quoted for a shell. Control characters are written in the form
/// `$'…'`, which bash, zsh and ksh understand.
pub fn quote_for_shell(text: &str) -> String {
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

/// Returns the DuckDB query that prints the rows of a file, quoted for a shell. `rest` is SQL that follows the name of
/// the file, such as ` LIMIT 1`.
pub fn duckdb_query(path: &str, rest: &str) -> String {
    let query = format!("FROM '{}'{rest}", path.replace('\'', "''"));
    let is_escaped = matches!(escape(path), Cow::Owned(_));
    if is_escaped || path.contains(['"', '$', '`', '\\', '!', '\'']) {
        quote_for_shell(&query)
    } else {
        format!("\"{query}\"")
    }
}

/// Returns true for a character that has an effect on a terminal, or that XML 1.0 excludes.
pub fn is_control_character(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_one_word_of_a_shell() {
        assert_eq!(duckdb_query("a.parquet", ""), "\"FROM 'a.parquet'\"");
        assert_eq!(duckdb_query("a\x07", ""), "$'FROM \\'a\\x07\\''");
    }

    #[test]
    fn control_characters_become_visible() {
        for (text, escaped) in [
            ("plain 'é' \\ 日本", "plain 'é' \\ 日本"),
            ("\x1b[2J\x07", "\\x1b[2J\\x07"),
            ("a\nb\r\tc", "a\\nb\\r\\tc"),
            ("\x7f\u{85}\u{9b}1m", "\\x7f\\u{85}\\u{9b}1m"),
            (
                "\u{202e}\u{2066}\u{61c}\u{2028}\u{200e}\u{200f}\u{fffe}\u{ffff}",
                "\\u{202e}\\u{2066}\\u{61c}\\u{2028}\\u{200e}\\u{200f}\\u{fffe}\\u{ffff}",
            ),
        ] {
            assert_eq!(escape(text), escaped);
        }
    }

    #[test]
    fn quoted_words_contain_no_control_characters() {
        for (text, word) in [
            ("out.parquet", "out.parquet"),
            ("my out", "'my out'"),
            ("it's", "'it'\\''s'"),
            ("a\x1b[2J'\\\u{9b}", "$'a\\x1b[2J\\'\\\\\\xc2\\x9b'"),
        ] {
            assert_eq!(quote_for_shell(text), word);
        }
    }
}
