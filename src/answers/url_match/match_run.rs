//! The options and resources of a running match, and the steps that datasets and histories share: reading the list, and
//! deciding by a status or by rules.

use super::decision::{DecidedPreference, Decision, DecisionBasis, UrlAccess};
use super::lookup::{ListedUrl, MAX_URL_BYTES, write_origin};
use super::options::Options;
use super::progress::MatchProgress;
use super::url_list::{RowTime, UrlListReader};
use crawlers::{CrawlerPolicy, disallow_all_policy};
use disk::SingleFile;
use disk::error::Error;
use robots::{Policy, RobotsTxt, StatusEffect};
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
    pub(super) disallow_all: Policy,
}

/// A row of the URL list whose captures are looked up.
pub(super) struct WantedUrl<'u> {
    pub(super) row: ListedUrl<'u>,
    /// The origin of the URL.
    pub(super) origin: &'u [u8],
    /// The time at which the URL is decided, in milliseconds since 1970; `None` for the newest captures.
    pub(super) time: Option<i64>,
}

/// A function that is called for each row of the list: with the URL, or with the reason why the row is not looked up.
type UrlCallback<'c> =
    dyn FnMut(Result<WantedUrl<'_>, (ListedUrl<'_>, DecisionBasis)>) -> Result<(), Error> + 'c;

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
            disallow_all: disallow_all_policy(options.dialect),
        }
    }

    /// Reads the list, and calls `each` for its rows in order. Returns the number of rows.
    pub(super) fn read_urls(
        &self,
        urls: UrlListReader,
        each: &mut UrlCallback<'_>,
    ) -> Result<u64, Error> {
        let mut origin = Vec::new();
        let mut index = 0;
        let read = urls.read(self.stop, &mut |url, time| {
            let is_accepted = write_origin(url, &mut origin);
            let url = &url[..url.len().min(MAX_URL_BYTES)];
            let row = ListedUrl { index, url };
            let origin = &origin;
            let wanted = |time| Ok(WantedUrl { row, origin, time });
            each(match time {
                _ if !is_accepted => Err((row, DecisionBasis::BadUrl)),
                RowTime::Malformed => Err((row, DecisionBasis::BadTime)),
                RowTime::Time(time) => wanted(Some(time)),
                RowTime::Missing => wanted(self.options.as_of),
            })?;
            index += 1;
            self.progress.set_rows(index);
            Ok(())
        });
        // If the run was stopped, an error of reading the list is a consequence of that.
        self.memory.check_stop()?;
        read?;
        Ok(index)
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
            basis: DecisionBasis::new(policy.basis),
            line_no: access.line_no,
            preference: category
                .map(|category| DecidedPreference(category.preference(policy, url, time))),
        }
    }
}
