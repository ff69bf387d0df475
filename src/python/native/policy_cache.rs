//! A cache of the rules of a file for single crawlers.

use crate::REGISTRY;
use answers::check::ParsedFile;
use crawlers::{Crawler, CrawlerPolicy, DialectChoice};
use std::collections::HashMap;
use std::sync::Arc;

/// The most crawlers whose rules are kept. If there are more, all are dropped.
const MAX_CRAWLERS: usize = 256;

/// The computed rules of one file, by the name of the crawler.
#[derive(Default)]
pub(crate) struct PolicyCache {
    /// For each name the rules by `default` and by each dialect, in the order of [`slot_index`].
    policies: HashMap<String, [Option<Arc<CrawlerPolicy>>; 4]>,
}

impl PolicyCache {
    /// Returns the rules of `file` for a crawler, which are computed at the first call. The cache must be
    /// used for one file only.
    pub(crate) fn get_or_compute(
        &mut self,
        file: &ParsedFile,
        agent: &str,
        choice: DialectChoice,
    ) -> Arc<CrawlerPolicy> {
        if let Some(policy) = self.get(agent, choice) {
            return policy;
        }
        let crawler = Crawler::new(&REGISTRY, agent);
        let policy = Arc::new(file.policy(&crawler, choice));
        self.insert(agent, choice, Arc::clone(&policy));
        policy
    }

    /// Returns the rules for a crawler, if they are in the cache.
    pub(crate) fn get(&self, agent: &str, choice: DialectChoice) -> Option<Arc<CrawlerPolicy>> {
        self.policies.get(agent)?[slot_index(choice)].clone()
    }

    /// Returns true if the rules for a crawler are in the cache.
    pub(crate) fn contains(&self, agent: &str, choice: DialectChoice) -> bool {
        let slots = self.policies.get(agent);
        slots.is_some_and(|slots| slots[slot_index(choice)].is_some())
    }

    /// Stores the rules for a crawler.
    pub(crate) fn insert(
        &mut self,
        agent: &str,
        choice: DialectChoice,
        policy: Arc<CrawlerPolicy>,
    ) {
        if self.policies.len() >= MAX_CRAWLERS {
            self.policies.clear();
        }
        let slots = self.policies.entry(agent.to_owned()).or_default();
        slots[slot_index(choice)] = Some(policy);
    }
}

fn slot_index(choice: DialectChoice) -> usize {
    match choice {
        DialectChoice::Default => 0,
        DialectChoice::Dialect(dialect) => 1 + dialect as usize,
    }
}
