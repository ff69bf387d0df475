//! Parsing of sizes in bytes, such as `512000`, `500k`, `64MB` and `64MiB`.

/// Units and their bytes, as in DuckDB: `k`, `kB`, `M`, `MB` … are powers of 1000;
/// `KiB`, `MiB` … are powers of 1024.
const UNITS: [(&str, u64); 14] = [
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

/// Parses a whole number with an optional unit in upper or lower case.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let end = text
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let unit = unit.trim().to_ascii_lowercase();
    let bytes = UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .and_then(|(_, bytes)| digits.parse::<u64>().ok()?.checked_mul(*bytes));
    bytes.ok_or_else(|| "give whole bytes, such as 512000, 500k, 64MB or 64MiB".to_owned())
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
            assert_eq!(parse(text), Ok(bytes), "{text}");
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
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
