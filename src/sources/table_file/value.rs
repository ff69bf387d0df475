//! Values of rows.

use capture::date::parse_iso;

/// A value of a row of Parquet, CSV or JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// The value is null, the table does not have the column, or the field of CSV is empty and has no quotes.
    Null,
    /// Text or bytes.
    Text(&'a [u8]),
    /// A whole number.
    Number(i64),
    /// Milliseconds since 1970.
    Time(i64),
    /// A truth value.
    Flag(bool),
    /// A number with a fraction, a number or time that is too large, or a JSON object or list in a column of texts.
    Other,
}

impl<'a> Value<'a> {
    /// Returns the text of the value; `None` for null and for values of other types.
    pub fn text(self) -> Option<&'a [u8]> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Number(_) | Self::Time(_) | Self::Flag(_) | Self::Other => None,
        }
    }

    /// Returns the value as a number, which may be written as text; `None` for null and for empty text.
    ///
    /// # Errors
    ///
    /// A description of a value that is not a number.
    pub fn number(self) -> Result<Option<i64>, String> {
        match self {
            Self::Null => Ok(None),
            Self::Number(number) => Ok(Some(number)),
            Self::Text(text) if text.trim_ascii().is_empty() => Ok(None),
            Self::Text(text) => {
                let number = parse_whole_number(text.trim_ascii());
                number.map(Some).ok_or_else(|| shorten(text))
            }
            Self::Time(_) => Err("a time".to_owned()),
            Self::Flag(_) => Err("a truth value".to_owned()),
            Self::Other => Err("a number with a fraction, or too large".to_owned()),
        }
    }

    /// Returns a time in milliseconds since 1970; `None` for null and for empty text. Text is in ISO form, or has 14
    /// digits as in CDX, or the 8 digits of a day.
    ///
    /// # Errors
    ///
    /// A description of a value that is not a time.
    pub fn time(self) -> Result<Option<i64>, String> {
        let text = match self {
            Self::Null => return Ok(None),
            Self::Time(time) => return Ok(Some(time)),
            Self::Flag(_) => return Err("a truth value".to_owned()),
            Self::Other => return Err("a number with a fraction, or too large".to_owned()),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => String::from_utf8_lossy(text.trim_ascii()).into_owned(),
        };
        if text.is_empty() {
            return Ok(None);
        }
        let time = parse_iso(&text).or_else(|| parse_digits(&text));
        time.map(Some).ok_or_else(|| shorten(text.as_bytes()))
    }
}

/// Parses a whole number. Its text may have a fraction of zeros, such as `200.0`: data frames write whole numbers like
/// this if the column has missing values.
fn parse_whole_number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    };
    whole.parse().ok()
}

/// Parses a time such as `20240301120000`, or a day such as `20240301`. Other numbers of digits, such as seconds since
/// 1970, are not guessed.
fn parse_digits(text: &str) -> Option<i64> {
    if !matches!(text.len(), 8 | 14) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (year, rest) = text.split_at(4);
    let (month, rest) = rest.split_at(2);
    let (day, time) = rest.split_at(2);
    let date = format!("{year}-{month}-{day}");
    if time.is_empty() {
        return parse_iso(&date);
    }
    parse_iso(&format!(
        "{date}T{}:{}:{}Z",
        &time[..2],
        &time[2..4],
        &time[4..]
    ))
}

/// Returns at most 80 bytes of a value in single quotes, for a message.
pub(crate) fn shorten(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(80)]);
    format!("'{}'", text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_iso_texts_or_digits() {
        let noon = Ok(Some(1_709_294_400_000));
        for text in [
            "2024-03-01T12:00:00Z",
            "20240301120000",
            " 2024-03-01 12:00:00 ",
        ] {
            assert_eq!(Value::Text(text.as_bytes()).time(), noon, "{text}");
        }
        assert_eq!(Value::Number(20_240_301_120_000).time(), noon);
        let midnight = Ok(Some(1_709_251_200_000));
        assert_eq!(Value::Text(b"20240301").time(), midnight);
        assert_eq!(Value::Number(20_240_301).time(), midnight);
        assert_eq!(Value::Text(b"").time(), Ok(None));
        for text in [
            "soon",
            "20249901120000",
            "20240230",
            "1709294400",
            "1709294400000",
        ] {
            assert!(Value::Text(text.as_bytes()).time().is_err(), "{text}");
        }
        assert!(Value::Number(1_709_294_400).time().is_err());
    }

    #[test]
    fn a_whole_number_may_have_a_fraction_of_zeros() {
        for text in ["200", " 200", "200.0", "200.", " 200.00 "] {
            assert_eq!(
                Value::Text(text.as_bytes()).number(),
                Ok(Some(200)),
                "{text}"
            );
        }
        assert_eq!(Value::Text(b" ").number(), Ok(None));
        for text in ["200.5", "2e2", ".0", "x", "200 OK", "200.0.0"] {
            assert!(Value::Text(text.as_bytes()).number().is_err(), "{text}");
        }
    }
}
