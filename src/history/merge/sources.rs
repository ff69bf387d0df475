//! The opened inputs of a history, and the order of all crawls.

use crate::error::damaged_history_error;
use crate::options::Options;
use crate::own_tables;
use crate::periods::period_writer::CaptureSource;
use crate::policies::keyed_rows::{KeyedSource, KeyedTables};
use crate::read::agents::check_agents;
use crate::read::crawl::CrawlCaptures;
use crate::read::crawl_row::CrawlRow;
use crate::read::history_captures::{HistoryCaptures, SortedCapture, sort_captures};
use crate::read::history_reader::{HistoryReader, PlacedCrawl, place_crawls};
use crate::read::inputs::Inputs;
use crate::shares::share_row::{SHARE_KEY, ShareRow, SortedShare, push_share};
use dataset::CaptureFilter;
use errors::Error;
use sort::{SortMemory, SortedRecords, Sorter};
use std::collections::{BTreeMap, BTreeSet};

/// The opened inputs, and all crawls in the order of the table `crawls`.
pub(super) struct Sources<'a, 's> {
    pub(super) inputs: &'a Inputs,
    /// The crawls that were read from datasets.
    pub(super) read: &'a [CrawlCaptures<'s>],
    pub(super) histories: &'a [HistoryReader],
    pub(super) crawls: Vec<CrawlRow>,
    /// For each history, the crawls that no other input replaces, with their positions in `crawls`.
    pub(super) placed: Vec<BTreeMap<String, PlacedCrawl>>,
    /// True if some capture has no time.
    pub(super) has_untimed_captures: bool,
}

