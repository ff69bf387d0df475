//! Reads the hosts of a history with their periods and contents, in the order of `surt_host_name`.

use crate::error::damaged_history_error;
use crate::own_tables::{self, STATE};
use crate::policies::row_key::key_from_text;
use crate::read::capture_record::{STATE_KEYS, StateWords};
use crate::read::history_reader::HistoryReader;
use dataset::{Rows, row};
use errors::Error;
use std::collections::BTreeMap;
use std::path::Path;
use tables::Table;

row! {
    /// A row of `host_periods`.
    pub(crate) whole struct PeriodRow<'a> of own_tables::HOST_PERIODS, sorted by (surt_host_name, period_no) {
        pub(crate) host_no: i64,
        pub(crate) period_no: u32,
        pub(crate) surt_host_name: &'a [u8],
        pub(crate) first_crawl: &'a [u8],
        pub(crate) last_crawl: &'a [u8],
        pub(crate) first_fetch: Option<i64>,
        pub(crate) last_fetch: Option<i64>,
        pub(crate) n_captures: u32,
        pub(crate) domain_id: i64,
        ..state: STATE as StateWords,
    }
}

row! {
    /// A row of `host_contents`.
    pub(crate) whole struct ContentRow<'a> of own_tables::HOST_CONTENTS, sorted by (surt_host_name, content_no) {
        pub(crate) surt_host_name: &'a [u8],
        pub(crate) content_no: u32,
        pub(crate) period_no: u32,
        pub(crate) content_digest: &'a [u8],
    }
}

/// A host with its periods and contents, each at the index that is its number.
#[derive(Debug, Default)]
pub(crate) struct StoredHost {
    pub(crate) host_no: i64,
    pub(crate) surt_host_name: String,
    pub(crate) periods: Vec<HostPeriod>,
    pub(crate) contents: Vec<HostContent>,
}

/// A period of a host: a row of `host_periods`.
#[derive(Debug, Default)]
pub(crate) struct HostPeriod {
    /// The positions of the crawls of the first and of the last capture.
    pub(crate) first_crawl: u32,
    pub(crate) last_crawl: u32,
    /// The times of these captures, in milliseconds since 1970.
    pub(crate) first_fetch: Option<i64>,
    pub(crate) last_fetch: Option<i64>,
    pub(crate) n_captures: u32,
    pub(crate) domain_id: i64,
    pub(crate) state: Vec<u8>,
}

/// A content of a host: a row of `host_contents`.
#[derive(Debug, Default)]
pub(crate) struct HostContent {
    pub(crate) period_no: u32,
    pub(crate) digest: Vec<u8>,
}

/// A cursor over the hosts of a history.
pub(crate) struct StoredHosts<'d> {
    periods: Rows<'d, PeriodRow<'static>>,
    contents: Rows<'d, ContentRow<'static>>,
    /// The position of each crawl in the history, by name.
    positions: BTreeMap<&'d [u8], u32>,
    root: &'d Path,
    host: StoredHost,
    is_at_end: bool,
}

impl<'d> StoredHosts<'d> {
    /// Opens the tables, and reads the first host.
    ///
    /// # Errors
    ///
    /// Those of [`advance`](Self::advance).
    pub(crate) fn open(history: &'d HistoryReader) -> Result<Self, Error> {
        let positions = (0u32..).zip(&history.crawls);
        let positions = positions.map(|(position, row)| (row.crawl.as_bytes(), position));
        let mut hosts = Self {
            periods: history.rows()?,
            contents: history.rows()?,
            positions: positions.collect(),
            root: history.root(),
            host: StoredHost::default(),
            is_at_end: false,
        };
        hosts.advance()?;
        Ok(hosts)
    }

    /// Returns the current host; `None` at the end.
    pub(crate) fn peek(&self) -> Option<&StoredHost> {
        (!self.is_at_end).then_some(&self.host)
    }

    /// Takes the current host, and goes to the next one.
    ///
    /// # Errors
    ///
    /// Those of [`advance`](Self::advance).
    pub(crate) fn take(&mut self) -> Result<StoredHost, Error> {
        let next = StoredHost {
            surt_host_name: self.host.surt_host_name.clone(),
            ..StoredHost::default()
        };
        let host = std::mem::replace(&mut self.host, next);
        self.advance()?;
        Ok(host)
    }

