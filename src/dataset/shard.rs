//! A shard: one of several equal shares of the inputs.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// The most shards into which inputs are divided.
pub const MAX_SHARDS: usize = 99_999;

/// A shard of the inputs, written `INDEX/COUNT`, such as `1/4` … `4/4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The index, from 1.
    pub index: usize,
    /// The number of shards, at most [`MAX_SHARDS`].
    pub count: usize,
}

/// The error of a text that is not a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAShard;

impl Shard {
    /// Returns the range of the shard in a list of `len` inputs. All shards of a list are disjoint,
    /// consecutive and cover it.
    pub fn range(self, len: usize) -> Range<usize> {
        len * (self.index - 1) / self.count..len * self.index / self.count
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = NotAShard;

    fn from_str(text: &str) -> Result<Self, NotAShard> {
        let (index, count) = text.split_once('/').ok_or(NotAShard)?;
        let parse = |text: &str| text.parse().map_err(|_| NotAShard);
        let shard = Self {
            index: parse(index)?,
            count: parse(count)?,
        };
        let is_valid = (1..=shard.count).contains(&shard.index) && shard.count <= MAX_SHARDS;
        is_valid.then_some(shard).ok_or(NotAShard)
    }
}

impl fmt::Display for NotAShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the index of a shard and the number of shards, such as 1/4")
    }
}

impl std::error::Error for NotAShard {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_disjoint_and_cover_all_inputs() {
        let shards = (1..=3).map(|index| Shard { index, count: 3 });
        let parts: Vec<usize> = shards.flat_map(|shard| shard.range(7)).collect();
        assert_eq!(parts, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn the_index_is_between_one_and_the_number_of_shards() {
        let shard = |text: &str| text.parse::<Shard>().map(|shard| shard.to_string());
        assert_eq!(shard("4/4"), Ok("4/4".to_owned()));
        for text in [
            "", "1", "0/4", "5/4", "1/0", "1/100000", "a/b", "-1/4", "1/4/4",
        ] {
            assert_eq!(shard(text), Err(NotAShard), "{text}");
        }
    }
}
