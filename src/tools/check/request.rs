//! The crawlers and URLs of a check.

use dataset::crawler::registry::CrawlerRegistry;
use dataset::crawler::{Crawler, DialectChoice};

/// The crawlers and URLs to check, and the dialect by which rules are read.
#[derive(Clone, Copy, Debug)]
pub struct CheckRequest<'a> {
    /// The registry of crawlers.
    pub registry: &'a CrawlerRegistry,
    /// The names of the crawlers.
    pub agents: &'a [String],
    /// The dialect by which rules are read.
    pub dialect: DialectChoice,
    /// The URLs.
    pub urls: &'a [String],
}

impl CheckRequest<'_> {
    /// Returns the crawlers, in the order of `agents`.
    pub(super) fn crawlers(&self) -> impl Iterator<Item = Crawler> {
        let registry = self.registry;
        self.agents
            .iter()
            .map(move |agent| Crawler::new(registry, agent))
    }
}
