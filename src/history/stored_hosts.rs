//! Reads the hosts of a history with their periods and contents, in the order of `surt_host_name`.

use super::capture_record::optional_bytes;
use super::damaged_history_error;
use super::encoded_rows::EncodedRows;
use super::history_input::HistoryReader;
use super::row_key::key_from_text;
use crate::own_tables;
use disk::error::Error;
use sort::sort_key::FieldReader;
use std::collections::BTreeMap;
use std::path::Path;
use tables::Table;

/// A host with its periods and contents, each at the index that is its number.
#[derive(Debug, Default)]
pub(super) struct StoredHost {
    pub(super) host_no: i64,
    pub(super) surt_host_name: String,
    pub(super) periods: Vec<HostPeriod>,
    pub(super) contents: Vec<HostContent>,
}

/// A period of a host: a row of `host_periods`.
#[derive(Debug, Default)]
pub(super) struct HostPeriod {
    /// The positions of the crawls of the first and of the last capture.
    pub(super) first_crawl: u32,
    pub(super) last_crawl: u32,
    /// The times of these captures, in milliseconds since 1970.
    pub(super) first_fetch: Option<i64>,
    pub(super) last_fetch: Option<i64>,
    pub(super) n_captures: u32,
    pub(super) domain_id: i64,
    pub(super) state: Vec<u8>,
}

/// A content of a host: a row of `host_contents`.
#[derive(Debug, Default)]
pub(super) struct HostContent {
    pub(super) period_no: u32,
    pub(super) digest: Vec<u8>,
}

