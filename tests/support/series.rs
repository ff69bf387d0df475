//! Long series of random cases: whole in a campaign (`make campaign`), a fiftieth in other runs, whose
//! seed changes with the version.

use crate::Random;

/// The share of a series outside of campaigns.
const SHARE: usize = 50;

/// A series of random cases.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    seed: u64,
    is_whole: bool,
}

impl Series {
    /// Returns a series. `CAMPAIGN_SEED`, which `make campaign` sets, makes it whole.
    pub fn new() -> Self {
        let asked = std::env::var("CAMPAIGN_SEED").ok();
        let is_whole = asked.is_some();
        let digits = env!("CARGO_PKG_VERSION").replace('.', "");
        let seed = asked.unwrap_or(digits).parse();
        Self {
            seed: seed.expect("a seed is a number"),
            is_whole,
        }
    }

    /// Returns the generator of the cases of a test.
    pub fn random(self, test: u64) -> Random {
        Random::new(self.seed.wrapping_mul(1000) + test)
    }

    /// Returns how many of the cases of a whole series are made, at least one.
    pub fn count(self, whole: usize) -> usize {
        if self.is_whole {
            whole
        } else {
            whole.div_ceil(SHARE)
        }
    }

    pub fn is_whole(self) -> bool {
        self.is_whole
    }
}
