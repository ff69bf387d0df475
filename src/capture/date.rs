//! Parsing and formatting of times.
//!
//! All times are parsed according to ISO 8601 as databases write it, which includes the forms of
//! `WARC-Date` in WARC 1.0 and 1.1 §5.4. `chrono` provides the calendar. The fields are parsed here,
//! because dates of archives have their own rules for missing parts and fractions, and every capture has one.

use chrono::{DateTime, Datelike, NaiveDate, Timelike};

/// The years that are accepted for a capture, from the first years of the web to a margin in the
/// future. Some crawlers have written years of seven digits.
const PLAUSIBLE_YEARS: std::ops::RangeInclusive<i32> = 1990..=2199;

const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// Parses a `WARC-Date`. Returns milliseconds since 1970.
///
/// Accepts what [`parse_iso`] accepts: `YYYY-MM-DDThh:mm:ssZ`, with a fraction of a second or with fewer
/// parts as WARC 1.1 allows, and with another time zone, which WARC does not allow and some writers state.
/// Returns `None` for anything else and for a year outside of 1990 to 2199.
pub(crate) fn parse_warc_date(text: &[u8]) -> Option<i64> {
    parse(text.trim_ascii()).filter(|millis| is_plausible(*millis))
}

/// Returns true if a time in milliseconds since 1970 may be that of a capture: in the years 1990 to 2199.
pub fn is_plausible(millis: i64) -> bool {
    let time = DateTime::from_timestamp_millis(millis);
    time.is_some_and(|time| PLAUSIBLE_YEARS.contains(&time.year()))
}

/// Parses an ISO 8601 time. Returns milliseconds since 1970.
///
/// Accepts a date such as `2024-03-01`; optionally `T` or a space and `12:30`, `12:30:15` or
/// `12:30:15.123456`; optionally a time zone, which a space may precede: `Z`, `UTC`, `GMT`, `+01`, `+0100`
/// or `+01:00`. Without a time zone the time is in UTC. A date without a time is parsed as the first moment of that day.
pub fn parse_iso(text: &str) -> Option<i64> {
    parse(text.trim().as_bytes())
}

fn parse(text: &[u8]) -> Option<i64> {
    let separator = text.iter().position(|byte| b"Tt ".contains(byte));
    let (date, time) = split_at_separator(text, separator);
    let day_millis = parse_date(date)?;
    let Some(time) = time else {
        return Some(day_millis);
    };
    let is_zone = |byte: &u8| !byte.is_ascii_digit() && !b":.".contains(byte);
    let zone_start = time.iter().position(is_zone);
    let (time, zone) = time.split_at(zone_start.unwrap_or(time.len()));
    let zone = zone.strip_prefix(b" ").unwrap_or(zone);
    Some(day_millis + parse_time(time)? - parse_zone(zone)? * 60_000)
}

