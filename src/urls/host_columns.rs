//! Columns of hosts, as in Common Crawl's indexes. Registered domains are determined with the Public
//! Suffix List of the `psl` crate.

use crate::surt::surt_host_name;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostColumns {
    /// The key of cc-host-index: `www.example.com` is `com,example`.
    pub surt_host_name: String,
    /// The host name, in punycode.
    pub name: String,
    // The offsets in `name` at which these parts start. All of them end at the end of the name.
    tld: Option<usize>,
    registry_suffix: Option<usize>,
    registered_domain: Option<usize>,
    private_suffix: Option<usize>,
}

impl HostColumns {
    /// Returns the last label; `None` for IP addresses.
    pub fn tld(&self) -> Option<&str> {
        self.name_from(self.tld)
    }

    /// Returns the public suffix according to the ICANN section of the Public Suffix List; `None` if
    /// the section has none for this host.
    pub fn registry_suffix(&self) -> Option<&str> {
        self.name_from(self.registry_suffix)
    }

    /// Returns the domain directly below the [`registry_suffix`](Self::registry_suffix).
    pub fn registered_domain(&self) -> Option<&str> {
        self.name_from(self.registered_domain)
    }

    /// Returns the public suffix according to both sections of the list, ICANN and private; `None` if unknown.
    pub fn private_suffix(&self) -> Option<&str> {
        self.name_from(self.private_suffix)
    }

    fn name_from(&self, start: Option<usize>) -> Option<&str> {
        start.map(|start| &self.name[start..])
    }
}

/// Returns the columns of a host. `host` must have been normalized by the `url` crate.
pub fn host_columns(host: &str) -> HostColumns {
    let name = host
        .strip_suffix('.')
        .filter(|name| !name.is_empty())
        .unwrap_or(host);
    let mut columns = HostColumns {
        surt_host_name: surt_host_name(name),
        name: name.to_owned(),
        ..HostColumns::default()
    };
    if !is_address(name) {
        let (private, registry) = public_suffixes(name);
        let start = |part: &str| name.len() - part.len();
        columns.tld = Some(start(last_label(name)));
        columns.registry_suffix = registry.map(start);
        columns.registered_domain = registry
            .and_then(|suffix| domain_below(name, suffix))
            .map(start);
        columns.private_suffix = private.map(start);
    }
    columns
}

/// Returns the last label of a host name; `None` for IP addresses.
pub fn tld(name: &str) -> Option<&str> {
    (!is_address(name)).then(|| last_label(name))
}

fn last_label(name: &str) -> &str {
    let dot = memchr::memrchr(b'.', name.as_bytes());
    &name[dot.map_or(0, |dot| dot + 1)..]
}

/// Returns the domain directly below the public suffix according to the ICANN section of the Public
/// Suffix List; `None` for IP addresses and for names without such a suffix.
pub fn registered_domain(name: &str) -> Option<&str> {
    if is_address(name) {
        return None;
    }
    let (_, registry) = public_suffixes(name);
    domain_below(name, registry?)
}

fn is_address(host: &str) -> bool {
    // An IPv4 address ends with a digit. Testing that first avoids parsing most names.
    let is_ipv4 = || host.parse::<std::net::Ipv4Addr>().is_ok();
    host.starts_with('[') || host.ends_with(|last: char| last.is_ascii_digit()) && is_ipv4()
}

/// Returns two public suffixes of `name`: according to the whole list, and to its ICANN section. Each
/// is `None` if the list has none.
fn public_suffixes(name: &str) -> (Option<&str>, Option<&str>) {
    let (mut candidate, mut longest) = (name, None);
    while let Some(suffix) = psl::suffix(candidate.as_bytes()).filter(psl::Suffix::is_known) {
        let text = &candidate[candidate.len() - suffix.as_bytes().len()..];
        longest = longest.or(Some(text));
        if suffix.typ() == Some(psl::Type::Icann) {
            return (longest, Some(text));
        }
        // A private suffix is below a suffix of a registry.
        match text.split_once('.') {
            Some((_, parent)) => candidate = parent,
            None => break,
        }
    }
    (longest, None)
}

/// Returns the part of `name` that consists of `suffix` and the label before it; `None` if `name` is
/// the suffix itself.
fn domain_below<'a>(name: &'a str, suffix: &str) -> Option<&'a str> {
    let labels_before = name[..name.len() - suffix.len()].strip_suffix('.')?;
    let label = Some(last_label(labels_before)).filter(|label| !label.is_empty())?;
    Some(&name[name.len() - suffix.len() - 1 - label.len()..])
}
