//! Statistics of a column chunk: minimum, maximum and number of nulls (Parquet,
//! "Statistics").

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::file::statistics::{Statistics, ValueStatistics};

/// The maximum size of a minimum or maximum text, in bytes. Longer texts are truncated: with more bytes,
/// readers could not skip more row groups.
const MAX_TEXT_BYTES: usize = 64;

/// Returns statistics whose bounds are not marked as exact. Some readers answer queries for `min` and `max`
/// from bounds that are marked as exact, but keep only the first eight bytes of these.
fn bounds<T: DataType>(min: Option<T::T>, max: Option<T::T>, nulls: u64) -> Statistics {
    let statistics = ValueStatistics::new(min, max, None, Some(nulls), false);
    Statistics::from(statistics.with_min_is_exact(false).with_max_is_exact(false))
}

/// Returns statistics that were read from a file, with bounds that are not marked as exact.
pub(super) fn without_exactness(statistics: &Statistics) -> Statistics {
    fn inexact<T: Clone>(values: &ValueStatistics<T>) -> ValueStatistics<T> {
        values
            .clone()
            .with_min_is_exact(false)
            .with_max_is_exact(false)
    }
    match statistics {
        Statistics::Boolean(values) => Statistics::Boolean(inexact(values)),
        Statistics::Int32(values) => Statistics::Int32(inexact(values)),
        Statistics::Int64(values) => Statistics::Int64(inexact(values)),
        Statistics::ByteArray(values) => Statistics::ByteArray(inexact(values)),
        // No column has another type.
        other => other.clone(),
    }
}

pub(super) fn int_statistics(values: impl Iterator<Item = i32> + Clone, nulls: u64) -> Statistics {
    bounds::<Int32Type>(values.clone().min(), values.max(), nulls)
}

pub(super) fn long_statistics(values: impl Iterator<Item = i64> + Clone, nulls: u64) -> Statistics {
    bounds::<Int64Type>(values.clone().min(), values.max(), nulls)
}

/// The bounds of the integers of a column chunk.
#[derive(Debug, Default)]
pub(super) struct IntegerBounds {
    /// The smallest and the largest integer; `None` before the first one.
    pub(super) min_max: Option<(i64, i64)>,
}

impl IntegerBounds {
    /// Adds the values of a page to the bounds.
    pub(super) fn add(&mut self, values: &[i64]) {
        let Some(&first) = values.first() else {
            return;
        };
        let (min, max) = self.min_max.unwrap_or((first, first));
        let bounds = values.iter().fold((min, max), |(min, max), &value| {
            (min.min(value), max.max(value))
        });
        self.min_max = Some(bounds);
    }
}

/// Returns the statistics of booleans. `occurs[0]` is true if the value false occurs, and `occurs[1]`
/// if the value true occurs.
pub(super) fn bool_statistics(occurs: [bool; 2], nulls: u64) -> Statistics {
    let min = (occurs[0] || occurs[1]).then_some(!occurs[0]);
    let max = (occurs[0] || occurs[1]).then_some(occurs[1]);
    bounds::<BoolType>(min, max, nulls)
}

/// The minimum and the maximum of texts.
#[derive(Debug, Default)]
pub(super) struct TextRange {
    bounds: Option<(TextBound, TextBound)>,
}

/// A text, and the number that [`first_bytes`] returns for it. Most comparisons need only the number.
#[derive(Debug, Default)]
struct TextBound {
    text: Vec<u8>,
    first_bytes: u64,
}

impl TextBound {
    fn replace(&mut self, text: &[u8], first_bytes: u64) {
        text.clone_into(&mut self.text);
        self.first_bytes = first_bytes;
    }
}

/// Returns the first eight bytes of a text as a big-endian number. A shorter text is padded with zeros at
/// its end. If the number of one text is less than that of another, the text is less, too.
fn first_bytes(text: &[u8]) -> u64 {
    if let Some(bytes) = text.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    bytes[..text.len()].copy_from_slice(text);
    u64::from_be_bytes(bytes)
}

impl TextRange {
    pub(super) fn add(&mut self, text: &[u8]) {
        let number = first_bytes(text);
        let Some((min, max)) = &mut self.bounds else {
            let mut bounds = (TextBound::default(), TextBound::default());
            bounds.0.replace(text, number);
            bounds.1.replace(text, number);
            self.bounds = Some(bounds);
            return;
        };
        if number <= min.first_bytes && text < min.text.as_slice() {
            min.replace(text, number);
        } else if number >= max.first_bytes && text > max.text.as_slice() {
            max.replace(text, number);
        }
    }

    pub(super) fn statistics(self, nulls: u64) -> Statistics {
        let Some((min, max)) = self.bounds.map(|(min, max)| (min.text, max.text)) else {
            return bounds::<ByteArrayType>(None, None, nulls);
        };
        // A truncated maximum is less than the text itself, so it must be increased.
        let short_max = if truncate(&max).len() == max.len() {
            Some(max)
        } else {
            shortest_greater(truncate(&max))
        };
        let short_min = ByteArray::from(truncate(&min).to_vec());
        bounds::<ByteArrayType>(Some(short_min), short_max.map(ByteArray::from), nulls)
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
        assert_eq!(statistics.null_count_opt(), Some(3));

        let long = "é".repeat(40);
        let statistics = text_statistics(&[&long]);
        assert_eq!(statistics.min_bytes_opt(), Some("é".repeat(32).as_bytes()));
        let greater = format!("{}ê", "é".repeat(31));
        assert_eq!(statistics.max_bytes_opt(), Some(greater.as_bytes()));
        assert!(greater > long);

        // The last characters may have no greater one.
        let last = format!("a{}", "\u{10ffff}".repeat(30));
        let statistics = text_statistics(&[&last]);
        assert_eq!(statistics.max_bytes_opt(), Some(&b"b"[..]));
        let statistics = text_statistics(&[&"\u{10ffff}".repeat(30)]);
        assert_eq!(statistics.max_bytes_opt(), None);
        assert_eq!(text_statistics(&[]).min_bytes_opt(), None);
    }
}
