//! Collects the preferred captures of one key, which identifies an origin or a host.

use super::candidate::CandidateFields;
use super::candidate::{Candidate, CaptureFields};
use std::collections::HashMap;

/// The captures of one key that may be selected.
#[derive(Debug, Default)]
pub(super) struct KeyCaptures {
    /// The preferred capture of each crawl among those that are not redirects to be followed,
    /// sorted by crawl.
    direct_captures: Vec<UrlCandidate>,
    /// The preferred redirect of each crawl to each URL. Other redirects to the same URL end at the
    /// same capture, so they are never selected.
    redirects: HashMap<(u32, Vec<u8>), UrlCandidate>,
}

/// A candidate and the short form of its URL.
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

    fn replace_if_preferred(&mut self, capture: &CaptureFields<'_>) {
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
        self.direct_captures.clear();
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
            return redirect.or_insert_with(new).replace_if_preferred(capture);
        }
        let candidate_crawl = |direct: &UrlCandidate| direct.candidate.id.crawl;
        match self
            .direct_captures
            .binary_search_by_key(&crawl, candidate_crawl)
        {
            Ok(position) => self.direct_captures[position].replace_if_preferred(capture),
            Err(position) => self.direct_captures.insert(position, new()),
        }
    }

    /// Returns the preferred capture of each crawl among those that are not redirects to be
    /// followed.
    pub(super) fn direct_captures(&self) -> impl Iterator<Item = CandidateFields<'_>> {
        self.direct_captures.iter().map(UrlCandidate::fields)
    }

    /// Returns the redirects to be followed, each as a pair of its target URL and its candidate.
    pub(super) fn redirects(&self) -> impl ExactSizeIterator<Item = (&[u8], CandidateFields<'_>)> {
        let redirects = self.redirects.iter();
        redirects.map(|((_, next_url), first)| (next_url.as_slice(), first.fields()))
    }
}
