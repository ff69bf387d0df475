//! The authoritative capture of one host, for `check --host`.

use super::candidate::{Candidate, CandidateSelection};
use super::capture_rows::{build_values_filter, for_each_batch};
use super::lookups::{Lookup, find_candidates_by_key};
use super::{AsOf, ResolveContext};
use dataset::CaptureFilter;
use errors::Error;
use sort::Key;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use urls::parse_url;
use urls::{WebOrigin, strip_root_dot};
use urls::{host_columns, tld};

/// The limit of the number of hosts that are suggested.
pub const MAX_SUGGESTED_HOSTS: usize = 5;

/// A host to look up: a name, optionally with a port and a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    scheme: Option<String>,
    name: String,
    /// `None` matches every port. If a scheme is given without a port, this is the default port of
    /// the scheme.
    port: Option<u16>,
    /// The text as it was given.
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
            name: strip_root_dot(name).to_owned(),
            port,
            text: text.to_owned(),
        })
    }

    /// Returns the name as in the column `surt_host_name`.
    pub fn surt_host_name(&self) -> String {
        host_columns(&self.name).surt_host_name
    }

    /// Returns the host with the other form of its name: without the leading `www.`, or with it. Both names have the
    /// same `surt_host_name`. `None` for IP addresses, and if the `surt_host_name` would differ, as for `com`.
    pub fn other_form(&self) -> Option<Self> {
        tld(&self.name)?;
        let name = match self.name.strip_prefix("www.") {
            Some(rest) => rest.to_owned(),
            None => format!("www.{}", self.name),
        };
        let is_one_host = host_columns(&name).surt_host_name == self.surt_host_name();
        is_one_host.then(|| Self {
            scheme: self.scheme.clone(),
            text: name.clone(),
            name,
            port: self.port,
        })
    }

    /// Returns true if the name ends with a known public suffix, such as `com`. Most file names do
    /// not, so this distinguishes hosts from them.
    pub fn has_known_suffix(&self) -> bool {
        psl::suffix(self.name.as_bytes()).is_some_and(|suffix| suffix.is_known())
    }

    /// Returns true if an origin has this name, and this scheme and port as far as they are given.
    pub fn matches(&self, origin: &WebOrigin<'_>) -> bool {
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
pub struct HostSuggestions {
    /// The time of the first capture of the host, in milliseconds since 1970.
    pub first_time: Option<i64>,
    /// Hosts with captures, at most [`MAX_SUGGESTED_HOSTS`]: the same name with other ports and schemes,
    /// subdomains and parent domains, the shortest first; then names that differ by typing errors.
    pub hosts: Vec<String>,
}

/// Suggested hosts, sorted: the number of typing errors, the length of the text in bytes, and the text.
type Similar = BTreeSet<(usize, usize, String)>;

/// Finds hosts with similar names, and the first capture of the host itself.
///
/// # Errors
///
/// Those of reading the dataset.
pub fn suggest_hosts(context: &ResolveContext<'_>, host: &Host) -> Result<HostSuggestions, Error> {
    let found = Mutex::new((None, BTreeSet::new()));
    for_each_batch(context, &CaptureFilter::All, &|rows| {
        for row in 0..rows.len() {
            let Some(origin) = rows.origin(row).filter(|_| rows.is_robots_path(row)) else {
                continue;
            };
            let is_host = host.matches(&origin);
            let distance = if is_similar(origin.host, &host.name) {
                Some(0)
            } else {
                typing_errors(origin.host, &host.name)
            };
            let Some(distance) = distance else {
                continue;
            };
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            let (first_time, similar): &mut (Option<i64>, Similar) = &mut found;
            if is_host {
                *first_time = first_time.iter().copied().chain(rows.time(row)).min();
            } else {
                let text = suggestion_text(host, &origin);
                // Of hosts with the same distance, those with the shortest names are suggested.
                similar.insert((distance, text.len(), text));
                if similar.len() > MAX_SUGGESTED_HOSTS {
                    similar.pop_last();
                }
            }
        }
        Ok(())
    })?;
    let (first_time, similar) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(HostSuggestions {
        first_time,
        hosts: similar.into_iter().map(|(_, _, text)| text).collect(),
    })
}

/// Returns an origin as the text that a user can give instead of `host`.
fn suggestion_text(host: &Host, origin: &WebOrigin<'_>) -> String {
    let WebOrigin {
        scheme,
        host: name,
        port,
    } = origin;
    match (*name == host.name, port) {
        (true, Some(port)) => format!("{scheme}://{name}:{port}"),
        (true, None) => format!("{scheme}://{name}"),
        (false, _) => (*name).to_owned(),
    }
}

/// Returns true if the names are equal, or one is a subdomain of the other. A name of a single label,
/// such as `com`, does not count as a parent domain.
fn is_similar(name: &str, other: &str) -> bool {
    let is_below = |name: &str, parent: &str| {
        let rest = name.strip_suffix(parent);
        parent.contains('.') && rest.is_some_and(|rest| rest.ends_with('.'))
    };
    name == other || is_below(name, other) || is_below(other, name)
}

/// Returns the number of typing errors (inserted, missing, wrong or swapped characters) by which two names
/// differ. `None` if there is more than one, or more than two if both names have ten bytes or more, and for
/// names of fewer than four bytes.
pub fn typing_errors(name: &str, other: &str) -> Option<usize> {
    let most = match name.len().min(other.len()) {
        ..4 => return None,
        4..10 => 1,
        _ => 2,
    };
    let is_near = name.len().abs_diff(other.len()) <= most;
    let distance = is_near.then(|| strsim::osa_distance(name, other))?;
    (distance <= most).then_some(distance)
}

/// Returns the authoritative capture of a host at a time, as
/// [`find_candidates_by_origin`](super::lookups::find_candidates_by_origin) describes it, among the
/// captures of all origins of the host.
pub fn find_authoritative_capture(
    context: &ResolveContext<'_>,
    host: &Host,
    as_of: AsOf,
) -> Result<Option<Candidate>, Error> {
    let mut lookups = context.memory.create_sorter::<Lookup<()>>();
    let mut escaped = Vec::new();
    let key = Key::new(host.name.as_bytes(), &mut escaped);
    lookups.push((key, (as_of, ())))?;
    let filter = build_values_filter("url_host_name", BTreeSet::from([host.name.clone()]));
    let lookups = lookups.finish()?;
    let candidates = find_candidates_by_key(context, &lookups, &filter, &|rows, row, key| {
        key.extend_from_slice(host.name.as_bytes());
        let origin = rows.origin(row).filter(|_| rows.is_robots_path(row));
        origin.is_some_and(|origin| host.matches(&origin))
    })?;
    let mut selection = CandidateSelection::default();
    let mut reader = candidates.read()?;
    while let Some((_, (_, fields))) = reader.next_record()? {
        selection.add(fields.candidate);
    }
    Ok(selection.authoritative_capture())
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

    #[test]
    fn a_name_has_another_form_if_the_tables_have_both_as_one_host() {
        for (text, expected) in [
            ("a.example", Some("www.a.example")),
            ("www.a.example", Some("a.example")),
            ("https://www.a.example:8443", Some("a.example")),
            ("www.example", None),
            ("192.0.2.1", None),
        ] {
            let host = Host::parse(text).unwrap();
            let other = host.other_form();
            let name = other.as_ref().map(ToString::to_string);
            assert_eq!(name.as_deref(), expected, "{text}");
            if let Some(other) = other {
                assert_eq!((other.scheme, other.port), (host.scheme, host.port));
            }
        }
    }

    #[test]
    fn names_with_typing_errors_are_near() {
        for (name, other, expected) in [
            ("exmaple.com", "example.com", Some(1)),
            ("exampl.com", "example.com", Some(1)),
            ("eaxmpel.com", "example.com", Some(2)),
            ("a.org", "a.com", None),
            ("ab.org", "ac.org", Some(1)),
            ("a.b", "a.c", None),
            ("news.example", "shop.example", None),
        ] {
            assert_eq!(typing_errors(name, other), expected, "{name} {other}");
        }
    }
}
