//! Counts registered domains of hosts that are sorted by `surt_host_name`.
//!
//! The hosts of a domain follow each other, except that hosts with characters before `,` in their names may
//! stand between them: these begin with the name of the domain, too. So a domain is finished at the first
//! host that does not begin with its name.

/// The domains that are not finished, the last one innermost, with the crawls in which each was counted.
#[derive(Debug, Default)]
pub(super) struct DomainRuns {
    open: Vec<OpenDomain>,
}

#[derive(Debug)]
struct OpenDomain {
    domain: Vec<u8>,
    /// The labels in reverse order, as in `surt_host_name`.
    reversed: Vec<u8>,
    /// A bit for each crawl.
    counted: Vec<u64>,
}

impl DomainRuns {
    /// Returns true if no host of the same domain was passed for the same crawl. `domain` is `None` if the
    /// host has none.
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
            // A leading `www` is not in `surt_host_name`.
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
