//! The servers of a process: the pace of each, and what is known of its answers.

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

/// A server or bucket: the pace of its requests, and facts about its answers.
pub(super) struct Server {
    /// The host and port, or `s3://` and the bucket.
    authority: String,
    pace: Mutex<Pace>,
    on_event: Arc<OnEvent>,
    requests: AtomicU64,
    /// True if it has answered anything but 401 and 403.
    has_answered: AtomicBool,
    /// An object that it has answered with.
    answered_object: Mutex<Option<RemoteUrl>>,
    /// Locked while that object is asked for again.
    pub(super) probe: tokio::sync::Mutex<()>,
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

    /// Returns the server with this host and port. `ceiling` is that of its rate, if it is new.
    pub(super) fn get(&self, authority: &str, ceiling: Option<f64>) -> Arc<Server> {
        let mut servers = lock(&self.by_authority);
        if let Some(server) = servers.get(authority) {
            return Arc::clone(server);
        }
        let server = Arc::new(Server {
            authority: authority.to_owned(),
            pace: Mutex::new(Pace::new(ceiling, Instant::now())),
            on_event: Arc::clone(&self.on_event),
            requests: AtomicU64::new(0),
            has_answered: AtomicBool::new(false),
            answered_object: Mutex::default(),
            probe: tokio::sync::Mutex::new(()),
        });
        servers.insert(authority.to_owned(), Arc::clone(&server));
        server
    }

    /// Returns the number of requests to all servers.
    pub(super) fn requests(&self) -> u64 {
        let servers = lock(&self.by_authority);
        let requests = |server: &Arc<Server>| server.requests.load(Ordering::Relaxed);
        servers.values().map(requests).sum()
    }
}

impl Server {
    /// Waits until a request may be sent, and returns the time.
    pub(super) async fn acquire(&self) -> Instant {
        loop {
            let now = Instant::now();
            let reserved = lock(&self.pace).reserve(now);
            match reserved {
                Ok(()) => {
                    self.requests.fetch_add(1, Ordering::Relaxed);
                    return now;
                }
                Err(until) => tokio::time::sleep_until(until.into()).await,
            }
        }
    }

    /// Pauses all requests after one that was sent at `sent` was refused.
    pub(super) fn refuse(
        &self,
        refusal: Refusal,
        sent: Instant,
        retry_after: Option<Duration>,
        reason: &str,
    ) {
        let now = Instant::now();
        let first = lock(&self.pace).refuse(refusal, sent, now, retry_after);
        if let Some(wait) = first {
            (self.on_event)(RemoteEvent::WaitBegins {
                server: self.authority.clone(),
                reason: reason.to_owned(),
                wait,
            });
        }
    }

    /// Notes that a request that was sent at `sent` succeeded.
    pub(super) fn succeed(&self, sent: Instant) {
        let ended = lock(&self.pace).succeed(sent, Instant::now());
        if let Some(waited) = ended {
            (self.on_event)(RemoteEvent::WaitEnds {
                server: self.authority.clone(),
                waited,
            });
        }
    }

    /// Returns true if a request was refused after `time`.
    pub(super) fn is_refused_since(&self, time: Instant) -> bool {
        lock(&self.pace).is_refused_since(time)
    }

    /// Notes an answer other than 401 and 403.
    pub(super) fn note_answer(&self) {
        self.has_answered.store(true, Ordering::Relaxed);
    }

    /// Returns true if it has answered anything but 401 and 403.
    pub(super) fn has_answered(&self) -> bool {
        self.has_answered.load(Ordering::Relaxed)
    }

    /// Notes an object that was answered with.
    pub(super) fn note_answered_object(&self, url: &RemoteUrl) {
        *lock(&self.answered_object) = Some(url.clone());
    }

    /// Returns an object that was answered with.
    pub(super) fn answered_object(&self) -> Option<RemoteUrl> {
        lock(&self.answered_object).clone()
    }
}
