//! Finds the content of open revisits among the captures of their own host.
//!
//! According to docs/verdicts.md, a capture of the same URL is preferred. All captures of a URL belong to one host.
//! If none is found here, `revisits.rs` searches the captures of all hosts.

use super::capture_record::StateDetails;

/// The captures of one host that have content, and its open revisits.
#[derive(Debug, Default)]
pub(super) struct HostRevisits {
    /// The states of the periods so far.
    pub(super) states: Vec<StateDetails>,
    /// The digests of the contents so far.
    pub(super) digests: Vec<Vec<u8>>,
    pub(super) contents: Vec<HostContent>,
    pub(super) revisits: Vec<HostRevisit>,
}

/// The time of a capture, and its crawl.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaptureTime {
    /// Milliseconds since 1970; `i64::MIN` if unknown.
    pub(super) millis: i64,
    /// The place of the crawl in the history.
    pub(super) position: u32,
    /// The place of the crawl in the order of first captures.
    pub(super) crawl_rank: u32,
}

/// A capture whose content is known. `state` and `digest` are indexes.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostContent {
    pub(super) time: CaptureTime,
    pub(super) period_id: i64,
    pub(super) state: usize,
    pub(super) digest: usize,
}

/// An open revisit. `state` is an index.
#[derive(Debug)]
pub(super) struct HostRevisit {
    pub(super) time: CaptureTime,
    pub(super) capture_no: i64,
    pub(super) archive_no: i64,
    pub(super) state: usize,
    /// The record of an [`OpenRevisit`](super::revisits::OpenRevisit).
    pub(super) record: Vec<u8>,
}

impl HostRevisits {
    /// Removes all captures, for the next host.
    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.digests.clear();
        self.contents.clear();
        self.revisits.clear();
    }

    /// Returns the capture of the same URL that has the content of a revisit. Its crawl is that of the revisit, or
    /// began earlier. The latest capture that is not later than the revisit is preferred, then the earliest one; of
    /// captures at the same time, that of the later crawl.
    pub(super) fn find(&self, revisit: &HostRevisit) -> Option<&HostContent> {
        let (digest, url) = self.states[revisit.state].revisit.as_ref()?;
        if !self.digests.contains(digest) {
            return None;
        }
        let has_content = |content: &&HostContent| {
            content.time.crawl_rank <= revisit.time.crawl_rank
                && self.digests[content.digest] == *digest
                && self.states[content.state].has_url(url)
        };
        let preference = |content: &&HostContent| {
            let (millis, position) = (content.time.millis, content.time.position);
            match millis <= revisit.time.millis {
                true => (true, millis, position),
                // The complement reverses the order of times.
                false => (false, !millis, position),
            }
        };
        self.contents
            .iter()
            .filter(has_content)
            .max_by_key(preference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture_record::StateOrigin;

    const URL: &str = "https://a.example/robots.txt";

    fn at(millis: i64, position: u32) -> CaptureTime {
        CaptureTime {
            millis,
            position,
            crawl_rank: position,
        }
    }

    /// Returns the position of the capture that is found for a revisit of `URL` with digest `D` at a time.
    fn find(contents: &[(CaptureTime, &str, &str)], revisit: CaptureTime) -> Option<u32> {
        let mut host = HostRevisits::default();
        for (i, (time, scheme, digest)) in contents.iter().enumerate() {
            host.states.push(StateDetails {
                origin: StateOrigin {
                    protocol: scheme.as_bytes().to_vec(),
                    host: b"a.example".to_vec(),
                    port: None,
                },
                ..StateDetails::default()
            });
            host.digests.push(digest.as_bytes().to_vec());
            host.contents.push(HostContent {
                time: *time,
                period_id: 0,
                state: i,
                digest: i,
            });
        }
        host.states.push(StateDetails {
            revisit: Some((b"D".to_vec(), URL.as_bytes().to_vec())),
            ..StateDetails::default()
        });
        let revisit = HostRevisit {
            time: revisit,
            capture_no: 0,
            archive_no: 0,
            state: contents.len(),
            record: Vec::new(),
        };
        host.find(&revisit).map(|content| content.time.position)
    }

    #[test]
    fn the_latest_capture_that_is_not_later_comes_first() {
        let contents = [
            (at(1, 0), "https", "D"),
            (at(5, 1), "https", "D"),
            (at(5, 2), "https", "D"),
            (at(7, 3), "https", "D"),
        ];
        assert_eq!(find(&contents, at(6, 9)), Some(2));
        assert_eq!(find(&contents, at(5, 9)), Some(2));
        assert_eq!(find(&contents, at(4, 9)), Some(0));
        // All captures are later.
        assert_eq!(find(&contents, at(0, 9)), Some(0));
        // Crawls that began later do not count.
        assert_eq!(find(&contents, at(6, 1)), Some(1));
        assert_eq!(find(&contents[1..], at(0, 0)), None);
    }

    #[test]
    fn the_url_and_the_content_must_be_the_same() {
        assert_eq!(find(&[(at(1, 0), "http", "D")], at(2, 1)), None);
        assert_eq!(find(&[(at(1, 0), "https", "E")], at(2, 1)), None);
        assert_eq!(find(&[(at(1, 0), "https", "D")], at(2, 1)), Some(0));
    }
}
