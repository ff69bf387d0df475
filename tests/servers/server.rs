//! An HTTP/1.1 file server for tests, with scripted faults and a log of all requests.
//!
//! It serves a map from paths to bytes on 127.0.0.1, with one thread per connection. A script of
//! [`Fault`]s changes its answers. The faults that apply to a request are tried in the order in
//! which they were added: the first one that answers in place of the object decides
//! ([`Fault::Status`], for example), and all others act on the transfer of the object.

use super::answer::{Answer, End, parse_range};
use super::script::{Fault, Rule};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The longest time to wait for requests, or for the port when the server is started again.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time that a client has to read what was sent before its connection is reset.
const BEFORE_RESET: Duration = Duration::from_millis(50);

/// The size of the chunks of [`Fault::Chunked`].
const CHUNK_BYTES: usize = 1000;

/// The kind of entity tags that a server sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Etags {
    #[default]
    Strong,
    Weak,
    None,
}

/// A request in the log.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The time of its arrival.
    pub(crate) at: Instant,
    pub(crate) method: String,
    /// The path with its query.
    pub(crate) target: String,
    pub(crate) range: Option<String>,
    pub(crate) if_match: Option<String>,
    pub(crate) authorization: Option<String>,
    /// The status of the answer; `None` if there was none.
    pub(crate) status: Option<u16>,
    /// The number of requests that waited for their answers when it arrived, with itself.
    pub(crate) waiting: usize,
}

impl Request {
    /// Returns the path without its query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Returns the first position of the requested range: 0 for the whole object.
    pub(crate) fn first_byte(&self) -> usize {
        let range = self.range.as_deref().unwrap_or("bytes=0-");
        let first = range.strip_prefix("bytes=").unwrap().split('-').next();
        first.unwrap().parse().unwrap()
    }
}

/// Returns the strong entity tag of an object.
pub(crate) fn etag(bytes: &[u8]) -> String {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    format!("\"{hash:016x}\"")
}

/// A running server. It stops when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server on a free port.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        Self {
            acceptor: Some(accept(listener, Arc::clone(&shared))),
            address,
            shared,
        }
    }

    /// Returns the port.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the host and the port.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    /// Returns the URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Adds or replaces an object.
    pub(crate) fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        let bytes: Vec<u8> = bytes.into();
        let mut state = self.shared.state();
        state.objects.insert(path.to_owned(), bytes.into());
    }

    /// Sets the kind of entity tags.
    pub(crate) fn set_etags(&self, etags: Etags) {
        self.shared.state().etags = etags;
    }

    /// Adds a fault to the script, for one path or for all.
    pub(crate) fn script(&self, path: Option<&str>, fault: Fault) {
        self.shared.state().script.push(Rule::new(path, fault));
    }

    /// Ends all faults.
    pub(crate) fn clear_script(&self) {
        self.shared.state().script.clear();
    }

    /// Returns all requests in the order of their arrival.
    pub(crate) fn log(&self) -> Vec<Request> {
        self.shared.state().log.clone()
    }

    /// Returns the `GET` requests of a path.
    pub(crate) fn gets(&self, path: &str) -> Vec<Request> {
        let mut log = self.log();
        log.retain(|request| request.method == "GET" && request.path() == path);
        log
    }

    /// Forgets all requests.
    pub(crate) fn clear_log(&self) {
        self.shared.state().log.clear();
    }

    /// Waits until the log has this number of requests.
    #[track_caller]
    pub(crate) fn wait_for(&self, requests: usize) {
        let state = self.shared.state();
        let is_short = |state: &mut State| state.log.len() < requests;
        let waited = self
            .shared
            .logged
            .wait_timeout_while(state, PATIENCE, is_short);
        let (state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(!timeout.timed_out(), "{} requests", state.log.len());
    }

    /// Closes the port and all connections.
    pub(crate) fn stop(&mut self) {
        let Some(acceptor) = self.acceptor.take() else {
            return;
        };
        self.shared.state().is_stopped = true;
        // The acceptor notices it when a connection arrives.
        let _ = TcpStream::connect(self.address);
        let _ = acceptor.join();
        for stream in self.shared.state().connections.values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Opens the port again after [`stop`](Self::stop).
    pub(crate) fn start_again(&mut self) {
        assert!(self.acceptor.is_none(), "it is running");
        let began = Instant::now();
        let listener = loop {
            // A connection of another process may have the port for a moment.
            match TcpListener::bind(self.address) {
                Ok(listener) => break listener,
                Err(error) => assert!(began.elapsed() < PATIENCE, "{error}"),
            }
            thread::sleep(Duration::from_millis(10));
        };
        self.shared.state().is_stopped = false;
        self.acceptor = Some(accept(listener, Arc::clone(&self.shared)));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept(listener: TcpListener, shared: Arc<Shared>) -> JoinHandle<()> {
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut state = shared.state();
            if state.is_stopped {
                break;
            }
            let Ok(stream) = stream else { continue };
            let _ = stream.set_nodelay(true);
            let number = state.accepted;
            state.accepted += 1;
            if let Ok(clone) = stream.try_clone() {
                state.connections.insert(number, clone);
            }
            drop(state);
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                // The client may close a connection at any time.
                let _ = serve(&stream, &shared);
                // No other descriptor may keep the connection open.
                shared.state().connections.remove(&number);
            });
        }
    })
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Notified of each request.
    logged: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct State {
    objects: HashMap<String, Arc<[u8]>>,
    etags: Etags,
    script: Vec<Rule>,
    log: Vec<Request>,
    /// The number of requests that wait for their answers.
    waiting: usize,
    is_stopped: bool,
    /// Open connections by their numbers.
    connections: HashMap<u64, TcpStream>,
    accepted: u64,
}

