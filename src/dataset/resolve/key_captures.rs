//! The captures of one key up to a time: of an origin, or of a host.

use super::candidate::CandidateFields;
use super::candidate::{Candidate, CaptureFields};
use std::collections::HashMap;

/// The preferred captures of one key.
#[derive(Debug, Default)]
pub(super) struct KeyCaptures {
    /// The preferred capture of each crawl that is no redirect to be followed, sorted by crawl.
    direct: Vec<UrlCandidate>,
    /// The preferred redirect of each crawl to each URL. Other redirects to
    /// the same URL have the same end, so they cannot be selected.
    redirects: HashMap<(u32, Vec<u8>), UrlCandidate>,
}

/// A candidate and its URL.
#[derive(Debug)]
struct UrlCandidate {
    candidate: Candidate,
    url: Vec<u8>,
}

impl UrlCandidate {
    fn new(capture: &CaptureFields<'_>) -> Self {
        Self {
            candidate: capture.candidate,
            url: capture.url.to_vec(),
        }
    }

    /// Replaces it by a capture that is preferred to it.
    fn offer(&mut self, capture: &CaptureFields<'_>) {
        if capture.candidate.is_preferred_to(&self.candidate) {
            *self = Self::new(capture);
        }
    }

    fn fields(&self) -> CandidateFields<'_> {
        CandidateFields {
            candidate: self.candidate,
            url: &self.url,
        }
    }
}

impl KeyCaptures {
    pub(super) fn clear(&mut self) {
        self.direct.clear();
        self.redirects.clear();
    }

    pub(super) fn clear_redirects(&mut self) {
        self.redirects.clear();
    }

    pub(super) fn add(&mut self, capture: &CaptureFields<'_>) {
        let crawl = capture.candidate.id.crawl;
        let new = || UrlCandidate::new(capture);
        if let Some(next_url) = capture.next_url {
            let target = (crawl, next_url.to_vec());
            let redirect = self.redirects.entry(target);
            return redirect.or_insert_with(new).offer(capture);
        }
        let crawl_of = |direct: &UrlCandidate| direct.candidate.id.crawl;
        match self.direct.binary_search_by_key(&crawl, crawl_of) {
            Ok(place) => self.direct[place].offer(capture),
            Err(place) => self.direct.insert(place, new()),
        }
    }

    /// Returns the preferred capture of each crawl that is no redirect to be followed.
    pub(super) fn direct(&self) -> impl Iterator<Item = CandidateFields<'_>> {
        self.direct.iter().map(UrlCandidate::fields)
    }

    /// Returns the redirects to be followed, with their next URLs.
    pub(super) fn redirects(&self) -> impl ExactSizeIterator<Item = (&[u8], CandidateFields<'_>)> {
        let redirects = self.redirects.iter();
        redirects.map(|((_, next_url), first)| (next_url.as_slice(), first.fields()))
    }
}
