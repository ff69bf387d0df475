//! The capture that speaks for one host.

use super::candidate::{Page, Pick};
use super::captures::each_row;
use super::origin;
use super::redirects::speakers;
use crate::capture::url::parse_url;
use crate::crawler::DialectChoice;
use crate::dataset::Dataset;
use crate::error::Error;
use crate::external_sort::sort_key::{Values, put_i64, put_text};
use crate::external_sort::{Scratch, Sorter};
use crate::url_match::{Job, MEMORY_MIN, NEWEST, Progress};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A host that is asked for: its name, perhaps a port, perhaps a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    scheme: Option<String>,
    name: String,
    /// `None`: any, unless the scheme is said, which has its own.
    port: Option<u16>,
    text: String,
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Host {
    /// Reads `example.com`, `example.com:8080`, or a URL, of which only the
    /// origin counts; `None` if it is nothing of the kind.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_url = text.contains("://");
        let parse = |scheme: &str| parse_url(format!("{scheme}{text}").as_bytes());
        let url = parse(if is_url { "" } else { "https://" })?;
        let mut name = url.host_str().filter(|name| !name.is_empty())?;
        name = name
            .strip_suffix('.')
            .filter(|it| !it.is_empty())
            .unwrap_or(name);
        let port = if is_url {
            url.port_or_known_default()
        } else {
            // The port that is https's own is not that of http.
            let other = parse("http://")?;
            url.port().or(other.port())
        };
        Some(Self {
            scheme: is_url.then(|| url.scheme().to_owned()),
            name: name.to_owned(),
            port,
            text: text.to_owned(),
        })
    }

    /// Returns true if the name ends with a public suffix that is known, such as
    /// `com`. File names seldom do.
    pub fn has_known_suffix(&self) -> bool {
        psl::suffix(self.name.as_bytes()).is_some_and(|suffix| suffix.is_known())
    }

    fn is(&self, scheme: &str, name: &str, port: u16) -> bool {
        name == self.name
            && self.scheme.as_ref().is_none_or(|it| it == scheme)
            && self.port.is_none_or(|it| it == port)
    }
}

/// The most hosts that are suggested.
const SIMILAR_MAX: usize = 5;

/// The captures closest to a host that has none at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nearby {
    /// The time of the host's first capture, in milliseconds since 1970.
    pub(crate) first_time: Option<i64>,
    /// Hosts with captures: its other ports and schemes, subdomains and
    /// parents; the shortest first.
    pub(crate) hosts: Vec<String>,
}

/// Finds the captures closest to a host.
///
/// # Errors
///
/// Those of reading the dataset.
pub(crate) fn nearby(dataset: &Dataset, scratch: &Scratch, host: &Host) -> Result<Nearby, Error> {
    let progress = Progress::default();
    let mut first_time: Option<i64> = None;
    let mut similar: BTreeSet<(usize, String)> = BTreeSet::new();
    each_row(&job(dataset, scratch, &progress), &mut |_, rows, row| {
        let Some((scheme, name, port)) = rows.host(row) else {
            return Ok(());
        };
        if !rows.is_robots_path.value(row) {
            return Ok(());
        }
        let number = port.unwrap_or(origin::own_port(scheme));
        if host.is(scheme, name, number) {
            let time = rows.time(row);
            first_time = Some(first_time.map_or(time, |first| first.min(time)));
        } else if is_similar(name, &host.name) {
            let text = match (name == host.name, port) {
                (true, Some(port)) => format!("{scheme}://{name}:{port}"),
                (true, None) => format!("{scheme}://{name}"),
                (false, _) => name.to_owned(),
            };
            similar.insert((text.len(), text));
            if similar.len() > SIMILAR_MAX {
                similar.pop_last();
            }
        }
        Ok(())
    })?;
    Ok(Nearby {
        first_time,
        hosts: similar.into_iter().map(|(_, text)| text).collect(),
    })
}

