//! A registered domain, which is counted once in each crawl.

/// A registered domain of the hosts that are merged.
#[derive(Debug, Default)]
pub(crate) struct CountedDomain {
    /// The number in the column `domain_id`. `None` before the first host.
    number: Option<i64>,
    /// The crawls with a host of the domain: a bit for each position.
    counted: Vec<u64>,
}

/// Numbers the domains of which a host is the first one.
#[derive(Debug)]
pub(crate) struct HostDomains {
    /// The number of the next domain: the number of the host, less 2^52 for each domain before it. A host that was
    /// captured with and without `www` may have two domains.
    next: i64,
}

impl HostDomains {
    pub(crate) fn new(host_no: i64) -> Self {
        Self { next: host_no }
    }

    /// Returns the number of a domain of the host.
    pub(crate) fn number(&mut self, domain: &mut CountedDomain) -> i64 {
        *domain.number.get_or_insert_with(|| {
            let number = self.next;
            self.next = number.wrapping_sub(1 << 52);
            number
        })
    }
}

impl CountedDomain {
    /// Adds a host of a crawl. Returns true if it is the first host of the domain in this crawl. `crawl` is the position
    /// of the crawl.
    pub(crate) fn count(&mut self, crawl: u32) -> bool {
        let (word, bit) = (crawl as usize / 64, 1 << (crawl % 64));
        if self.counted.len() <= word {
            self.counted.resize(word + 1, 0);
        }
        let is_first = self.counted[word] & bit == 0;
        self.counted[word] |= bit;
        is_first
    }
}
