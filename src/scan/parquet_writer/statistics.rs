//! The least and the greatest value of a column chunk (Parquet, "Statistics").

use parquet::data_type::ByteArray;
use parquet::file::statistics::{Statistics, ValueStatistics};

/// Bytes of a text that are kept: nobody seeks by more.
const TEXT_BYTES_MAX: usize = 64;

pub(super) fn of_ints(values: impl Iterator<Item = i32> + Clone, nulls: u64) -> Statistics {
    Statistics::int32(values.clone().min(), values.max(), None, Some(nulls), false)
}

pub(super) fn of_longs(values: impl Iterator<Item = i64> + Clone, nulls: u64) -> Statistics {
    Statistics::int64(values.clone().min(), values.max(), None, Some(nulls), false)
}

/// Of numbers that are none of NaN. The two zeros are equal, and readers expect
/// the lesser as the least and the greater as the greatest.
pub(super) fn of_doubles(values: impl Iterator<Item = f64> + Clone, nulls: u64) -> Statistics {
    let min = values.clone().reduce(f64::min);
    let max = values.reduce(f64::max);
    let min = min.map(|it| if it == 0.0 { -0.0 } else { it });
    let max = max.map(|it| if it == 0.0 { 0.0 } else { it });
    Statistics::double(min, max, None, Some(nulls), false)
}

/// `has` says whether there is a false and whether there is a true.
pub(super) fn of_bools(has: [bool; 2], nulls: u64) -> Statistics {
    let min = (has[0] || has[1]).then_some(!has[0]);
    let max = (has[0] || has[1]).then_some(has[1]);
    Statistics::boolean(min, max, None, Some(nulls), false)
}

/// The least and the greatest of texts.
#[derive(Debug, Default)]
pub(super) struct TextRange {
    ends: Option<(Vec<u8>, Vec<u8>)>,
}

impl TextRange {
    pub(super) fn add(&mut self, text: &[u8]) {
        match &mut self.ends {
            None => self.ends = Some((text.to_vec(), text.to_vec())),
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
        let Some((min, max)) = self.ends else {
            return Statistics::byte_array(None, None, None, Some(nulls), false);
        };
        let min_cut = cut(&min);
        // What is cut is less than the whole: a greatest value must be greater.
        let max_cut = if cut(&max).len() == max.len() {
            Some(max.clone())
        } else {
            next_greater(cut(&max))
        };
        let (min_is_exact, max_is_exact) =
            (min_cut.len() == min.len(), max_cut.as_ref() == Some(&max));
        let statistics = ValueStatistics::new(
            Some(ByteArray::from(min_cut.to_vec())),
            max_cut.map(ByteArray::from),
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

/// As much of a text as is kept, in whole characters.
fn cut(text: &[u8]) -> &[u8] {
    let mut len = text.len().min(TEXT_BYTES_MAX);
    while len > 0 && len < text.len() && text[len] & 0xc0 == 0x80 {
        len -= 1;
    }
    &text[..len]
}

/// The shortest text that is greater than all that begin with `text`; `None`
/// if nothing is.
fn next_greater(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    text.char_indices().rev().find_map(|(at, last)| {
        // The number behind the last before the surrogates is none of a character.
        let next = match last {
            '\u{d7ff}' => '\u{e000}',
            last => char::from_u32(last as u32 + 1)?,
        };
        let mut greater = text[..at].to_owned();
        greater.push(next);
        Some(greater.into_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(texts: &[&str]) -> Statistics {
        let mut range = TextRange::default();
        texts.iter().for_each(|text| range.add(text.as_bytes()));
        range.statistics(3)
    }

    #[test]
    fn texts_are_kept_whole_or_cut_to_both_sides() {
        let statistics = range(&["b", "a", "c"]);
        assert_eq!(statistics.min_bytes_opt(), Some(&b"a"[..]));
        assert_eq!(statistics.max_bytes_opt(), Some(&b"c"[..]));
        assert!(statistics.min_is_exact() && statistics.max_is_exact());
        assert_eq!(statistics.null_count_opt(), Some(3));

        let long = "é".repeat(40);
        let statistics = range(&[&long]);
        assert_eq!(statistics.min_bytes_opt(), Some("é".repeat(32).as_bytes()));
        let greater = format!("{}ê", "é".repeat(31));
        assert_eq!(statistics.max_bytes_opt(), Some(greater.as_bytes()));
        assert!(!statistics.min_is_exact() && !statistics.max_is_exact());
        assert!(greater > long);

        // Between a cut and its end there may be no greater character.
        let last = format!("a{}", "\u{10ffff}".repeat(30));
        let statistics = range(&[&last]);
        assert_eq!(statistics.max_bytes_opt(), Some(&b"b"[..]));
        let statistics = range(&[&"\u{10ffff}".repeat(30)]);
        assert_eq!(statistics.max_bytes_opt(), None);
        assert_eq!(range(&[]).min_bytes_opt(), None);
    }

    #[test]
    fn zeros_are_signed_to_both_sides() {
        let statistics = of_doubles([0.0, -0.0].into_iter(), 0);
        assert_eq!(
            statistics.min_bytes_opt(),
            Some(&(-0.0f64).to_le_bytes()[..])
        );
        assert_eq!(statistics.max_bytes_opt(), Some(&0.0f64.to_le_bytes()[..]));
    }
}
