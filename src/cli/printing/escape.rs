//! JSON without control characters, and the escapes of terminals and shells.

use escapes::is_control_character;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn escaped_json_has_the_same_value() {
        let value = json!({"a\u{9b}": "\x1b \x7f \u{202e} é \\ \" \u{2028}"});
        let line = json_line(&value);
        assert!(!line.trim_end().chars().any(is_control_character), "{line}");
        assert!(line.contains("\\u009b") && line.contains("\\u202e") && line.contains('é'));
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }
}