/// Formats milliseconds since 1970 as `2024-03-01T12:30:15Z`, with a fraction if there is one.
pub fn format_iso(millis: i64) -> String {
    let Some(time) = DateTime::from_timestamp_millis(millis) else {
        return format!("{millis} ms since 1970");
    };
    let fraction = match time.timestamp_subsec_millis() {
        0 => String::new(),
        fraction => format!(".{fraction:03}"),
    };
    let (year, month, day) = (time.year(), time.month(), time.day());
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Splits a text into a date and the time after the separator, if there is one.
fn split_at_separator(text: &[u8], separator: Option<usize>) -> (&[u8], Option<&[u8]>) {
    match separator {
        Some(i) => (&text[..i], Some(&text[i + 1..])),
        None => (text, None),
    }
}

/// Parses `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. Returns the first moment of the day, month or year in
/// milliseconds since 1970.
fn parse_date(date: &[u8]) -> Option<i64> {
    let mut parts = date.split(|&byte| byte == b'-');
    let year = parse_digits(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |part| parse_digits(part, 2))?;
    let day = parts.next().map_or(Some(1), |part| parse_digits(part, 2))?;
    if parts.next().is_some() {
        return None;
    }
    let calendar_date = NaiveDate::from_ymd_opt(year as i32, month as u32, day as u32)?;
    Some(i64::from(calendar_date.to_epoch_days()) * MILLIS_PER_DAY)
}

/// Parses `hh`, `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fraction`. Returns milliseconds of the day.
fn parse_time(time: &[u8]) -> Option<i64> {
    let mut parts = time.split(|&byte| byte == b':');
    let hour = parse_digits(parts.next()?, 2)?;
    let minute = parts.next().map_or(Some(0), |part| parse_digits(part, 2))?;
    let (second, millis) = match parts.next() {
        None => (0, 0),
        Some(part) => {
            let (whole, fraction) = match part.iter().position(|&byte| byte == b'.') {
                Some(point) => (&part[..point], &part[point + 1..]),
                None => (part, &b"0"[..]),
            };
            if fraction.is_empty() || fraction.len() > 9 || !fraction.iter().all(u8::is_ascii_digit)
            {
                return None;
            }
            let mut millis = 0;
            for i in 0..3 {
                millis = millis * 10 + i64::from(fraction.get(i).map_or(0, |digit| digit - b'0'));
            }
            (parse_digits(whole, 2)?, millis)
        }
    };
    // 60 is a leap second.
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(((hour * 60 + minute) * 60 + second) * 1000 + millis)
}

/// Parses a time zone, such as `Z`, `+01:00` or an empty text. Returns its offset from UTC in minutes.
fn parse_zone(zone: &[u8]) -> Option<i64> {
    let is_utc = |name: &&[u8]| zone.eq_ignore_ascii_case(name);
    let [sign, zone @ ..] = zone else {
        return Some(0);
    };
    if [&b"Z"[..], b"UTC", b"GMT"].iter().any(is_utc) {
        return Some(0);
    }
    let (hours, rest) = zone.split_at_checked(2)?;
    let minutes = match rest.strip_prefix(b":").unwrap_or(rest) {
        b"" if rest.is_empty() => 0,
        minutes => parse_digits(minutes, 2)?,
    };
    let offset_minutes = parse_digits(hours, 2)? * 60 + minutes;
    match (sign, minutes < 60 && offset_minutes < 24 * 60) {
        (b'+', true) => Some(offset_minutes),
        (b'-', true) => Some(-offset_minutes),
        _ => None,
    }
}

/// Parses exactly `len` digits.
fn parse_digits(text: &[u8], len: usize) -> Option<i64> {
    if text.len() != len || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(
        text.iter()
            .fold(0, |number, digit| number * 10 + i64::from(digit - b'0')),
    )
}

#[cfg(test)]
mod tests {
    use super::{format_iso, parse_iso, parse_warc_date};

    #[test]
    fn dates_of_both_warc_versions_are_parsed() {
        assert_eq!(parse_warc_date(b"1970-01-01T00:00:00Z"), None); // before the web
        assert_eq!(
            parse_warc_date(b"2000-01-01T00:00:00Z"),
            Some(946_684_800_000)
        );
        assert_eq!(
            parse_warc_date(b"2024-02-29T23:59:59.123456Z"),
            Some(1_709_251_199_123)
        );
        assert_eq!(
            parse_warc_date(b"2024-02-29T23:59:59.5Z"),
            Some(1_709_251_199_500)
        );
        assert_eq!(parse_warc_date(b"2024"), Some(1_704_067_200_000));
        assert_eq!(parse_warc_date(b"2024-03-01"), Some(1_709_251_200_000));
        assert_eq!(
            parse_warc_date(b"2024-03-01T01:00Z"),
            Some(1_709_254_800_000)
        );
    }

    #[test]
    fn a_warc_date_with_a_time_zone_is_the_same_moment_in_utc() {
        for text in [
            &b"2024-01-02T01:04:05Z"[..],
            b"2024-01-02T03:04:05+02:00",
            b"2024-01-01T18:04:05-0700",
            b"2024-01-02T01:04:05",
            b"2024-01-02 01:04:05",
        ] {
            assert_eq!(
                parse_warc_date(text),
                Some(1_704_157_445_000),
                "{}",
                String::from_utf8_lossy(text)
            );
        }
    }

    #[test]
    fn malformed_and_implausible_dates_are_rejected() {
        for text in [
            &b""[..],
            b"5088968-01-01T00:00:00Z",
            b"2024-13-01T00:00:00Z",
            b"2023-02-29",
            b"2024-01-01T24:00:00Z",
            b"2024-01-01T00:00:00+25:00",
            b"2008-10-294T05:21:46-0700",
            b"1990-01-01T00:00:00+01:00", // before 1990
            b"20240101000000",
            b"garbage",
            b"2024-01-01T00:00:00.Z",
        ] {
            assert_eq!(
                parse_warc_date(text),
                None,
                "{}",
                String::from_utf8_lossy(text)
            );
        }
    }

    #[test]
    fn formatting_is_the_inverse_of_parsing() {
        for text in [
            "1970-01-01T00:00:00Z",
            "1969-12-31T23:59:59.999Z",
            "2000-02-29T12:00:00Z",
            "2023-12-31T23:59:59Z",
            "2024-02-29T00:00:01.050Z",
            "2024-03-01T12:30:15Z",
            "1900-03-01T00:00:00Z",
        ] {
            assert_eq!(parse_iso(text).map(format_iso).as_deref(), Some(text));
        }
    }

    #[test]
    fn times_as_databases_write_them_are_parsed() {
        let noon = Some(1_709_294_400_000);
        for text in [
            "2024-03-01T12:00:00Z",
            "2024-03-01 12:00:00",
            "2024-03-01 12:00",
            " 2024-03-01T13:00:00+01:00 ",
            "2024-03-01 10:30:00.000-0130",
            "2024-03-01 12:00:00+00",
            "2024-03-01 12:00:00 UTC",
            "2024-03-01T12:00:00.000utc",
            "2024-03-01 12:00 GMT",
            "2024-03-01 12:00:00 Z",
            "2024-03-01 13:00:00 +0100",
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
            "2024-03-01T12:00:00  +01",
            "2024-03-01T12:00:00 EST",
            "2024-03-01T12:00:00 UTC+1",
            "2024-03-01 UTC",
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
