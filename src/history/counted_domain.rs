//! A registered domain, which is counted once in each crawl.

/// A registered domain of the hosts that are merged.
#[derive(Debug, Default)]
pub(super) struct CountedDomain {
    /// The number in the column `domain_id`: that of the first period. `None` before it.
    pub(super) number: Option<i64>,
    /// The crawls with a host of the domain: a bit for each position.
    counted: Vec<u64>,
}

impl CountedDomain {
    /// Adds a host of a crawl. Returns true if it is the first host of the domain in this crawl. `crawl` is the position
    /// of the crawl.
    pub(super) fn count(&mut self, crawl: u32) -> bool {
        let (word, bit) = (crawl as usize / 64, 1 << (crawl % 64));
        if self.counted.len() <= word {
            self.counted.resize(word + 1, 0);
        }
        let is_first = self.counted[word] & bit == 0;
        self.counted[word] |= bit;
        is_first
    }
}
