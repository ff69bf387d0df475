//! The stores, servers and timeouts that all requests of a client share.

use super::server::{Server, Servers};
use super::store::Stores;
use super::{RemoteUrl, Scheme};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The stores, servers and timeouts that all requests of a client share. The timeouts are those of
/// [`RemoteOptions`](super::RemoteOptions).
pub(super) struct Network {
    pub(super) stores: Stores,
    pub(super) patience: Duration,
    pub(super) stall_timeout: Duration,
    pub(super) temp_folder: PathBuf,
    pub(super) servers: Arc<Servers>,
}

impl Network {
    /// Returns the server of an object.
    pub(super) fn server(&self, url: &RemoteUrl) -> Arc<Server> {
        match url.scheme() {
            Scheme::S3 => self.stores.bucket_server(url),
            Scheme::Http | Scheme::Https => self.stores.http_server(url),
        }
    }
}
