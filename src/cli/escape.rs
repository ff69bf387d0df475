//! Escaping of untrusted text for terminals, JSON and shells.
//!
//! Text from archives, paths, lists or arguments may contain control characters
//! that move the cursor, set the title of a terminal or reverse the direction of
//! writing.

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use std::borrow::Cow;
use std::io::{self, Write};

/// Replaces characters with an effect on terminals by visible escapes: control
/// characters (C0, DEL, C1), line and paragraph separators, characters that change the
/// direction of writing, and the noncharacters that XML 1.0 excludes. A line break
/// becomes `\n`, ESC `\x1b`, U+202E `\u{202e}`. Backslashes are not escaped. The function
/// `escaped` of the Python package does the same.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
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

/// Returns JSON as [`write_json_line`] writes it.
pub(crate) fn json_line(value: &Value) -> String {
    let mut out = Vec::new();
    write_json_line(value, &mut out).expect("a vector can be written");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// Writes JSON on one line, with a line break at its end. JSON itself escapes only
/// C0 control characters. The other characters of [`escape`] are written in the form
/// `\u009b`, which a parser reads as the same value.
pub(crate) fn write_json_line(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, EscapedJson))?;
    out.write_all(b"\n")
}

/// JSON on one line without control characters.
struct EscapedJson;

impl Formatter for EscapedJson {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut start = 0;
        for (i, char) in fragment.char_indices() {
            if is_control_character(char) {
                // Four digits are enough, because all control characters here are in the Basic Multilingual Plane.
                let text = &fragment[start..i];
                write!(out, "{text}\\u{:04x}", char as u32)?;
                start = i + char.len_utf8();
            }
        }
        out.write_all(&fragment.as_bytes()[start..])
    }
}

/// Returns a text quoted for a shell. Control characters are written in the form
/// `$'…'`, which bash, zsh and ksh understand.
pub(crate) fn quote_for_shell(text: &str) -> String {
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

/// Returns true for a character that has an effect on a terminal, or that XML 1.0 excludes.
fn is_control_character(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
    fn escaped_json_has_the_same_value() {
        let value = json!({"a\u{9b}": "\x1b \x7f \u{202e} é \\ \" \u{2028}"});
        let line = json_line(&value);
        assert!(!line.trim_end().chars().any(is_control_character), "{line}");
        assert!(line.contains("\\u009b") && line.contains("\\u202e") && line.contains('é'));
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
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
