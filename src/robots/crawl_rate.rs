//! The values that limit how often a crawler fetches: those of `Request-rate` and `Crawl-delay`.

/// A number of requests in a period of time: the value of a `Request-rate`, such as `1/10s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRate {
    /// The number of requests that are allowed in the period; not 0 in a parsed rate.
    pub requests: u32,
    /// The length of the period in seconds; not 0 in a parsed rate.
    pub seconds: u32,
}

impl RequestRate {
    /// Parses a rate: `requests/time`, with decimal digits. The time has the unit `s`, `m` or `h`;
    /// without one, it is in seconds.
    ///
    /// Returns `None` for anything else, such as a rate that applies only at some hours of the day,
    /// a rate of no requests or no time, and numbers beyond 32 bits.
    ///
    /// ```
    /// use robots::RequestRate;
    ///
    /// let rate = RequestRate { requests: 1, seconds: 600 };
    /// assert_eq!(RequestRate::parse(b"1/10m"), Some(rate));
    /// ```
    pub fn parse(value: &[u8]) -> Option<Self> {
        let slash = value.iter().position(|&byte| byte == b'/')?;
        let (requests, time) = (&value[..slash], &value[slash + 1..]);
        let (time, seconds_per_unit) = match time {
            [time @ .., b's' | b'S'] => (time, 1),
            [time @ .., b'm' | b'M'] => (time, 60),
            [time @ .., b'h' | b'H'] => (time, 3600),
            time => (time, 1),
        };
        let rate = Self {
            requests: parse_u32(requests)?,
            seconds: parse_u32(time)?.checked_mul(seconds_per_unit)?,
        };
        (rate.requests > 0 && rate.seconds > 0).then_some(rate)
    }
}

/// Parses decimal digits; returns `None` for anything else and for numbers beyond 32 bits.
fn parse_u32(digits: &[u8]) -> Option<u32> {
    let has_only_digits = digits.iter().all(u8::is_ascii_digit);
    let digits = std::str::from_utf8(digits).ok()?;
    digits.parse().ok().filter(|_| has_only_digits)
}

/// Parses the value of `Crawl-delay`, a number of seconds: decimal digits with at most one decimal
/// point.
///
/// Returns `None` for signs, exponents, units, and more than 64 bytes.
pub(crate) fn parse_seconds(value: &[u8]) -> Option<f64> {
    let digit_count = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let point_count = value.iter().filter(|&&byte| byte == b'.').count();
    if digit_count == 0
        || point_count > 1
        || digit_count + point_count != value.len()
        || value.len() > 64
    {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_requests_in_a_time_with_a_unit() {
        for (value, requests, seconds) in [
            (&b"1/5"[..], 1, 5),
            (b"2/10s", 2, 10),
            (b"30/1m", 30, 60),
            (b"100/24H", 100, 86_400),
            (b"007/1", 7, 1),
        ] {
            let rate = RequestRate { requests, seconds };
            assert_eq!(RequestRate::parse(value), Some(rate), "{value:?}");
        }
        for value in [
            &b""[..],
            b"/",
            b"5",
            b"1/",
            b"/5",
            b"1/5d",
            b"1/5 0600-0845",
            b"1 / 5",
            b"+1/5",
            b"-1/5",
            b"1/0",
            b"0/1",
            b"1.5/1",
            b"1/5/5",
            b"4294967296/1",
            b"1/1193047h",
            b"1/\xff",
        ] {
            assert_eq!(RequestRate::parse(value), None, "{value:?}");
        }
    }

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
