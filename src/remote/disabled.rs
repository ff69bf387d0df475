//! The client if this package is built without the feature `network`: it cannot be started. The program enables that
//! feature by its own feature `remote`.

use super::{FetchError, FetchedFile, ObjectIdentity, RemoteEvent, RemoteOptions, RemoteUrl};
use crate::error::RemoteErrorKind;
use errors::Error;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use warc::ArchiveFile;

/// A client of servers. No value of this type exists.
#[derive(Debug)]
pub struct Remote(Infallible);

impl Remote {
    /// Returns [`RemoteErrorKind::NoRemote`].
    pub fn start(
        _: RemoteOptions,
        _: impl Fn(RemoteEvent) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        Err(Error::new(RemoteErrorKind::NoRemote, ""))
    }

    pub fn options(&self) -> &RemoteOptions {
        match self.0 {}
    }

    /// Returns the number of requests so far.
    pub fn request_count(&self) -> u64 {
        match self.0 {}
    }

    pub fn request(
        &self,
        _: RemoteUrl,
        _: impl FnOnce(Result<FetchedFile, FetchError>) + Send + 'static,
    ) {
        match self.0 {}
    }

    pub fn request_ranges(
        &self,
        _: RemoteUrl,
        _: Vec<Range<u64>>,
        _: impl FnOnce(Result<FetchedFile, FetchError>) + Send + 'static,
    ) {
        match self.0 {}
    }

    pub fn read(&self, _: &RemoteUrl, _: u64) -> Result<Vec<u8>, Error> {
        match self.0 {}
    }

    pub fn fetch(
        &self,
        _: &RemoteUrl,
        _: Option<Range<u64>>,
        _: u64,
        _: &AtomicBool,
    ) -> Result<ArchiveFile, Error> {
        match self.0 {}
    }

    pub fn fetch_identities(
        &self,
        _: Vec<RemoteUrl>,
        _: &AtomicBool,
    ) -> Option<Vec<Option<ObjectIdentity>>> {
        match self.0 {}
    }
}