/// The head of a request.
struct Head {
    method: String,
    target: String,
    is_http_1_0: bool,
    fields: Vec<(String, String)>,
}

impl Head {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let fields = lines.filter_map(|line| line.split_once(':'));
        let fields = fields.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()));
        Some(Self {
            method: method.to_owned(),
            target: target.to_owned(),
            is_http_1_0: version == "HTTP/1.0",
            fields: fields.collect(),
        })
    }

    fn field(&self, name: &str) -> Option<String> {
        let field = self.fields.iter().find(|(other, _)| other == name)?;
        Some(field.1.clone())
    }
}

/// Answers the requests of a connection.
fn serve(mut stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    while let Some(text) = read_head(stream)? {
        let Some(head) = Head::parse(&text) else {
            return stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        };
        let (answer, delay) = shared.state().answer(&head);
        shared.logged.notify_all();
        thread::sleep(delay);
        shared.state().waiting -= 1;
        // A connection that is closed before all bytes were read is reset.
        if answer.end != End::Reset {
            stream.read_exact(&mut [0])?;
        }
        let is_last = head.is_http_1_0
            || head
                .field("connection")
                .is_some_and(|value| value.eq_ignore_ascii_case("close"));
        send(stream, &head, &answer, is_last)?;
        match answer.end {
            End::Keep if !is_last => {}
            End::Keep | End::Close => return Ok(()),
            End::Reset => {
                thread::sleep(BEFORE_RESET);
                return Ok(());
            }
            End::Stall => return io::copy(&mut stream, &mut io::sink()).map(|_| ()),
        }
    }
    Ok(())
}

/// Reads the head of a request except for the last line feed; returns `None` at the end of the
/// connection.
fn read_head(mut stream: &TcpStream) -> io::Result<Option<String>> {
    let (mut head, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let peeked = stream.peek(&mut buffer)?;
        if peeked == 0 {
            return Ok(None);
        }
        let before = head.len();
        head.extend_from_slice(&buffer[..peeked]);
        let end = head.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let read = end.map_or(peeked, |end| end + 3 - before);
        stream.read_exact(&mut buffer[..read])?;
        if let Some(end) = end {
            return Ok(Some(String::from_utf8_lossy(&head[..end]).into_owned()));
        }
    }
}

