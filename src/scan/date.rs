//! `WARC-Date`, as WARC 1.0 and 1.1 §5.4 write it.

/// Years that a capture can have: the web's first and a margin ahead. Crawlers
/// have written years of seven digits.
const YEARS: std::ops::RangeInclusive<i64> = 1990..=2199;

/// Reads a W3C date in UTC as milliseconds since 1970.
///
/// `YYYY-MM-DDThh:mm:ssZ`, with a fraction of the second or fewer parts as
/// WARC 1.1 allows; a missing `Z` is taken as there, since both versions know
/// no other zone. `None` for anything else and for absurd years.
pub(crate) fn parse_millis(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    let (date, time) = match text.iter().position(|&byte| byte == b'T' || byte == b't') {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let mut parts = date.split(|&byte| byte == b'-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |part| digits(part, 2))?;
    let day = parts.next().map_or(Some(1), |part| digits(part, 2))?;
    if parts.next().is_some()
        || !YEARS.contains(&year)
        || !(1..=12).contains(&month)
        || !(1..=days_in_month(year, month)).contains(&day)
    {
        return None;
    }
    let millis_of_day = match time {
        None => 0,
        Some(time) => parse_time(
            time.strip_suffix(b"Z")
                .or_else(|| time.strip_suffix(b"z"))
                .unwrap_or(time),
        )?,
    };
    Some(days_since_1970(year, month, day) * 86_400_000 + millis_of_day)
}

fn parse_time(time: &[u8]) -> Option<i64> {
    let mut parts = time.split(|&byte| byte == b':');
    let hour = digits(parts.next()?, 2)?;
    let minute = parts.next().map_or(Some(0), |part| digits(part, 2))?;
    let (second, millis) = match parts.next() {
        None => (0, 0),
        Some(part) => {
            let (whole, fraction) = match part.iter().position(|&byte| byte == b'.') {
                Some(at) => (&part[..at], &part[at + 1..]),
                None => (part, &b"0"[..]),
            };
            if fraction.is_empty() || fraction.len() > 9 || !fraction.iter().all(u8::is_ascii_digit)
            {
                return None;
            }
            let mut millis = 0;
            for at in 0..3 {
                millis = millis * 10 + i64::from(fraction.get(at).map_or(0, |digit| digit - b'0'));
            }
            (digits(whole, 2)?, millis)
        }
    };
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(((hour * 60 + minute) * 60 + second) * 1000 + millis)
}

/// Exactly `len` digits.
fn digits(text: &[u8], len: usize) -> Option<i64> {
    if text.len() != len || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(
        text.iter()
            .fold(0, |number, digit| number * 10 + i64::from(digit - b'0')),
    )
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days of the proleptic Gregorian calendar, the year taken from March on.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::parse_millis;

    #[test]
    fn dates_of_both_versions_are_read() {
        assert_eq!(parse_millis(b"1970-01-01T00:00:00Z"), None); // before the web
        assert_eq!(parse_millis(b"2000-01-01T00:00:00Z"), Some(946_684_800_000));
        assert_eq!(
            parse_millis(b"2024-02-29T23:59:59.123456Z"),
            Some(1_709_251_199_123)
        );
        assert_eq!(
            parse_millis(b"2024-02-29T23:59:59.5Z"),
            Some(1_709_251_199_500)
        );
        assert_eq!(parse_millis(b"2024"), Some(1_704_067_200_000));
        assert_eq!(parse_millis(b"2024-03-01"), Some(1_709_251_200_000));
        assert_eq!(parse_millis(b"2024-03-01T01:00Z"), Some(1_709_254_800_000));
    }

    #[test]
    fn what_is_no_date_gives_none() {
        for text in [
            &b""[..],
            b"5088968-01-01T00:00:00Z",
            b"2024-13-01T00:00:00Z",
            b"2023-02-29",
            b"2024-01-01T24:00:00Z",
            b"2024-01-01T00:00:00+01:00",
            b"20240101000000",
            b"garbage",
            b"2024-01-01T00:00:00.Z",
        ] {
            assert_eq!(
                parse_millis(text),
                None,
                "{}",
                String::from_utf8_lossy(text)
            );
        }
    }
}
