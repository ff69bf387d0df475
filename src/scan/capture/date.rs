//! Times: `WARC-Date`, as WARC 1.0 and 1.1 §5.4 write it, and ISO 8601 as
//! databases do.

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
    let (year, day_millis) = parse_date(date)?;
    let millis_of_day = match time {
        None => 0,
        Some(time) => parse_time(
            time.strip_suffix(b"Z")
                .or_else(|| time.strip_suffix(b"z"))
                .unwrap_or(time),
        )?,
    };
    YEARS.contains(&year).then_some(day_millis + millis_of_day)
}

/// Reads a time of ISO 8601 as milliseconds since 1970.
///
/// `2024-03-01`, then perhaps `T` or a blank and `12:30`, `12:30:15` or
/// `12:30:15.123456`, then perhaps a zone: `Z`, `+01`, `+0100`, `+01:00`. Without
/// a zone it is UTC; a date alone is its first moment.
pub fn parse_iso(text: &str) -> Option<i64> {
    let text = text.trim().as_bytes();
    let (date, time) = match text.iter().position(|byte| b"Tt ".contains(byte)) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (_, day_millis) = parse_date(date)?;
    let Some(time) = time else {
        return Some(day_millis);
    };
    let zone = time.iter().position(|byte| b"Zz+-".contains(byte));
    let (time, zone) = time.split_at(zone.unwrap_or(time.len()));
    let minutes_ahead = match zone {
        b"" | b"Z" | b"z" => 0,
        [sign, zone @ ..] => {
            let (hours, rest) = zone.split_at_checked(2)?;
            let minutes = match rest.strip_prefix(b":").unwrap_or(rest) {
                b"" if rest.is_empty() => 0,
                minutes => digits(minutes, 2)?,
            };
            let ahead = digits(hours, 2)? * 60 + minutes;
            match (sign, minutes < 60 && ahead < 24 * 60) {
                (b'+', true) => ahead,
                (b'-', true) => -ahead,
                _ => return None,
            }
        }
    };
    Some(day_millis + parse_time(time)? - minutes_ahead * 60_000)
}

/// Reads `YYYY-MM-DD`, or less from the left: the year, and the first moment.
fn parse_date(date: &[u8]) -> Option<(i64, i64)> {
    let mut parts = date.split(|&byte| byte == b'-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |part| digits(part, 2))?;
    let day = parts.next().map_or(Some(1), |part| digits(part, 2))?;
    if parts.next().is_some()
        || !(1..=12).contains(&month)
        || !(1..=days_in_month(year, month)).contains(&day)
    {
        return None;
    }
    Some((year, days_since_1970(year, month, day) * 86_400_000))
}

/// A moment in milliseconds since 1970, as `2024-03-01T12:30:15Z`, with a
/// fraction where it has one.
pub fn to_iso(millis: i64) -> String {
    let (days, of_day) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    // The inverse of `days_since_1970`: years begin with March.
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, fraction) = (of_day / 1000 % 60, of_day % 1000);
    let fraction = match fraction {
        0 => String::new(),
        fraction => format!(".{fraction:03}"),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
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
    use super::{parse_iso, parse_millis, to_iso};

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

    #[test]
    fn a_moment_is_written_as_it_is_read() {
        for text in [
            "1970-01-01T00:00:00Z",
            "1969-12-31T23:59:59.999Z",
            "2000-02-29T12:00:00Z",
            "2023-12-31T23:59:59Z",
            "2024-02-29T00:00:01.050Z",
            "2024-03-01T12:30:15Z",
            "1900-03-01T00:00:00Z",
        ] {
            assert_eq!(parse_iso(text).map(to_iso).as_deref(), Some(text));
        }
    }

    #[test]
    fn times_of_databases_are_read() {
        let noon = Some(1_709_294_400_000);
        for text in [
            "2024-03-01T12:00:00Z",
            "2024-03-01 12:00:00",
            "2024-03-01 12:00",
            " 2024-03-01T13:00:00+01:00 ",
            "2024-03-01 10:30:00.000-0130",
            "2024-03-01 12:00:00+00",
            "2024-03-01 12:00:00.000999",
        ] {
            assert_eq!(parse_iso(text), noon, "{text}");
        }
        assert_eq!(parse_iso("2024-03-01"), Some(1_709_251_200_000));
        assert_eq!(parse_iso("1969-12-31T23:59:59.999Z"), Some(-1));
        for text in [
            "",
            "now",
            "2024-03-01T",
            "2024-03-01T12:00:00 +01",
            "2024-03-01T12:00:00+1",
            "2024-03-01T12:00:00+01:",
            "2024-03-01T12:00:00+01:60",
            "2024-03-01T12:00:00+25:00",
            "1709294400",
        ] {
            assert_eq!(parse_iso(text), None, "{text}");
        }
    }
}
