//! Quantities: counts with their nouns, sizes in bytes such as `500k`, `64MB` and `64MiB`, and
//! durations such as `500ms`, `30s`, `10m` and `1h`.

use indicatif::HumanCount;
use std::time::Duration;

/// Returns a count with its noun in singular or plural, such as `1,200 parts`.
pub(crate) fn format_count(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", HumanCount(count))
}

/// Units of sizes and their bytes, as in DuckDB: `k`, `kB`, `M`, `MB` … are powers of 1000;
/// `KiB`, `MiB` … are powers of 1024.
const SIZE_UNITS: [(&str, u64); 14] = [
    ("", 1),
    ("b", 1),
    ("k", 1000),
    ("kb", 1000),
    ("kib", 1 << 10),
    ("m", 1_000_000),
    ("mb", 1_000_000),
    ("mib", 1 << 20),
    ("g", 1_000_000_000),
    ("gb", 1_000_000_000),
    ("gib", 1 << 30),
    ("t", 1_000_000_000_000),
    ("tb", 1_000_000_000_000),
    ("tib", 1 << 40),
];

/// Parses a size in bytes: a whole number with an optional unit in upper or lower case.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let end = text
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let unit = unit.trim().to_ascii_lowercase();
    let bytes = SIZE_UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .and_then(|(_, bytes)| digits.parse::<u64>().ok()?.checked_mul(*bytes));
    bytes.ok_or_else(|| "give whole bytes, such as 512000, 500k, 64MB or 64MiB".to_owned())
}

/// Units of durations and their milliseconds.
const DURATION_UNITS: [(&str, u64); 5] = [
    ("ms", 1),
    ("s", 1000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];

/// Parses a duration: a whole number with a unit.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let end = text.find(|char: char| !char.is_ascii_digit());
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let unit = DURATION_UNITS.iter().find(|(name, _)| *name == unit);
    let milliseconds = unit.and_then(|(_, unit)| digits.parse::<u64>().ok()?.checked_mul(*unit));
    let milliseconds = milliseconds.filter(|count| (1..=86_400_000 * 365).contains(count));
    milliseconds.map(Duration::from_millis).ok_or_else(|| {
        "give a whole number with its unit, such as 500ms, 30s, 10m or 1h".to_owned()
    })
}

/// Formats a duration, such as `30 s`, `12 min` and `2 h 30 min`. It is rounded up to seconds, and from two minutes on
/// to minutes.
pub(crate) fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().ceil() as u64;
    match (seconds / 3600, seconds.div_ceil(60) % 60) {
        _ if seconds < 120 => format!("{seconds} s"),
        (0, 0) => "1 h".to_owned(),
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) if !seconds.is_multiple_of(3600) => format!("{} h", hours + 1),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_decimal_or_binary_in_any_case() {
        for (text, bytes) in [
            ("0", 0),
            ("512000", 512_000),
            ("512000B", 512_000),
            ("500k", 500_000),
            ("500K", 500_000),
            ("64MB", 64_000_000),
            ("64mb", 64_000_000),
            ("64MiB", 64 << 20),
            ("64mib", 64 << 20),
            ("1 GiB", 1 << 30),
            ("1g", 1_000_000_000),
            ("2TiB", 2 << 40),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "MB",
            "-1",
            "+1",
            "1.5g",
            "1x",
            "1 M iB",
            "18446744073709551616",
            "99999999999g",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_duration_has_a_unit() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration(" 2h"), Ok(Duration::from_secs(7200)));
        for text in ["", "5", "h", "1.5h", "-1s", "0s", "1 h 2 m", "99999999999d"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn minutes_are_rounded_up() {
        for (seconds, expected) in [
            (0.2, "1 s"),
            (119.0, "119 s"),
            (120.0, "2 min"),
            (121.0, "3 min"),
            (3599.0, "1 h"),
            (3600.0, "1 h"),
            (7190.0, "2 h"),
            (9000.0, "2 h 30 min"),
        ] {
            assert_eq!(format_duration(Duration::from_secs_f64(seconds)), expected);
        }
    }
}
