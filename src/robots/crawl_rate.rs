//! The values of `Request-rate` and `Crawl-delay`, which limit how often a crawler fetches.

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
    /// use robotstxt_dialects::RequestRate;
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

/// The longest crawl-delay, in milliseconds: longer ones are shortened to it.
const MAX_CRAWL_DELAY_MS: i64 = 1_000_000_000_000_000;

/// Parses the value of `Crawl-delay`, a number of seconds, as milliseconds: decimal digits with at most one
/// decimal point. Fractions of a millisecond are rounded up, so that a positive delay stays positive.
///
/// Returns `None` for signs, exponents, units, and more than 64 bytes.
pub(crate) fn parse_crawl_delay_ms(value: &[u8]) -> Option<i64> {
    let point = value.iter().position(|&byte| byte == b'.');
    let (whole, fraction) = match point {
        Some(point) => (&value[..point], &value[point + 1..]),
        None => (value, &[][..]),
    };
    let mut digits = whole.iter().chain(fraction);
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    if !has_digits || !digits.all(u8::is_ascii_digit) || value.len() > 64 {
        return None;
    }
    // The first three digits of the fraction, padded with zeros.
    let thousandths = fraction.iter().chain(b"000").take(3);
    let delay_ms = whole.iter().chain(thousandths).fold(0i64, |ms, digit| {
        let ms = ms.saturating_mul(10) + i64::from(digit - b'0');
        ms.min(MAX_CRAWL_DELAY_MS)
    });
    let has_rest = fraction.iter().skip(3).any(|&digit| digit != b'0');
    Some((delay_ms + i64::from(has_rest)).min(MAX_CRAWL_DELAY_MS))
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
        let refused = b",/,5,1/,/5,1/5d,1/5 0600-0845,1 / 5,+1/5,-1/5,1/0,0/1,1.5/1,1/5/5,4294967296/1,1/1193047h,1/\xff";
        for value in refused.split(|&byte| byte == b',') {
            assert_eq!(RequestRate::parse(value), None, "{value:?}");
        }
    }

    #[test]
    fn crawl_delays_are_plain_decimal_numbers_of_seconds_and_are_rounded_up() {
        for (value, delay_ms) in [
            (&b"10"[..], 10_000),
            (b"0.5", 500),
            (b".5", 500),
            (b"5.", 5_000),
            (b"0", 0),
            (b"0.000", 0),
            (b"007.25", 7_250),
            (b"1.2340000", 1_234),
            (b"1.2341", 1_235),
            (b"0.0000000001", 1),
            (b"999999999999.9991", MAX_CRAWL_DELAY_MS),
            (b"1000000000000", MAX_CRAWL_DELAY_MS),
            (&[b'9'; 64], MAX_CRAWL_DELAY_MS),
        ] {
            assert_eq!(parse_crawl_delay_ms(value), Some(delay_ms), "{value:?}");
        }
        let refused = b" . 1.2.3 -1 +1 1e3 10s inf NaN 1,5";
        let too_long: &[u8] = &[b'1'; 65];
        let refused = refused.split(|&byte| byte == b' ');
        for value in refused.chain([&b"1 0"[..], too_long]) {
            assert_eq!(parse_crawl_delay_ms(value), None, "{value:?}");
        }
    }
}
