//! A sample of the archives of a list.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A random sample of archives, without replacement. Every archive has the same chance.
///
/// An archive is chosen by its name and the seed alone. So the sample does not depend on the order
/// of the list, and the same seed with a larger number adds archives and removes none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The number of archives; all of a shorter list.
    pub archives: usize,
    /// The seed.
    pub seed: u64,
}

impl Sample {
    /// Returns the indexes of the chosen names, ascending.
    pub fn indexes<'a>(self, names: impl Iterator<Item = &'a str>) -> Vec<usize> {
        let keys = names.map(|name| xxh3_64_with_seed(name.as_bytes(), self.seed));
        let mut keys: Vec<(u64, usize)> = keys.zip(0..).collect();
        keys.sort_unstable();
        let mut indexes: Vec<usize> = keys.into_iter().map(|(_, index)| index).collect();
        indexes.truncate(self.archives);
        indexes.sort_unstable();
        indexes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(archives: usize, seed: u64) -> Vec<usize> {
        let names: Vec<String> = (0..1000).map(|number| format!("a/{number}")).collect();
        Sample { archives, seed }.indexes(names.iter().map(String::as_str))
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
}
