//! Numbers as they stand in `Crawl-delay`.

/// Reads a decimal number of seconds: digits, at most one point, nothing else.
///
/// `None` for signs, exponents, units, and for what is not finite.
pub(crate) fn seconds(value: &[u8]) -> Option<f64> {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let points = value.iter().filter(|&&byte| byte == b'.').count();
    if digits == 0 || points > 1 || digits + points != value.len() || value.len() > 64 {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn only_plain_decimals_are_seconds() {
        assert_eq!(seconds(b"10"), Some(10.0));
        assert_eq!(seconds(b"0.5"), Some(0.5));
        assert_eq!(seconds(b".5"), Some(0.5));
        assert_eq!(seconds(b"5."), Some(5.0));
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
            assert_eq!(seconds(value), None, "{value:?}");
        }
    }
}
