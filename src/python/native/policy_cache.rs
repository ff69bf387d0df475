//! A cache of the rules of a file for single crawlers.

use crawlers::{CrawlerPolicy, DialectChoice};
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
    /// Returns the rules for a crawler, if they are in the cache.
    pub(crate) fn get(&self, agent: &str, choice: DialectChoice) -> Option<Arc<CrawlerPolicy>> {
        self.policies.get(agent)?[slot_index(choice)].clone()
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
