//! A host whose captures are added, in the order of their times.

use crate::error::damaged_error;
use crate::own_tables;
use crate::read::capture_record::{CaptureAddress, CaptureRecord};
use crate::read::stored_hosts::{HostContent, HostPeriod, StoredHost};
use errors::Error;
use sort::record;

record! {
    /// A capture of an open host.
    pub(super) struct AddedCapture {
        pub(super) address: CaptureAddress,
        pub(super) position: u32,
        pub(super) period_no: u32,
        pub(super) content_no: Option<u32>,
    }
}

/// A host, and the captures that were added to it.
pub(super) struct OpenHost {
    /// The host with its periods and contents, to which captures are added.
    pub(super) stored: StoredHost,
    /// True if the number of the host is not known yet.
    pub(super) is_new: bool,
    pub(super) captures: Vec<AddedCapture>,
    /// The order of the last capture.
    last_order: (i64, u32),
    /// The source of the last capture, and the number of its period there.
    source_period: Option<(usize, u32)>,
}

/// A host of a history that is continued.
impl From<StoredHost> for OpenHost {
    fn from(stored: StoredHost) -> Self {
        Self {
            stored,
            is_new: false,
            captures: Vec::new(),
            last_order: (i64::MIN, 0),
            source_period: None,
        }
    }
}

impl OpenHost {
    /// Opens a host without captures.
    pub(super) fn new(name: &str) -> Self {
        let host = Self::from(StoredHost {
            surt_host_name: name.to_owned(),
            ..StoredHost::default()
        });
        Self {
            is_new: true,
            ..host
        }
    }

    /// Adds a capture of the crawl at `position`. `source` is the number of the input that has the capture.
    ///
    /// # Errors
    ///
    /// [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if the capture is not later than the last
    /// one.
    pub(super) fn push(
        &mut self,
        source: usize,
        capture: &CaptureRecord<'_>,
        position: u32,
    ) -> Result<(), Error> {
        let order = (capture.time, position);
        if !self.captures.is_empty() && self.last_order >= order {
            return Err(damaged_error(own_tables::HOST_CAPTURES));
        }
        self.last_order = order;
        let source_period = capture.period_no.map(|period_no| (source, period_no));
        let is_known_state = source_period.is_some() && source_period == self.source_period;
        self.source_period = source_period;
        let period_no = self.add_to_period(capture, position, is_known_state);
        let content_no = self.add_content(capture.digest, period_no);
        self.captures.push(AddedCapture {
            address: capture.address,
            position,
            period_no,
            content_no,
        });
        Ok(())
    }

    /// Adds a capture to the last period, or to a new one if its state differs. `is_known_state` is true if the capture
    /// was in the same period of an earlier history as the one before: their states are equal, and are not compared.
    /// Returns the number of the period.
    fn add_to_period(
        &mut self,
        capture: &CaptureRecord<'_>,
        position: u32,
        is_known_state: bool,
    ) -> u32 {
        let fetch_time = capture.address.fetch_time;
        let periods = &mut self.stored.periods;
        let period = periods.last_mut();
        match period.filter(|period| is_known_state || period.state == capture.state) {
            Some(period) => {
                period.last_crawl = position;
                period.last_fetch = fetch_time;
                period.n_captures += 1;
            }
            None => periods.push(HostPeriod {
                first_crawl: position,
                last_crawl: position,
                first_fetch: fetch_time,
                last_fetch: fetch_time,
                n_captures: 1,
                domain_id: 0,
                state: capture.state.to_vec(),
            }),
        }
        periods.len() as u32 - 1
    }

    /// Adds the digest of a content, unless it is the last one of this period. Returns the number of the content;
    /// `None` without a digest.
    fn add_content(&mut self, digest: &[u8], period_no: u32) -> Option<u32> {
        if digest.is_empty() {
            return None;
        }
        let contents = &mut self.stored.contents;
        let last = contents.last();
        if last.is_none_or(|last| last.period_no != period_no || last.digest != digest) {
            contents.push(HostContent {
                period_no,
                digest: digest.to_vec(),
            });
        }
        Some(contents.len() as u32 - 1)
    }
}