impl<'a, 's> Sources<'a, 's> {
    pub(super) fn new(
        read: &'a [CrawlCaptures<'s>],
        inputs: &'a Inputs,
        histories: &'a [HistoryReader],
    ) -> Self {
        let mut crawls: Vec<CrawlRow> = read.iter().map(|crawl| crawl.row.clone()).collect();
        for (history, input) in histories.iter().zip(&inputs.histories) {
            let is_kept = |row: &&CrawlRow| input.kept_crawls.contains(&row.crawl);
            crawls.extend(history.crawls.iter().filter(is_kept).cloned());
        }
        crawls.sort_by(|a, b| a.order().cmp(&b.order()));
        let placed = inputs.histories.iter().map(|input| {
            let mut places = place_crawls(&crawls);
            places.retain(|crawl, _| input.kept_crawls.contains(crawl));
            places
        });
        let placed = placed.collect();
        let has_untimed_captures = read.iter().any(|crawl| crawl.has_untimed_captures)
            || inputs
                .histories
                .iter()
                .any(|input| input.manifest.has_untimed_captures);
        Self {
            inputs,
            read,
            histories,
            crawls,
            placed,
            has_untimed_captures,
        }
    }

    /// Returns the history that all other crawls are added to, if no capture of it is later than one of them and none of
    /// its hosts must be counted again: then its captures are the same in the history that is written.
    pub(super) fn continued_history(
        &self,
        options: &Options,
        is_counted: &[bool],
    ) -> Option<&'a HistoryReader> {
        let [history] = self.histories else {
            return None;
        };
        let (before, added) = self.crawls.split_at_checked(history.crawls.len())?;
        let last = before.iter().filter_map(|row| row.last_fetch).max();
        let is_later = added.iter().all(|row| row.first_fetch > last);
        let is_continued = before == history.crawls && is_later;
        let is_whole = options.forgotten.is_empty() && !self.has_untimed_captures;
        let is_copied = !is_counted[..before.len()].contains(&true);
        (is_continued && is_whole && is_copied).then_some(history)
    }

    /// Sorts the captures of all histories by host and time.
    pub(super) fn sort_captures<'m>(
        &self,
        memory: SortMemory<'m>,
    ) -> Result<Vec<SortedRecords<'m, SortedCapture>>, Error> {
        self.histories
            .iter()
            .zip(&self.placed)
            .map(|(history, placed)| sort_captures(history, placed, memory))
            .collect()
    }

    /// Opens the captures of all crawls that were read from datasets, and those of histories, which `sorted` has. Hosts
    /// in `forgotten` are left out.
    pub(super) fn open_captures<'d>(
        &'d self,
        sorted: &'d [SortedRecords<'_, SortedCapture>],
        forgotten: &'d BTreeSet<String>,
    ) -> Result<Vec<CaptureSource<'d>>, Error> {
        let mut captures = Vec::new();
        for crawl in self.read {
            let mut crawls = self.crawls.iter();
            let position = crawls.position(|row| row.crawl == crawl.row.crawl);
            let position = position.unwrap_or_default() as u32;
            captures.push(CaptureSource::Sorted(crawl.captures.source()?, position));
        }
        for (history, sorted) in self.histories.iter().zip(sorted) {
            let reader = HistoryCaptures::open(history, sorted, forgotten)?;
            captures.push(CaptureSource::History(Box::new(reader)));
        }
        Ok(captures)
    }

    /// Opens the rows that all histories have stored under keys.
    pub(super) fn open_keyed(&self, tables: KeyedTables) -> Result<Vec<KeyedSource<'a>>, Error> {
        self.histories
            .iter()
            .map(|history| KeyedSource::open(history.dataset(), tables, &CaptureFilter::All))
            .collect()
    }

    /// Returns the rows of the registry of crawlers, as stored with the last crawl.
    pub(super) fn read_agents(&self) -> Result<Vec<Vec<u8>>, Error> {
        let Some(last) = self.crawls.last().map(|row| &row.crawl) else {
            return Ok(Vec::new());
        };
        if let Some(crawl) = self.read.iter().find(|crawl| crawl.row.crawl == *last) {
            return Ok(crawl.agents.clone());
        }
        let mut histories = self.histories.iter().zip(&self.placed);
        let history = histories.find(|(_, placed)| placed.contains_key(last));
        history.map_or(Ok(Vec::new()), |(history, _)| {
            let rows = history.read_agents()?;
            let checked = check_agents(&rows);
            checked.map_err(|error| error.with_path(history.root()))?;
            Ok(rows)
        })
    }

    /// Copies the rows of `shares` from earlier histories to `rows`, for crawls whose hosts would give the same rows
    /// if they were counted again. Returns a flag for each crawl: true if its hosts must be counted.
    pub(super) fn copy_shares(
        &self,
        options: &Options,
        agents: &[Vec<u8>],
        rows: &mut Sorter<'_, SortedShare>,
    ) -> Result<Vec<bool>, Error> {
        let mut is_counted = vec![true; self.crawls.len()];
        if !options.forgotten.is_empty() {
            return Ok(is_counted);
        }
        for (history, placed) in self.histories.iter().zip(&self.placed) {
            if history.read_agents()? != agents {
                continue;
            }
            let positions = placed.iter();
            let positions = positions.map(|(crawl, place)| (crawl.as_str(), place.position));
            let positions: BTreeMap<&str, u32> = positions.collect();
            for position in positions.values() {
                is_counted[*position as usize] = false;
            }
            let places = history.places();
            let damaged = || damaged_history_error(history.root(), own_tables::SHARES);
            let mut shares = history.rows::<ShareRow<'_>>()?;
            let mut last = None;
            while let Some(row) = shares.next_bytes()? {
                let share = SHARE_KEY.read(row);
                let place = places.get(share.crawl).ok_or_else(damaged)?;
                let key = Some((share.agent.to_vec(), place.position, share.class()));
                if last >= key {
                    return Err(damaged());
                }
                last = key;
                if let Some(position) = positions.get(share.crawl) {
                    push_share(row, *position, rows)?;
                }
            }
        }
        Ok(is_counted)
    }
}
