//! Groups hosts that are sorted by `surt_host_name` by their registered domains.
//!
//! The hosts of a domain are consecutive, with one exception: between them may be hosts of domains whose names have
//! the name of the domain as a prefix, followed by a character that sorts before `,`. So a domain is complete at the
//! first host that does not begin with its name, or has a later character after it.

/// The domains that may have more hosts, each with a value, as a stack: the name of each is a prefix of the next ones.
#[derive(Debug)]
pub struct DomainRuns<V> {
    open: Vec<OpenDomain<V>>,
}

#[derive(Debug, Default)]
struct OpenDomain<V> {
    /// The name of the domain, or that of a host without one.
    domain: Vec<u8>,
    /// The name with its labels in reverse order, as in `surt_host_name`.
    reversed: Vec<u8>,
    value: V,
}

impl<V> Default for DomainRuns<V> {
    fn default() -> Self {
        Self { open: Vec::new() }
    }
}

impl<V: Default> DomainRuns<V> {
    /// Returns the value of the domain of the next host, which is the default at the first host of the domain. `domain` is
    /// `None` for a host without a registered domain, which counts as a domain of its own.
    pub fn value_of(&mut self, surt_host_name: &[u8], domain: Option<&[u8]>) -> &mut V {
        let name = domain.unwrap_or(surt_host_name);
        // The buffers of a domain that is complete are used for the next one.
        let mut complete = None;
        while self.completes_last(surt_host_name, domain) {
            complete = self.open.pop();
        }
        let found = self.open.iter().position(|open| open.domain == name);
        let i = found.unwrap_or_else(|| {
            let mut open = complete.unwrap_or_default();
            open.domain.clear();
            open.domain.extend_from_slice(name);
            // `surt_host_name` begins with the domain in reverse order, unless it lacks the `www` of a domain such as
            // `www.com`: then it is shorter.
            let length = domain.map_or(usize::MAX, <[u8]>::len);
            let reversed = surt_host_name.get(..length).unwrap_or(surt_host_name);
            open.reversed.clear();
            open.reversed.extend_from_slice(reversed);
            open.value = V::default();
            self.open.push(open);
            self.open.len() - 1
        });
        &mut self.open[i].value
    }

    /// Returns true if the next host shows that the domain that was added last has no more hosts.
    pub fn completes_last(&self, surt_host_name: &[u8], domain: Option<&[u8]>) -> bool {
        let name = domain.unwrap_or(surt_host_name);
        self.open.last().is_some_and(|last| {
            let rest = surt_host_name.strip_prefix(&last.reversed[..]);
            let may_have_more =
                rest.is_some_and(|rest| rest.first().is_none_or(|byte| *byte <= b','));
            last.domain != name && !may_have_more
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first host of the domain of each host, and for each host but the last one, true if the next host
    /// completes its domain.
    fn runs(hosts: &[(&'static str, &'static str)]) -> Vec<(&'static str, bool)> {
        let mut runs = DomainRuns::<Option<&str>>::default();
        let mut out: Vec<(&str, bool)> = Vec::new();
        for (surt_host_name, domain) in hosts {
            let host = surt_host_name.as_bytes();
            let domain = (!domain.is_empty()).then_some(domain.as_bytes());
            if let Some((_, is_complete)) = out.last_mut() {
                *is_complete = runs.completes_last(host, domain);
            }
            out.push((
                *runs.value_of(host, domain).get_or_insert(surt_host_name),
                false,
            ));
        }
        out
    }

    #[test]
    fn a_domain_continues_after_hosts_of_domains_that_sort_between_its_hosts() {
        let hosts = [
            ("com,example", "example.com"),
            ("com,example!", "example!.com"),
            ("com,example,a", "example.com"),
            ("com,example-a", "example-a.com"),
            ("com,example-ab", "example-ab.com"),
        ];
        let expected = [
            ("com,example", false),
            ("com,example!", true),
            ("com,example", true),
            ("com,example-a", true),
            ("com,example-ab", false),
        ];
        assert_eq!(runs(&hosts), expected);
    }

    #[test]
    fn a_domain_of_www_and_hosts_without_a_domain() {
        let hosts = [
            ("1.2.3.4", ""),
            ("com", "www.com"),
            ("com,a", "a.com"),
            ("com,www,a", "www.com"),
            ("uk,co", ""),
        ];
        let expected = [
            ("1.2.3.4", true),
            ("com", false),
            ("com,a", true),
            ("com", true),
            ("uk,co", false),
        ];
        assert_eq!(runs(&hosts), expected);
    }
}
