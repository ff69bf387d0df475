//! Divides the inputs of a run into parts and shards, and draws samples of them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The limit at which a part of a dataset ends and the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartSize {
    /// At most this number of bytes of inputs.
    Bytes(u64),
    /// This number of inputs. The division then does not depend on sizes, which are unknown for an
    /// object on a server before it is fetched.
    Inputs(u64),
    /// At most this number of records. Used for record lists, where no single input has more records.
    Records(u64),
}

/// A random sample of archives, without replacement. Every archive has the same chance.
///
/// The archives with the smallest hashes of seed and name are chosen. So the sample does not depend on the
/// order of the list, and with the same seed, a larger number adds archives and removes none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The number of archives to choose; if the list has fewer, all are chosen.
    pub archives: usize,
    /// The seed of the random choice.
    pub seed: u64,
}

impl Sample {
    /// Returns the indexes of the chosen archives in `names`, ascending.
    pub fn choose_indexes<'a>(self, names: impl Iterator<Item = &'a str>) -> Vec<usize> {
        let hashes = names.map(|name| xxh3_64_with_seed(name.as_bytes(), self.seed));
        let mut hashed: Vec<(u64, usize)> = hashes.zip(0..).collect();
        hashed.sort_unstable();
        let mut indexes: Vec<usize> = hashed.into_iter().map(|(_, index)| index).collect();
        indexes.truncate(self.archives);
        indexes.sort_unstable();
        indexes
    }
}

/// The largest number of shards of a run.
pub const MAX_SHARDS: usize = 99_999;

/// A shard of the inputs, written `INDEX/COUNT`, such as `1/4` … `4/4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the shard, from 1 to `count`.
    pub index: usize,
    /// The number of shards, at most [`MAX_SHARDS`].
    pub count: usize,
}

/// The error of parsing a text that is not of the form `INDEX/COUNT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardParseError;

impl Shard {
    /// Returns the range of the shard in a list of `len` inputs. The shards of a list are consecutive ranges that
    /// do not overlap and cover the whole list.
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
    type Err = ShardParseError;

    fn from_str(text: &str) -> Result<Self, ShardParseError> {
        let (index, count) = text.split_once('/').ok_or(ShardParseError)?;
        let parse = |text: &str| text.parse().map_err(|_| ShardParseError);
        let shard = Self {
            index: parse(index)?,
            count: parse(count)?,
        };
        let is_valid = (1..=shard.count).contains(&shard.index) && shard.count <= MAX_SHARDS;
        is_valid.then_some(shard).ok_or(ShardParseError)
    }
}

impl fmt::Display for ShardParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the index of a shard and the number of shards, such as 1/4")
    }
}

impl std::error::Error for ShardParseError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(archives: usize, seed: u64) -> Vec<usize> {
        let names: Vec<String> = (0..1000).map(|number| format!("a/{number}")).collect();
        Sample { archives, seed }.choose_indexes(names.iter().map(String::as_str))
    }

    #[test]
    fn a_larger_sample_contains_the_smaller_one_and_seeds_differ() {
        let (small, large) = (sample(50, 7), sample(200, 7));
        assert!((small.len(), large.len()) == (50, 200) && large.is_sorted());
        assert!(small.iter().all(|index| large.contains(index)));
        assert_ne!(small, sample(50, 8));
        assert_eq!(sample(5000, 1).len(), 1000);
    }

    #[test]
    fn every_archive_has_the_same_chance() {
        let mut chosen = [0; 1000];
        for seed in 0..400 {
            for index in sample(100, seed) {
                chosen[index] += 1;
            }
        }
        // 40 are expected, with a standard deviation of 6.
        assert!(chosen.iter().all(|count| (10..=75).contains(count)));
        let first_half: i32 = chosen[..500].iter().sum();
        assert!((19_000..21_000).contains(&first_half), "{first_half}");
    }

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
            assert_eq!(shard(text), Err(ShardParseError), "{text}");
        }
    }
}