/// A cursor over the hosts of a history.
pub(super) struct StoredHosts<'d> {
    periods: EncodedRows<'d>,
    contents: EncodedRows<'d>,
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
    pub(super) fn open(history: &'d HistoryReader) -> Result<Self, Error> {
        let positions = (0u32..).zip(&history.crawls);
        let positions = positions.map(|(position, row)| (row.crawl.as_bytes(), position));
        let mut hosts = Self {
            periods: history.open_table(own_tables::HOST_PERIODS)?,
            contents: history.open_table(own_tables::HOST_CONTENTS)?,
            positions: positions.collect(),
            root: history.root(),
            host: StoredHost::default(),
            is_at_end: false,
        };
        hosts.read_host(true)?;
        Ok(hosts)
    }

    /// Returns the current host; `None` at the end.
    pub(super) fn peek(&self) -> Option<&StoredHost> {
        (!self.is_at_end).then_some(&self.host)
    }

    /// Takes the current host, and goes to the next one.
    ///
    /// # Errors
    ///
    /// Those of [`advance`](Self::advance).
    pub(super) fn take(&mut self) -> Result<StoredHost, Error> {
        let next = StoredHost {
            surt_host_name: self.host.surt_host_name.clone(),
            ..StoredHost::default()
        };
        let host = std::mem::replace(&mut self.host, next);
        self.read_host(false)?;
        Ok(host)
    }

    /// Goes to the next host.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if hosts, their periods
    /// or their contents are not in order, are not numbered, or name unknown crawls.
    pub(super) fn advance(&mut self) -> Result<(), Error> {
        self.read_host(false)
    }

    fn read_host(&mut self, is_first: bool) -> Result<(), Error> {
        let host = &mut self.host;
        host.periods.clear();
        host.contents.clear();
        let Some(row) = self.periods.peek() else {
            self.is_at_end = true;
            let has_contents = self.contents.peek().is_some();
            return expect(self.root, own_tables::HOST_CONTENTS, !has_contents);
        };
        let mut fields = FieldReader::new(row);
        host.host_no = fields.i64();
        let _period_no = fields.u32();
        // Text columns are always UTF-8, so that the default is never used.
        let name = std::str::from_utf8(fields.bytes()).unwrap_or_default();
        let is_later = is_first || *host.surt_host_name < *name;
        let is_valid = is_later && host.host_no >= 0;
        expect(self.root, own_tables::HOST_PERIODS, is_valid)?;
        name.clone_into(&mut host.surt_host_name);
        self.read_periods()?;
        self.read_contents()
    }

    /// Reads the periods of the current host.
    fn read_periods(&mut self) -> Result<(), Error> {
        let host = &mut self.host;
        while let Some(row) = self.periods.peek() {
            let mut fields = FieldReader::new(row);
            let (host_no, period_no, name) = (fields.i64(), fields.u32(), fields.bytes());
            if name != host.surt_host_name.as_bytes() {
                break;
            }
            let mut position = || self.positions.get(fields.bytes()).copied();
            let crawls = (position(), position());
            let mut time = || (fields.u8() != 0).then(|| fields.i64());
            let (first_fetch, last_fetch) = (time(), time());
            let n_captures = fields.u32();
            // The time of the last capture is stored if that is not the first one.
            let is_single = n_captures == 1;
            let mut period = HostPeriod {
                first_fetch,
                last_fetch: if is_single { first_fetch } else { last_fetch },
                n_captures,
                domain_id: fields.i64(),
                state: fields.rest().to_vec(),
                ..HostPeriod::default()
            };
            let last = host.periods.last();
            let is_next = host_no == host.host_no && period_no as usize == host.periods.len();
            let has_room = host.periods.len() < self.positions.len();
            // Consecutive captures of a host with the same state are one period.
            let is_other = last.is_none_or(|last| last.state != period.state);
            let has_captures = n_captures.cast_signed() > 0 && !(is_single && last_fetch.is_some());
            let is_valid =
                is_next && has_room && is_other && has_captures && has_keys(&period.state);
            let (Some(first), Some(last), true) = (crawls.0, crawls.1, is_valid) else {
                return Err(damaged_history_error(self.root, own_tables::HOST_PERIODS));
            };
            (period.first_crawl, period.last_crawl) = (first, last);
            host.periods.push(period);
            self.periods.advance()?;
        }
        Ok(())
    }

    /// Reads the contents of the current host, whose periods are read.
    fn read_contents(&mut self) -> Result<(), Error> {
        let host = &mut self.host;
        let damaged = || damaged_history_error(self.root, own_tables::HOST_CONTENTS);
        while let Some(row) = self.contents.peek() {
            let mut fields = FieldReader::new(row);
            let (name, content_no, period_no) = (fields.bytes(), fields.u32(), fields.u32());
            if name > host.surt_host_name.as_bytes() {
                break;
            }
            let digest = fields.bytes();
            // Consecutive captures of a period with the same digest have one row.
            let is_other = host.contents.last().is_none_or(|last| {
                last.period_no < period_no || last.period_no == period_no && last.digest != digest
            });
            let has_period = (period_no as usize) < host.periods.len();
            let is_own = name == host.surt_host_name.as_bytes() && !digest.is_empty();
            let is_next = content_no as usize == host.contents.len();
            let has_room = host.contents.len() < self.positions.len();
            if !(is_own && is_next && has_room && is_other && has_period) {
                return Err(damaged());
            }
            host.contents.push(HostContent {
                period_no,
                digest: digest.to_vec(),
            });
            self.contents.advance()?;
        }
        Ok(())
    }
}

/// Returns true if the keys of a state have the form of keys.
fn has_keys(state: &[u8]) -> bool {
    let mut fields = FieldReader::new(state);
    let mut keys =
        ["policy_id", "preferences_id", "preference_set_id"].map(|_| optional_bytes(&mut fields));
    keys.iter_mut()
        .all(|key| key.is_none_or(|key| key_from_text(key).is_some()))
}

/// Returns an error about a table unless a condition is true.
fn expect(root: &Path, table: Table, condition: bool) -> Result<(), Error> {
    match condition {
        true => Ok(()),
        false => Err(damaged_history_error(root, table)),
    }
}
