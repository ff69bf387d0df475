//! Statistics of a column chunk: minimum, maximum and number of nulls (Parquet,
//! "Statistics").

use parquet::data_type::ByteArray;
use parquet::file::statistics::{Statistics, ValueStatistics};

/// The maximum size of a text in statistics. Longer ones are truncated: with longer texts, readers
/// could not skip more row groups.
const MAX_TEXT_BYTES: usize = 64;

pub(super) fn int_statistics(values: impl Iterator<Item = i32> + Clone, nulls: u64) -> Statistics {
    Statistics::int32(values.clone().min(), values.max(), None, Some(nulls), false)
}

pub(super) fn long_statistics(values: impl Iterator<Item = i64> + Clone, nulls: u64) -> Statistics {
    Statistics::int64(values.clone().min(), values.max(), None, Some(nulls), false)
}

/// Returns the statistics of numbers, none of which may be NaN. Although 0.0 and -0.0
/// are equal, the specification requires -0.0 as minimum and 0.0 as maximum.
pub(super) fn double_statistics(
    values: impl Iterator<Item = f64> + Clone,
    nulls: u64,
) -> Statistics {
    let min = values.clone().reduce(f64::min);
    let max = values.reduce(f64::max);
    let min = min.map(|value| if value == 0.0 { -0.0 } else { value });
    let max = max.map(|value| if value == 0.0 { 0.0 } else { value });
    Statistics::double(min, max, None, Some(nulls), false)
}

/// Returns the statistics of booleans. `occurs[0]` is true if the value false occurs, and `occurs[1]`
/// if the value true occurs.
pub(super) fn bool_statistics(occurs: [bool; 2], nulls: u64) -> Statistics {
    let min = (occurs[0] || occurs[1]).then_some(!occurs[0]);
    let max = (occurs[0] || occurs[1]).then_some(occurs[1]);
    Statistics::boolean(min, max, None, Some(nulls), false)
}

/// The minimum and the maximum of texts.
#[derive(Debug, Default)]
pub(super) struct TextRange {
    bounds: Option<(Vec<u8>, Vec<u8>)>,
}

impl TextRange {
    pub(super) fn add(&mut self, text: &[u8]) {
        match &mut self.bounds {
            None => self.bounds = Some((text.to_vec(), text.to_vec())),
            Some((min, max)) => {
                if text < min.as_slice() {
                    text.clone_into(min);
                } else if text > max.as_slice() {
                    text.clone_into(max);
                }
            }
        }
    }

    pub(super) fn statistics(self, nulls: u64) -> Statistics {
        let Some((min, max)) = self.bounds else {
            return Statistics::byte_array(None, None, None, Some(nulls), false);
        };
        let short_min = truncate(&min);
        // A truncated maximum is less than the text itself, so it must be increased.
        let short_max = if truncate(&max).len() == max.len() {
            Some(max.clone())
        } else {
            shortest_greater(truncate(&max))
        };
        let (min_is_exact, max_is_exact) = (
            short_min.len() == min.len(),
            short_max.as_ref() == Some(&max),
        );
        let statistics = ValueStatistics::new(
            Some(ByteArray::from(short_min.to_vec())),
            short_max.map(ByteArray::from),
            None,
            Some(nulls),
            false,
        );
        Statistics::from(
            statistics
                .with_min_is_exact(min_is_exact)
                .with_max_is_exact(max_is_exact),
        )
    }
}

/// Truncates a text at a character boundary.
fn truncate(text: &[u8]) -> &[u8] {
    let mut len = text.len().min(MAX_TEXT_BYTES);
    while len > 0 && len < text.len() && text[len] & 0xc0 == 0x80 {
        len -= 1;
    }
    &text[..len]
}

/// Returns the shortest text that is greater than all texts that start with `text`,
/// or `None` if there is none.
fn shortest_greater(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    text.char_indices().rev().find_map(|(start, last)| {
        // Surrogates are not characters.
        let next = match last {
            '\u{d7ff}' => '\u{e000}',
            last => char::from_u32(last as u32 + 1)?,
        };
        let mut greater = text[..start].to_owned();
        greater.push(next);
        Some(greater.into_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_statistics(texts: &[&str]) -> Statistics {
        let mut range = TextRange::default();
        texts.iter().for_each(|text| range.add(text.as_bytes()));
        range.statistics(3)
    }

    #[test]
    fn long_texts_are_truncated_down_and_up() {
        let statistics = text_statistics(&["b", "a", "c"]);
        assert_eq!(statistics.min_bytes_opt(), Some(&b"a"[..]));
        assert_eq!(statistics.max_bytes_opt(), Some(&b"c"[..]));
        assert!(statistics.min_is_exact() && statistics.max_is_exact());
        assert_eq!(statistics.null_count_opt(), Some(3));

        let long = "é".repeat(40);
        let statistics = text_statistics(&[&long]);
        assert_eq!(statistics.min_bytes_opt(), Some("é".repeat(32).as_bytes()));
        let greater = format!("{}ê", "é".repeat(31));
        assert_eq!(statistics.max_bytes_opt(), Some(greater.as_bytes()));
        assert!(!statistics.min_is_exact() && !statistics.max_is_exact());
        assert!(greater > long);

        // The last characters may have no greater one.
        let last = format!("a{}", "\u{10ffff}".repeat(30));
        let statistics = text_statistics(&[&last]);
        assert_eq!(statistics.max_bytes_opt(), Some(&b"b"[..]));
        let statistics = text_statistics(&[&"\u{10ffff}".repeat(30)]);
        assert_eq!(statistics.max_bytes_opt(), None);
        assert_eq!(text_statistics(&[]).min_bytes_opt(), None);
    }

    #[test]
    fn a_zero_is_negative_as_minimum_and_positive_as_maximum() {
        let statistics = double_statistics([0.0, -0.0].into_iter(), 0);
        assert_eq!(
            statistics.min_bytes_opt(),
            Some(&(-0.0f64).to_le_bytes()[..])
        );
        assert_eq!(statistics.max_bytes_opt(), Some(&0.0f64.to_le_bytes()[..]));
    }
}
