//! The value of `Crawl-delay`.

/// Parses a number of seconds: decimal digits with at most one decimal point.
///
/// Returns `None` for signs, exponents, units, and more than 64 bytes.
pub(crate) fn parse_seconds(value: &[u8]) -> Option<f64> {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let points = value.iter().filter(|&&byte| byte == b'.').count();
    if digits == 0 || points > 1 || digits + points != value.len() || value.len() > 64 {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::parse_seconds;

    #[test]
    fn only_plain_decimal_numbers_are_seconds() {
        assert_eq!(parse_seconds(b"10"), Some(10.0));
        assert_eq!(parse_seconds(b"0.5"), Some(0.5));
        assert_eq!(parse_seconds(b".5"), Some(0.5));
        assert_eq!(parse_seconds(b"5."), Some(5.0));
        for value in [
            &b""[..],
            b".",
            b"-1",
            b"+1",
            b"1e3",
            b"10s",
            b"1 0",
            b"inf",
            b"NaN",
            b"1,5",
        ] {
            assert_eq!(parse_seconds(value), None, "{value:?}");
        }
    }
}
