//! The authoritative capture of one host, for `check --host`.

use super::AsOf;
use super::candidate::{Candidate, CandidateSelection};
use super::capture_rows::for_each_capture;
use super::context::ResolveContext;
use super::origin::{WebOrigin, default_port, without_root_dot};
use super::redirects::authoritative_candidates;
use crate::capture::url::parse_url;
use crate::error::Error;
use crate::external_sort::sort_key::{FieldReader, put_bytes};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The most hosts that are suggested.
const MAX_SIMILAR: usize = 5;

/// A host to look up: a name, optionally with a port and a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    scheme: Option<String>,
    name: String,
    /// `None` matches every port. With a scheme, it is the default of the
    /// scheme if no other is given.
    port: Option<u16>,
    text: String,
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Host {
    /// Parses `example.com`, `example.com:8080`, or a URL, of which only the
    /// origin counts. Returns `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_url = text.contains("://");
        let parse = |scheme: &str| parse_url(format!("{scheme}{text}").as_bytes());
        let url = parse(if is_url { "" } else { "https://" })?;
        let name = url.host_str().filter(|name| !name.is_empty())?;
        let port = if is_url {
            url.port_or_known_default()
        } else {
            // `url` drops the port 443, which is not the default of http.
            let http_url = parse("http://")?;
            url.port().or(http_url.port())
        };
        Some(Self {
            scheme: is_url.then(|| url.scheme().to_owned()),
            name: without_root_dot(name).to_owned(),
            port,
            text: text.to_owned(),
        })
    }

    /// Returns true if the name ends with a known public suffix, such as `com`.
    /// File names rarely do.
    pub fn has_known_suffix(&self) -> bool {
        psl::suffix(self.name.as_bytes()).is_some_and(|suffix| suffix.is_known())
    }

    fn matches(&self, origin: &WebOrigin<'_>) -> bool {
        origin.host == self.name
            && self
                .scheme
                .as_ref()
                .is_none_or(|scheme| scheme == origin.scheme)
            && self
                .port
                .is_none_or(|port| Some(port) == origin.effective_port())
    }
}

/// Suggestions for a host without captures at the requested time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostSuggestions {
    /// The time of the first capture of the host, in milliseconds since 1970.
    pub(crate) first_time: Option<i64>,
    /// Hosts with captures: the same name with other ports and schemes,
    /// subdomains and parents; the shortest first.
    pub(crate) hosts: Vec<String>,
}

/// Finds captures of similar hosts, and of the host at other times.
///
/// # Errors
///
/// Those of reading the dataset.
pub(crate) fn suggest_hosts(
    context: &ResolveContext<'_>,
    host: &Host,
) -> Result<HostSuggestions, Error> {
    let mut first_time: Option<i64> = None;
    // The length comes first, so that the shortest names are kept.
    let mut similar: BTreeSet<(usize, String)> = BTreeSet::new();
    for_each_capture(context, &mut |_, rows, row| {
        let Some(origin) = rows.origin(row).filter(|_| rows.is_robots_path(row)) else {
            return Ok(());
        };
        if host.matches(&origin) {
            let times = first_time.into_iter().chain(rows.time(row));
            first_time = times.min();
        } else if is_similar(origin.host, &host.name) {
            let WebOrigin {
                scheme,
                host: name,
                port,
            } = origin;
            let text = match (name == host.name, port) {
                (true, Some(port)) => format!("{scheme}://{name}:{port}"),
                (true, None) => format!("{scheme}://{name}"),
                (false, _) => name.to_owned(),
            };
            similar.insert((text.len(), text));
            if similar.len() > MAX_SIMILAR {
                similar.pop_last();
            }
        }
        Ok(())
    })?;
    Ok(HostSuggestions {
        first_time,
        hosts: similar.into_iter().map(|(_, text)| text).collect(),
    })
}

/// Returns true if the names are equal, or one is a subdomain of the other. A
/// name of a single label is not a parent.
fn is_similar(name: &str, other: &str) -> bool {
    let is_below = |name: &str, parent: &str| {
        let rest = name.strip_suffix(parent);
        parent.contains('.') && rest.is_some_and(|rest| rest.ends_with('.'))
    };
    name == other || is_below(name, other) || is_below(other, name)
}