/// Returns true if the names are equal, or one is a subdomain of the other. A
/// name of a single label is no parent.
fn is_similar(name: &str, other: &str) -> bool {
    let is_below = |name: &str, parent: &str| {
        let rest = name.strip_suffix(parent);
        parent.contains('.') && rest.is_some_and(|rest| rest.ends_with('.'))
    };
    name == other || is_below(name, other) || is_below(other, name)
}

fn job<'j>(dataset: &'j Dataset, scratch: &'j Scratch, progress: &'j Progress) -> Job<'j> {
    Job {
        dataset,
        scratch,
        crawlers: &[],
        asked: DialectChoice::Default,
        memory: MEMORY_MIN,
        progress,
    }
}

/// Finds the capture that speaks for a host at a time, the newest if none is
/// given.
///
/// Of each origin of the host those of each crawl are chosen as
/// [`speakers`](super::redirects) says; of these, in each crawl, what decides
/// most, then https before others, the scheme's own port before others, the
/// latest, the smallest `robots_id`; and among crawls as ever.
pub(crate) fn speaker(
    dataset: &Dataset,
    scratch: &Scratch,
    host: &Host,
    at: Option<i64>,
) -> Result<Option<Page>, Error> {
    let progress = Progress::default();
    let job = job(dataset, scratch, &progress);
    // Whether it is https, and at its own port, stands for each origin.
    let mut origins: BTreeSet<(Vec<u8>, bool, bool)> = BTreeSet::new();
    let mut text = Vec::new();
    each_row(&job, &mut |_, rows, row| {
        let Some((scheme, name, port)) = rows.host(row) else {
            return Ok(());
        };
        let number = port.unwrap_or(origin::own_port(scheme));
        if rows.is_robots_path.value(row) && host.is(scheme, name, number) {
            origin::write(scheme, name, port, &mut text);
            let is_own = number == origin::own_port(scheme);
            origins.insert((text.clone(), scheme == "https", is_own));
        }
        Ok(())
    })?;
    let mut questions = Sorter::new(scratch, MEMORY_MIN as usize);
    let mut record = Vec::new();
    for (origin, ..) in &origins {
        record.clear();
        put_text(&mut record, origin);
        put_i64(&mut record, at.unwrap_or(NEWEST));
        questions.push(&record)?;
    }
    let candidates = speakers(&job, &questions.finish()?)?;
    let mut reader = candidates.read()?;
    // The best of each crawl, with its place in the order of origins.
    let mut of_crawls: BTreeMap<u32, _> = BTreeMap::new();
    while let Some(record) = reader.peek() {
        let mut values = Values(record);
        let text = values.text();
        let found = origins.iter().find(|(origin, ..)| origin == text);
        let (is_https, is_own) = found.map_or((false, false), |(_, https, own)| (*https, *own));
        values.i64();
        let page = Page::read(&mut values);
        let order = (
            page.rank,
            !is_https,
            !is_own,
            Reverse(page.time),
            page.robots_id,
        );
        let best = of_crawls.entry(page.crawl).or_insert((order, page));
        if order < best.0 {
            *best = (order, page);
        }
        reader.advance()?;
    }
    let mut pick = Pick::default();
    of_crawls.into_values().for_each(|(_, page)| pick.add(page));
    Ok(pick.best())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_may_have_a_scheme_and_a_port() {
        let read = |text: &str| {
            let it = Host::parse(text)?;
            Some((it.scheme.unwrap_or_default(), it.name, it.port))
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
            assert_eq!(read(text), expected, "{text}");
        }
        for (name, other, is) in [
            ("www.a.example", "a.example", true),
            ("a.example", "www.a.example", true),
            ("a.example", "a.example", true),
            ("ba.example", "a.example", false),
            ("a.example", "example", false),
            ("a.example", "b.example", false),
        ] {
            assert_eq!(is_similar(name, other), is, "{name} {other}");
        }
        for text in ["", "https://", "a b", "example.com:99999", "://x"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
