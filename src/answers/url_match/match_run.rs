//! The options and resources of a running match, and its decisions by a status or by rules.

use super::decision::{DecidedPreference, Decision, DecisionBasis, UrlAccess};
use super::options::Options;
use super::progress::MatchProgress;
use crawlers::CrawlerPolicy;
use disk::SingleFile;
use robots::{RobotsTxt, StatusEffect};
use sort::SortMemory;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The options and resources that all steps of a match use, over a dataset or a history.
pub(super) struct MatchRun<'a> {
    pub(super) options: &'a Options,
    pub(super) memory: SortMemory<'a>,
    pub(super) output: &'a SingleFile,
    pub(super) progress: &'a MatchProgress,
    pub(super) stop: &'a Arc<AtomicBool>,
    /// The rules that apply if the HTTP status disallows everything.
    pub(super) disallow_all: CrawlerPolicy,
}

impl<'a> MatchRun<'a> {
    pub(super) fn new(
        options: &'a Options,
        memory: SortMemory<'a>,
        output: &'a SingleFile,
        progress: &'a MatchProgress,
        stop: &'a Arc<AtomicBool>,
    ) -> Self {
        Self {
            options,
            memory,
            output,
            progress,
            stop,
            disallow_all: CrawlerPolicy::from_status(StatusEffect::DisallowAll, options.dialect)
                .expect("this effect has a policy"),
        }
    }

    /// Returns the rules of a file for each crawler, in the order of the options.
    pub(super) fn policies(&self, robots: &RobotsTxt<'_>) -> Vec<CrawlerPolicy> {
        let crawlers = self.options.crawlers.iter();
        let policies = crawlers.map(|crawler| crawler.policy(self.options.dialect, robots));
        policies.collect()
    }

    /// Returns the decision for a URL by an HTTP status with this effect; `None` if the rules decide.
    pub(super) fn decide_by_status(&self, effect: StatusEffect, url: &[u8]) -> Option<Decision> {
        let access = match effect {
            StatusEffect::AllowAll => UrlAccess::Allowed,
            StatusEffect::DisallowAll => UrlAccess::new(self.disallow_all.access(url)),
            StatusEffect::Follow | StatusEffect::Defer => UrlAccess::Unknown,
            StatusEffect::Parse => return None,
        };
        let has_category = self.options.category.is_some();
        Some(Decision::new_by_status(access, has_category))
    }

    /// Returns the decision for a URL by the rules for a crawler. `time` is the time of the capture in milliseconds
    /// since 1970, which selects the vocabulary of preferences.
    pub(super) fn decide_by_rules(
        &self,
        policy: &CrawlerPolicy,
        url: &[u8],
        time: Option<i64>,
    ) -> Decision {
        let access = policy.access(url);
        let category = self.options.category.as_ref();
        Decision {
            access: UrlAccess::new(access),
            basis: DecisionBasis::Verdict(policy.basis),
            line_no: access.line_no,
            preference: category
                .map(|category| DecidedPreference(category.preference(policy, url, time))),
        }
    }
}
