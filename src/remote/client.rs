//! The client, which runs requests on a network thread.

use super::fetch::{self, WantedBytes};
use super::network::Network;
use super::server::{OnEvent, Servers};
use super::service::Service;
use super::store::{self, Stores};
use super::{
    FetchError, FetchedFile, MAX_OBJECT_BYTES, ObjectIdentity, RemoteEvent, RemoteOptions,
    RemoteUrl,
};
use crate::error::RemoteErrorKind;
use errors::{Error, ErrorKind};
use futures_util::StreamExt;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use warc::ArchiveFile;

/// The time between two checks of whether the run is to stop.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A client that runs requests on a network thread of its own. Dropping the client cancels its requests.
pub struct Remote {
    options: RemoteOptions,
    network: Arc<Network>,
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Remote {
    /// Starts the network thread. `on_event` is called on that thread, and must not block for long.
    ///
    /// # Errors
    ///
    /// [`RemoteErrorKind::NetworkStart`]; [`ErrorKind::Read`] and [`RemoteErrorKind::NoCertificate`] for the
    /// file of certificates.
    pub fn start(
        options: RemoteOptions,
        on_event: impl Fn(RemoteEvent) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let on_event: OnEvent = Box::new(on_event);
        let servers = Arc::new(Servers::new(on_event));
        let service = Service {
            client: store::build_client(&options)?,
            servers: Arc::clone(&servers),
            bucket: None,
            is_anonymous: options.is_anonymous,
            rate_ceiling: None,
            stall_timeout: options.stall_timeout,
        };
        let network = Arc::new(Network {
            stores: Stores::new(&options, service),
            patience: options.patience,
            stall_timeout: options.stall_timeout,
            temp_folder: options.temp_folder.clone(),
            servers,
        });
        let start_error =
            |error: io::Error| Error::with_source(RemoteErrorKind::NetworkStart, "", error);
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().map_err(start_error)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let thread_builder = thread::Builder::new().name("network".to_owned());
        let thread = thread_builder.spawn(move || {
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        });
        Ok(Self {
            options,
            network,
            handle,
            stop: Some(stop),
            thread: Some(thread.map_err(start_error)?),
        })
    }

    /// Returns the options of the client.
    pub fn options(&self) -> &RemoteOptions {
        &self.options
    }

    /// Returns the number of requests so far, including those that were refused.
    pub fn request_count(&self) -> u64 {
        self.network.servers.request_count()
    }

    /// Starts to fetch an object. `deliver` is called on the network thread with the object, or with
    /// the reason why it was not fetched.
    pub fn request(
        &self,
        url: RemoteUrl,
        deliver: impl FnOnce(Result<FetchedFile, FetchError>) + Send + 'static,
    ) {
        let network = Arc::clone(&self.network);
        let requested = url.clone();
        self.handle.spawn(async move {
            let wanted = WantedBytes {
                range: None,
                max_bytes: MAX_OBJECT_BYTES,
            };
            let task =
                tokio::spawn(async move { fetch::fetch(&network, &requested, &wanted).await });
            // `deliver` must be called even if a dependency panics, because the run waits for it.
            let end_error = |_| Err(FetchError::unexpected_end_error(url));
            deliver(task.await.unwrap_or_else(end_error));
        });
    }

    /// Starts to fetch byte ranges of an object, one after the other, which are delivered as one archive.
    /// `deliver` is called on the network thread. A range beyond the end of the object has no bytes.
    pub fn request_ranges(
        &self,
        url: RemoteUrl,
        ranges: Vec<Range<u64>>,
        deliver: impl FnOnce(Result<FetchedFile, FetchError>) + Send + 'static,
    ) {
        let network = Arc::clone(&self.network);
        let requested = url.clone();
        self.handle.spawn(async move {
            let task = tokio::spawn(async move {
                fetch::fetch_ranges(&network, &requested, ranges, MAX_OBJECT_BYTES).await
            });
            let end_error = |_| Err(FetchError::unexpected_end_error(url));
            deliver(task.await.unwrap_or_else(end_error));
        });
    }

    /// Fetches an object of at most `max_bytes`, and waits for it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`], [`RemoteErrorKind::AccessDenied`].
    pub fn read(&self, url: &RemoteUrl, max_bytes: u64) -> Result<Vec<u8>, Error> {
        let (network, requested) = (Arc::clone(&self.network), url.clone());
        let wanted = WantedBytes {
            range: None,
            max_bytes,
        };
        let fetched =
            self.block_on(async move { fetch::fetch(&network, &requested, &wanted).await })?;
        let file = fetched?.file;
        let read_error = |error| Error::read(url.display_path(), error);
        let mut bytes = vec![0; file.length() as usize];
        let mut count = 0;
        while count < bytes.len() {
            match file
                .read_at(count as u64, &mut bytes[count..])
                .map_err(read_error)?
            {
                0 => return Err(read_error(io::ErrorKind::UnexpectedEof.into())),
                more => count += more,
            }
        }
        Ok(bytes)
    }

    /// Fetches an object, or a range of it, and waits for it. More than `max_bytes` are an error.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`], also for too many bytes; [`RemoteErrorKind::AccessDenied`]; [`ErrorKind::Abandoned`] once `stop` is
    /// set.
    pub fn fetch(
        &self,
        url: &RemoteUrl,
        range: Option<Range<u64>>,
        max_bytes: u64,
        stop: &AtomicBool,
    ) -> Result<ArchiveFile, Error> {
        let (network, requested) = (Arc::clone(&self.network), url.clone());
        let wanted = WantedBytes { range, max_bytes };
        let fetched = async move { fetch::fetch(&network, &requested, &wanted).await };
        match self.block_on_unless_stopped(stop, fetched) {
            Some(Ok(fetched)) => Ok(fetched.file),
            Some(Err(error)) => Err(error.into()),
            None if stop.load(Ordering::Relaxed) => {
                Err(Error::new(ErrorKind::Abandoned, url.display_path()))
            }
            None => Err(Error::new(RemoteErrorKind::NetworkStart, "")),
        }
    }

    /// Requests the identities of objects, in the order of `urls`. An identity is `None` if its
    /// request fails. Returns `None` once `stop` is set.
    pub fn fetch_identities(
        &self,
        urls: Vec<RemoteUrl>,
        stop: &AtomicBool,
    ) -> Option<Vec<Option<ObjectIdentity>>> {
        let network = Arc::clone(&self.network);
        let schemes = urls.iter().map(RemoteUrl::scheme);
        let connections = schemes
            .map(|scheme| self.options.max_connections(scheme))
            .min();
        self.block_on_unless_stopped(stop, async move {
            let fetch_identity = |url: RemoteUrl| {
                let network = Arc::clone(&network);
                async move { fetch::fetch_identity(&network, &url).await }
            };
            let requests = urls.into_iter().map(fetch_identity);
            let requests = futures_util::stream::iter(requests);
            requests.buffered(connections.unwrap_or(1)).collect().await
        })
    }

    /// Runs a future on the network thread, and waits for its result. Returns `None` once
    /// `stop` is set, or if the future panicked.
    fn block_on_unless_stopped<T: Send + 'static>(
        &self,
        stop: &AtomicBool,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = mpsc::channel();
        self.handle.spawn(async move {
            let _ = sender.send(future.await);
        });
        loop {
            match receiver.recv_timeout(STOP_CHECK_INTERVAL) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Timeout) if !stop.load(Ordering::Relaxed) => {}
                Err(_) => return None,
            }
        }
    }

    /// Runs a future on the network thread, and waits for its result.
    fn block_on<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Error> {
        let (sender, receiver) = mpsc::channel();
        self.handle.spawn(async move {
            let _ = sender.send(future.await);
        });
        let end_error = |_| Error::new(RemoteErrorKind::NetworkStart, "");
        receiver.recv().map_err(end_error)
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The result is ignored: a thread that panicked has ended, too.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").finish_non_exhaustive()
    }
}