    /// Goes to the next host.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if hosts, their periods
    /// or their contents are not in order, are not numbered, or name unknown crawls.
    pub(crate) fn advance(&mut self) -> Result<(), Error> {
        let host = &mut self.host;
        host.periods.clear();
        host.contents.clear();
        let Some(row) = self.periods.peek()? else {
            self.is_at_end = true;
            let has_contents = !self.contents.is_at_end()?;
            return expect(self.root, own_tables::HOST_CONTENTS, !has_contents);
        };
        expect(self.root, own_tables::HOST_PERIODS, row.host_no >= 0)?;
        host.host_no = row.host_no;
        // Text columns are always UTF-8, so that the default is never used.
        let name = std::str::from_utf8(row.surt_host_name).unwrap_or_default();
        name.clone_into(&mut host.surt_host_name);
        self.read_periods()?;
        self.read_contents()
    }

    /// Reads the periods of the current host.
    fn read_periods(&mut self) -> Result<(), Error> {
        let host = &mut self.host;
        let is_of_host = |name: &str, row: PeriodRow<'_>| row.surt_host_name == name.as_bytes();
        while let Some(row) = self
            .periods
            .next_if(|row| is_of_host(&host.surt_host_name, row))?
        {
            let position = |crawl: &[u8]| self.positions.get(crawl).copied();
            let crawls = (position(row.first_crawl), position(row.last_crawl));
            // The time of the last capture is stored if that is not the first one.
            let is_single = row.n_captures == 1;
            let mut period = HostPeriod {
                first_fetch: row.first_fetch,
                last_fetch: if is_single {
                    row.first_fetch
                } else {
                    row.last_fetch
                },
                n_captures: row.n_captures,
                domain_id: row.domain_id,
                state: row.state.0.to_vec(),
                ..HostPeriod::default()
            };
            let last = host.periods.last();
            let is_next =
                row.host_no == host.host_no && row.period_no as usize == host.periods.len();
            let has_room = host.periods.len() < self.positions.len();
            // Consecutive captures of a host with the same state are one period.
            let is_other = last.is_none_or(|last| last.state != period.state);
            let has_captures =
                row.n_captures.cast_signed() > 0 && !(is_single && row.last_fetch.is_some());
            let is_valid =
                is_next && has_room && is_other && has_captures && has_keys(&period.state);
            let (Some(first), Some(last), true) = (crawls.0, crawls.1, is_valid) else {
                return Err(damaged_history_error(self.root, own_tables::HOST_PERIODS));
            };
            (period.first_crawl, period.last_crawl) = (first, last);
            host.periods.push(period);
        }
        Ok(())
    }

    /// Reads the contents of the current host, whose periods are read.
    fn read_contents(&mut self) -> Result<(), Error> {
        let host = &mut self.host;
        let is_reached = |name: &str, row: ContentRow<'_>| row.surt_host_name <= name.as_bytes();
        while let Some(row) = self
            .contents
            .next_if(|row| is_reached(&host.surt_host_name, row))?
        {
            // Consecutive captures of a period with the same digest have one row.
            let is_other = host.contents.last().is_none_or(|last| {
                last.period_no < row.period_no
                    || last.period_no == row.period_no && last.digest != row.content_digest
            });
            let has_period = (row.period_no as usize) < host.periods.len();
            let is_own = row.surt_host_name == host.surt_host_name.as_bytes()
                && !row.content_digest.is_empty();
            let is_next = row.content_no as usize == host.contents.len();
            let has_room = host.contents.len() < self.positions.len();
            if !(is_own && is_next && has_room && is_other && has_period) {
                return Err(damaged_history_error(self.root, own_tables::HOST_CONTENTS));
            }
            host.contents.push(HostContent {
                period_no: row.period_no,
                digest: row.content_digest.to_vec(),
            });
        }
        Ok(())
    }
}

/// Returns true if the keys of a state have the form of keys.
fn has_keys(state: &[u8]) -> bool {
    let state = STATE_KEYS.read(state);
    let keys = [
        state.policy_id,
        state.preferences_id,
        state.preference_set_id,
    ];
    keys.into_iter()
        .flatten()
        .all(|key| key_from_text(key).is_some())
}

/// Returns an error about a table unless a condition is true.
fn expect(root: &Path, table: Table, condition: bool) -> Result<(), Error> {
    if condition {
        Ok(())
    } else {
        Err(damaged_history_error(root, table))
    }
}
