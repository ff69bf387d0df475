//! A slow reference implementation of the selection of authoritative captures.
//! It shares no code with `src/hosts`, and searches all captures for
//! every question.

use std::cmp::Reverse;
use support::test_capture::TestCapture;

/// Crawl and `robots_id`.
type CaptureId = (String, i64);

/// A capture with its id in the dataset.
#[derive(Clone, Debug)]
struct ScannedCapture {
    capture: TestCapture,
    id: CaptureId,
}

/// The extent to which a capture decides, and the capture whose rules or status
/// apply. Rank 0 decides most, 4 nothing.
#[derive(Clone, Debug)]
struct Decision {
    rank: u8,
    source: CaptureId,
}

/// Selects authoritative captures by exhaustive search.
pub(crate) struct SelectionOracle {
    all: Vec<ScannedCapture>,
}

impl SelectionOracle {
    /// Takes the captures and their ids, in the same order.
    pub(crate) fn new(captures: &[TestCapture], ids: &[CaptureId]) -> Self {
        assert_eq!(captures.len(), ids.len());
        let all = captures.iter().zip(ids);
        let all = all.map(|(capture, id)| ScannedCapture {
            capture: capture.clone(),
            id: id.clone(),
        });
        Self { all: all.collect() }
    }

    /// Returns the place of a crawl in the order of the times of first captures.
    fn place(&self, crawl: &str) -> (Option<i64>, String) {
        let of_crawl = self.all.iter().filter(|scanned| scanned.id.0 == crawl);
        let first = of_crawl.map(|scanned| scanned.capture.time).min();
        (first, crawl.to_owned())
    }

    /// Returns the capture with the content of a revisit: of the same digest and
    /// status, of its crawl, of the same URL if there is one, the latest up to the revisit, or
    /// else the earliest.
    fn content_of(&self, revisit: &ScannedCapture) -> Option<CaptureId> {
        let content_status = |capture: &TestCapture| match capture.status {
            200 | 304 => 200,
            status => status,
        };
        let has_content = |other: &&ScannedCapture| {
            !other.capture.is_revisit
                && matches!(other.capture.status, 200 | 400..=499)
                && other.capture.digest == revisit.capture.digest
                && content_status(&other.capture) == content_status(&revisit.capture)
                && other.id.0 == revisit.id.0
        };
        let any_url: Vec<&ScannedCapture> = self.all.iter().filter(has_content).collect();
        let same_url = any_url.iter().copied();
        let same_url = same_url.filter(|other| other.capture.url == revisit.capture.url);
        for candidates in [same_url.collect(), any_url.clone()] {
            let candidates: Vec<&ScannedCapture> = candidates;
            let tie = |other: &ScannedCapture| (other.capture.url.clone(), other.id.1);
            let latest = candidates
                .iter()
                .filter(|other| other.capture.time <= revisit.capture.time)
                .max_by_key(|other| (other.capture.time, tie(other)));
            let earliest = candidates
                .iter()
                .max_by_key(|other| (Reverse(other.capture.time), tie(other)));
            if let Some(found) = latest.or(earliest) {
                return Some(found.id.clone());
            }
        }
        None
    }

    /// Returns what a capture decides if no redirect is followed.
    fn own_decision(&self, scanned: &ScannedCapture) -> Decision {
        let status = scanned.capture.status;
        if scanned.capture.is_revisit {
            let content = self.content_of(scanned);
            let rank = match (&content, status) {
                (None, _) => 4,
                (Some(_), 404) => 1,
                (Some(_), _) => 0,
            };
            let source = content.unwrap_or_else(|| scanned.id.clone());
            return Decision { rank, source };
        }
        let rank = match status {
            200 => 0,
            301 | 304 => 4,
            401 | 403 => 2,
            429 | 503 => 3,
            _ => 1,
        };
        Decision {
            rank,
            source: scanned.id.clone(),
        }
    }

    /// Returns the captures of a URL in a crawl up to a second.
    fn captures_of<'a>(
        &'a self,
        crawl: &'a str,
        url: &'a str,
        second: i64,
    ) -> impl Iterator<Item = &'a ScannedCapture> {
        self.all.iter().filter(move |scanned| {
            let capture = &scanned.capture;
            scanned.id.0 == crawl && capture.url == url && capture.time <= second
        })
    }

    /// Returns what a capture decides if redirects are followed.
    fn decision(&self, first: &ScannedCapture, second: i64) -> Decision {
        let unresolved = Decision {
            rank: 4,
            source: first.id.clone(),
        };
        let (mut visited, mut current) = (vec![first.id.1], first);
        for _ in 0..5 {
            let Some(next_url) = &current.capture.location else {
                break;
            };
            let targets = self.captures_of(&first.id.0, next_url, second);
            let target = targets.min_by_key(|target| {
                let rank = self.own_decision(target).rank;
                (rank, Reverse(target.capture.time), target.id.1)
            });
            match target {
                Some(target) if !visited.contains(&target.id.1) => {
                    visited.push(target.id.1);
                    current = target;
                }
                _ => return unresolved,
            }
        }
        match current.capture.location {
            Some(_) => unresolved,
            None => self.own_decision(current),
        }
    }

    /// Returns the capture whose rules or status apply to an origin at a second.
    pub(crate) fn rules_capture(&self, origin: &str, second: i64) -> Option<CaptureId> {
        let url = format!("{origin}/robots.txt");
        let of_crawls = ["C-0", "C-1"].into_iter().filter_map(|crawl| {
            let captures = self.captures_of(crawl, &url, second);
            captures
                .map(|scanned| (self.decision(scanned, second), scanned))
                .min_by_key(|(decision, scanned)| {
                    (decision.rank, Reverse(scanned.capture.time), scanned.id.1)
                })
        });
        let best = of_crawls.max_by_key(|(decision, scanned)| {
            (
                decision.rank < 4,
                scanned.capture.time,
                self.place(&scanned.id.0),
            )
        });
        best.map(|(decision, _)| decision.source)
    }
}