/// The order of preference among origins of the same host. The least is
/// preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OriginPreference {
    is_not_https: bool,
    has_other_port: bool,
}

impl OriginPreference {
    /// The preference of an unknown origin.
    const LAST: Self = Self {
        is_not_https: true,
        has_other_port: true,
    };

    fn new(origin: &WebOrigin<'_>) -> Self {
        Self {
            is_not_https: origin.scheme != "https",
            has_other_port: origin.effective_port() != default_port(origin.scheme),
        }
    }
}

/// Returns the authoritative capture of a host at a time.
///
/// The candidates of each origin of the host are those of
/// [`redirects`](super::redirects). In each crawl the preferred one is that
/// which decides most, then https before other schemes, the default port before
/// other ports, the latest, and the smallest `robots_id`. Among crawls the
/// order is that of [`CandidateSelection`].
pub(crate) fn authoritative_capture_of_host(
    context: &ResolveContext<'_>,
    host: &Host,
    as_of: AsOf,
) -> Result<Option<Candidate>, Error> {
    let origins = origins_of(context, host)?;
    let mut lookups = context.memory.sorter();
    let mut record = Vec::new();
    for origin in origins.keys() {
        record.clear();
        put_bytes(&mut record, origin);
        as_of.write(&mut record);
        lookups.push(&record)?;
    }
    let candidates = authoritative_candidates(context, &lookups.finish()?)?;
    let mut reader = candidates.read()?;
    let mut best_by_crawl: BTreeMap<u32, _> = BTreeMap::new();
    while let Some(record) = reader.peek() {
        let mut fields = FieldReader::new(record);
        let preference = origins.get(fields.bytes()).copied();
        AsOf::read(&mut fields);
        let candidate = Candidate::read(&mut fields);
        let order = (
            candidate.rank,
            preference.unwrap_or(OriginPreference::LAST),
            Reverse(candidate.time),
            candidate.id.robots_id,
        );
        let best = best_by_crawl
            .entry(candidate.id.crawl)
            .or_insert((order, candidate));
        if order < best.0 {
            *best = (order, candidate);
        }
        reader.advance()?;
    }
    let mut selection = CandidateSelection::default();
    for (_, candidate) in best_by_crawl.into_values() {
        selection.add(candidate);
    }
    Ok(selection.authoritative())
}

/// Returns the origins of a host that have captures of a robots.txt, as text.
fn origins_of(
    context: &ResolveContext<'_>,
    host: &Host,
) -> Result<BTreeMap<Vec<u8>, OriginPreference>, Error> {
    let mut origins = BTreeMap::new();
    let mut text = Vec::new();
    for_each_capture(context, &mut |_, rows, row| {
        let origin = rows.origin(row).filter(|_| rows.is_robots_path(row));
        if let Some(origin) = origin.filter(|origin| host.matches(origin)) {
            origin.write(&mut text);
            origins.insert(text.clone(), OriginPreference::new(&origin));
        }
        Ok(())
    })?;
    Ok(origins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_may_have_a_scheme_and_a_port() {
        let parse = |text: &str| {
            let host = Host::parse(text)?;
            Some((host.scheme.unwrap_or_default(), host.name, host.port))
        };
        let cases = [
            ("Example.com", "", "example.com", None),
            ("example.com.", "", "example.com", None),
            ("exämple.com:8080", "", "xn--exmple-cua.com", Some(8080)),
            ("example.com:80", "", "example.com", Some(80)),
            ("example.com:443", "", "example.com", Some(443)),
            ("https://example.com", "https", "example.com", Some(443)),
            ("http://example.com/x?y", "http", "example.com", Some(80)),
            ("http://[::1]:81", "http", "[::1]", Some(81)),
        ];
        for (text, scheme, name, port) in cases {
            let expected = Some((scheme.to_owned(), name.to_owned(), port));
            assert_eq!(parse(text), expected, "{text}");
        }
        for (name, other, expected) in [
            ("www.a.example", "a.example", true),
            ("a.example", "www.a.example", true),
            ("a.example", "a.example", true),
            ("ba.example", "a.example", false),
            ("a.example", "example", false),
            ("a.example", "b.example", false),
        ] {
            assert_eq!(is_similar(name, other), expected, "{name} {other}");
        }
        for text in ["", "https://", "a b", "example.com:99999", "://x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