/// Sends an answer, as much of it as is to be sent.
fn send(mut stream: &TcpStream, head: &Head, answer: &Answer, is_last: bool) -> io::Result<()> {
    let Some(status) = answer.status else {
        return stream.write_all(&answer.body[answer.range.clone()]);
    };
    let mut text = format!("HTTP/1.1 {status} Status\r\n");
    for (name, value) in &answer.fields {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    match answer.is_chunked {
        true => text.push_str("Transfer-Encoding: chunked\r\n"),
        false => text.push_str(&format!("Content-Length: {}\r\n", answer.announced)),
    }
    if is_last {
        text.push_str("Connection: close\r\n");
    }
    text.push_str("\r\n");
    stream.write_all(text.as_bytes())?;
    if head.method == "HEAD" {
        return Ok(());
    }
    let body = &answer.body[answer.range.clone()];
    let body = &body[..answer.sent.unwrap_or(body.len()).min(body.len())];
    if let Some(pause) = answer.pause {
        for byte in body {
            stream.write_all(&[*byte])?;
            thread::sleep(pause);
        }
        return Ok(());
    }
    if !answer.is_chunked {
        return stream.write_all(body);
    }
    for chunk in body.chunks(CHUNK_BYTES) {
        stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes())?;
        stream.write_all(chunk)?;
        stream.write_all(b"\r\n")?;
    }
    match answer.sent {
        None => stream.write_all(b"0\r\n\r\n"),
        Some(_) => Ok(()),
    }
}

impl State {
    /// Logs a request and returns its answer with the time to wait before it.
    fn answer(&mut self, head: &Head) -> (Answer, Duration) {
        let now = Instant::now();
        self.waiting += 1;
        let mut request = Request {
            at: now,
            method: head.method.clone(),
            target: head.target.clone(),
            range: head.field("range"),
            if_match: head.field("if-match"),
            authorization: head.field("authorization"),
            status: None,
            waiting: self.waiting,
        };
        let mut script = std::mem::take(&mut self.script);
        let is_meant = |rule: &&mut Rule| {
            rule.path
                .as_deref()
                .is_none_or(|path| path == request.path())
        };
        let mut rules: Vec<&mut Rule> = script.iter_mut().filter(is_meant).collect();
        let mut delay = Duration::ZERO;
        let mut instead = None;
        for rule in &mut rules {
            rule.requests += 1;
            if let Fault::Delay(time) = rule.fault {
                delay += time;
            }
            if let Fault::Change { to, after_requests } = &rule.fault
                && rule.requests == after_requests + 1
            {
                self.objects
                    .insert(request.path().to_owned(), to.as_slice().into());
            }
            if instead.is_none() {
                instead = rule.answer_instead(&request);
            }
            rule.last = Some(now);
        }
        let answer = instead.unwrap_or_else(|| {
            let mut answer = self.object(&request);
            if matches!(answer.status, Some(200 | 206)) {
                rules
                    .iter_mut()
                    .for_each(|rule| rule.change(&mut answer, &request));
            }
            answer
        });
        self.script = script;
        request.status = answer.status;
        self.log.push(request);
        (answer, delay)
    }

    /// Returns the answer of a server without faults.
    fn object(&self, request: &Request) -> Answer {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Answer::status(405);
        }
        let Some(object) = self.objects.get(request.path()) else {
            return Answer::status(404);
        };
        let strong = (self.etags == Etags::Strong).then(|| etag(object));
        if let Some(wanted) = &request.if_match {
            let mut tags = wanted.split(',').map(str::trim);
            if !tags.any(|tag| tag == "*" || Some(tag) == strong.as_deref()) {
                return Answer::status(412);
            }
        }
        let mut answer = Answer::status(200).with("Accept-Ranges", "bytes");
        match self.etags {
            Etags::Strong => answer = answer.with("ETag", etag(object)),
            Etags::Weak => answer = answer.with("ETag", format!("W/{}", etag(object))),
            Etags::None => {}
        }
        answer.body = Arc::clone(object);
        answer.set_whole();
        let range = request.range.as_deref().filter(|_| request.method == "GET");
        if let Some(range) = range.and_then(|range| parse_range(range, object.len())) {
            if range.is_empty() {
                let length = format!("bytes */{}", object.len());
                return Answer::status(416).with("Content-Range", length);
            }
            answer.set_range(range);
        }
        answer
    }
}

#[test]
fn a_request_has_a_path_and_a_first_byte() {
    let request = Request {
        at: Instant::now(),
        method: "GET".to_owned(),
        target: "/x?y".to_owned(),
        range: Some("bytes=7-9".to_owned()),
        if_match: None,
        authorization: None,
        status: Some(200),
        waiting: 1,
    };
    assert_eq!((request.path(), request.first_byte()), ("/x", 7));
}
