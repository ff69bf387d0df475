//! Counts registered domains of hosts that are sorted by `surt_host_name`.
//!
//! The hosts of a domain are consecutive, with one exception: between them may be hosts of domains whose names have
//! the name of the domain as a prefix, followed by a character that sorts before `,`. So a domain is complete at the
//! first host that does not begin with its name.

/// The domains that may have more hosts, as a stack: the name of each is a prefix of the next ones.
#[derive(Debug, Default)]
pub(super) struct DomainRuns {
    open: Vec<OpenDomain>,
}

#[derive(Debug)]
struct OpenDomain {
    /// The name of the domain, or that of a host without one.
    domain: Vec<u8>,
    /// The name with its labels in reverse order, as in `surt_host_name`.
    reversed: Vec<u8>,
    /// The crawls with a host of the domain: a bit for each position.
    counted: Vec<u64>,
}

impl DomainRuns {
    /// Adds a host. Returns true if it is the first host of its domain in this crawl. `domain` is `None` for a host
    /// without a registered domain, which counts as a domain of its own. `crawl` is the position of the crawl.
    pub(super) fn is_first(
        &mut self,
        surt_host_name: &[u8],
        domain: Option<&[u8]>,
        crawl: u32,
    ) -> bool {
        let name = domain.unwrap_or(surt_host_name);
        while let Some(last) = self.open.last()
            && last.domain != name
            && !surt_host_name.starts_with(&last.reversed)
        {
            self.open.pop();
        }
        if !self.open.iter().any(|open| open.domain == name) {
            // `surt_host_name` lacks a leading `www`, so that it may not begin with a domain that has one.
            let reversed = domain.map(reverse_labels);
            let reversed = reversed.filter(|name| surt_host_name.starts_with(name));
            let reversed = reversed.unwrap_or_else(|| surt_host_name.to_vec());
            self.open.push(OpenDomain {
                domain: name.to_vec(),
                reversed,
                counted: Vec::new(),
            });
        }
        let mut open = self.open.iter_mut();
        let Some(open) = open.find(|open| open.domain == name) else {
            return true;
        };
        let (word, bit) = (crawl as usize / 64, 1 << (crawl % 64));
        if open.counted.len() <= word {
            open.counted.resize(word + 1, 0);
        }
        let is_first = open.counted[word] & bit == 0;
        open.counted[word] |= bit;
        is_first
    }
}

fn reverse_labels(domain: &[u8]) -> Vec<u8> {
    let labels: Vec<&[u8]> = domain.rsplit(|&byte| byte == b'.').collect();
    labels.join(&b","[..])
}
