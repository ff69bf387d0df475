//! The client for URLs, and the messages about servers that refuse requests.

use crate::calls::caller::Caller;
use crate::commands::arg_values::DEFAULT_PATIENCE;
use crate::commands::run_args::UrlArgs;
use crate::printing::quantity::{format_duration, parse_duration};
use anyhow::Result;
use remote::{Rate, Remote, RemoteEvent, RemoteOptions};
use scan::ScanNotice;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The most bytes of archives that are fetched ahead and wait in memory until a worker reads them.
const READ_AHEAD_BYTES: u64 = 256 << 20;

/// The upper limit of the time without a byte after which a request is sent again.
const MAX_STALL: Duration = Duration::from_secs(30);

/// Passes messages about servers to the progress display while there is one, otherwise to the caller of the command.
#[derive(Clone, Default)]
pub(crate) struct EventRoute {
    display: Arc<Mutex<Option<Sender<ScanNotice>>>>,
    caller: Caller,
}

impl EventRoute {
    /// Returns a route that passes messages to the caller of a command, until there is a display.
    pub(crate) fn new(caller: &Caller) -> Self {
        Self {
            display: Arc::default(),
            caller: caller.clone(),
        }
    }

    /// Sets the display that receives further messages. With `None`, the caller receives them again.
    pub(crate) fn set_display(&self, display: Option<Sender<ScanNotice>>) {
        *self.display.lock().unwrap_or_else(PoisonError::into_inner) = display;
    }

    fn send(&self, event: RemoteEvent) {
        let display = self.display.lock().unwrap_or_else(PoisonError::into_inner);
        match &*display {
            Some(display) => {
                let _ = display.send(ScanNotice::Remote(event));
            }
            None => self.caller.warn(&describe_event(&event)),
        }
    }
}

/// Starts the client that reads lists and archives at URLs. `shards` is the number of tasks of a cluster that share the
/// rate; `None` if this is the only process.
pub(crate) fn start_scan_client(
    args: &UrlArgs,
    shards: Option<usize>,
    route: &EventRoute,
) -> Result<Remote> {
    let tasks = shards.and_then(|shards| u32::try_from(shards).ok());
    let options = RemoteOptions {
        rate: args.rate.unwrap_or(Rate::Default),
        concurrent_tasks: tasks.unwrap_or(1),
        max_connections: args.connections.map(usize::from),
        read_ahead_bytes: READ_AHEAD_BYTES,
        patience: args.patience,
        stall_timeout: MAX_STALL.min(args.patience / 10),
        temp_folder: std::env::temp_dir(),
        ca_file: args.access.ca.clone(),
        is_anonymous: args.access.no_sign_request,
    };
    start_client(options, route)
}

/// Returns the names of the options for URLs whose values differ from the defaults.
pub(crate) fn changed_url_options(args: &UrlArgs) -> Vec<&'static str> {
    let options = [
        ("--rate", args.rate.is_some()),
        ("--connections", args.connections.is_some()),
        (
            "--patience",
            Ok(args.patience) != parse_duration(DEFAULT_PATIENCE),
        ),
        ("--ca", args.access.ca.is_some()),
        ("--no-sign-request", args.access.no_sign_request),
    ];
    let given = options.into_iter().filter(|(_, is_given)| *is_given);
    given.map(|(name, _)| name).collect()
}

/// Starts a client that sends its events to a route.
pub(crate) fn start_client(options: RemoteOptions, route: &EventRoute) -> Result<Remote> {
    let route = route.clone();
    Ok(Remote::start(options, move |event| route.send(event))?)
}

/// Returns the message about an event.
pub(crate) fn describe_event(event: &RemoteEvent) -> String {
    match event {
        RemoteEvent::WaitBegins {
            server,
            reason,
            wait,
        } => format!(
            "{server}: {reason}; all requests wait, {} before the next one",
            format_duration(*wait)
        ),
        RemoteEvent::WaitEnds { server, waited } => {
            format!("{server} continues after {}", format_duration(*waited))
        }
    }
}
