//! The servers of a process: the pace of each, and how it has answered so far.

use super::pace::{Pace, Refusal};
use super::{RemoteEvent, RemoteUrl};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A function that is called for each [`RemoteEvent`].
pub(super) type OnEvent = Box<dyn Fn(RemoteEvent) + Send + Sync>;

/// All servers to which requests are sent. All requests to one of them share one pace.
pub(super) struct Servers {
    by_authority: Mutex<HashMap<String, Arc<Server>>>,
    on_event: Arc<OnEvent>,
}

/// A server or bucket: the pace of its requests, and how it has answered so far.
pub(super) struct Server {
    /// The host and port, or `s3://` and the bucket.
    authority: String,
    pace: Mutex<Pace>,
    on_event: Arc<OnEvent>,
    request_count: AtomicU64,
    /// True if the server has sent an answer other than 401 and 403.
    has_answered: AtomicBool,
    /// The object that was fetched last, whole or in part.
    last_fetched_url: Mutex<Option<RemoteUrl>>,
    /// Locked while the object that was fetched last is requested again, to find out if the server
    /// denies all objects. Only one task does so at a time.
    pub(super) probe_lock: tokio::sync::Mutex<()>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Server").field(&self.authority).finish()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Servers {
    pub(super) fn new(on_event: OnEvent) -> Self {
        Self {
            by_authority: Mutex::default(),
            on_event: Arc::new(on_event),
        }
    }

    /// Returns the server with this host and port, or with `s3://` and the bucket. A new server gets
    /// `rate_ceiling`, in requests a second.
    pub(super) fn get(&self, authority: &str, rate_ceiling: Option<f64>) -> Arc<Server> {
        let mut servers = lock(&self.by_authority);
        if let Some(server) = servers.get(authority) {
            return Arc::clone(server);
        }
        let server = Arc::new(Server {
            authority: authority.to_owned(),
            pace: Mutex::new(Pace::new(rate_ceiling, Instant::now())),
            on_event: Arc::clone(&self.on_event),
            request_count: AtomicU64::new(0),
            has_answered: AtomicBool::new(false),
            last_fetched_url: Mutex::default(),
            probe_lock: tokio::sync::Mutex::new(()),
        });
        servers.insert(authority.to_owned(), Arc::clone(&server));
        server
    }

    /// Returns the number of requests that were sent to all servers.
    pub(super) fn request_count(&self) -> u64 {
        let servers = lock(&self.by_authority);
        let request_count = |server: &Arc<Server>| server.request_count.load(Ordering::Relaxed);
        servers.values().map(request_count).sum()
    }
}

impl Server {
    /// Waits until a request may be sent. Returns the time at which it is sent.
    pub(super) async fn wait_until_allowed(&self) -> Instant {
        loop {
            let now = Instant::now();
            let allowed = lock(&self.pace).allow_request(now);
            match allowed {
                Ok(()) => {
                    self.request_count.fetch_add(1, Ordering::Relaxed);
                    return now;
                }
                Err(allowed_at) => tokio::time::sleep_until(allowed_at.into()).await,
            }
        }
    }

    /// Pauses all requests to the server, since one that was sent at `sent` was refused.
    pub(super) fn note_refusal(
        &self,
        refusal: Refusal,
        sent: Instant,
        retry_after: Option<Duration>,
        reason: &str,
    ) {
        let now = Instant::now();
        let new_pause = lock(&self.pace).note_refusal(refusal, sent, now, retry_after);
        if let Some(wait) = new_pause {
            (self.on_event)(RemoteEvent::WaitBegins {
                server: self.authority.clone(),
                reason: reason.to_owned(),
                wait,
            });
        }
    }

    /// Notes that a request that was sent at `sent` succeeded, which may end a pause.
    pub(super) fn note_success(&self, sent: Instant) {
        let ended_pause = lock(&self.pace).note_success(sent, Instant::now());
        if let Some(waited) = ended_pause {
            (self.on_event)(RemoteEvent::WaitEnds {
                server: self.authority.clone(),
                waited,
            });
        }
    }

    /// Returns true if a request was refused after `time`, and none has succeeded since.
    pub(super) fn has_refused_since(&self, time: Instant) -> bool {
        lock(&self.pace).has_refused_since(time)
    }

    /// Notes an answer other than 401 and 403.
    pub(super) fn note_answer(&self) {
        self.has_answered.store(true, Ordering::Relaxed);
    }

    /// Returns true if the server has sent an answer other than 401 and 403.
    pub(super) fn has_answered(&self) -> bool {
        self.has_answered.load(Ordering::Relaxed)
    }

    /// Notes an object that was fetched, whole or in part.
    pub(super) fn note_fetched_url(&self, url: &RemoteUrl) {
        *lock(&self.last_fetched_url) = Some(url.clone());
    }

    /// Returns the object that was fetched last, whole or in part.
    pub(super) fn last_fetched_url(&self) -> Option<RemoteUrl> {
        lock(&self.last_fetched_url).clone()
    }
}
