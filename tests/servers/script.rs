//! The script of the server: its faults, and their effects on its answers.

use super::answer::{Answer, End};
use super::server::Request;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The number of times of a fault that never ends.
pub(crate) const ALWAYS: usize = usize::MAX;

/// A scripted behaviour of the server. `times` is the number of requests to which it applies.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// Answers with a status.
    Status {
        status: u16,
        retry_after: Option<RetryAfter>,
        times: usize,
    },
    /// Answers 403 after this number of requests until none has arrived for a time.
    RefuseAfter {
        requests: usize,
        until_pause: Duration,
    },
    /// Answers with a status after this number of requests.
    StatusAfter { status: u16, requests: usize },
    /// Answers with a redirect.
    Redirect { to: String, status: u16 },
    /// Answers 401 unless a request has these credentials.
    RequireBasic {
        user: &'static str,
        password: &'static str,
    },
    /// Closes the connection without an answer.
    NoAnswer { times: usize },
    /// Sends bytes that are not HTTP and closes the connection.
    NotHttp { times: usize },
    /// Sends bodies byte by byte, with a pause after each.
    Drip { pause: Duration },
    /// Waits before each answer.
    Delay(Duration),
    /// Replaces the object after this number of requests.
    Change { to: Vec<u8>, after_requests: usize },
    /// Sends a part of the body, then nothing, and keeps the connection open.
    Stall { after_bytes: usize, times: usize },
    /// Sends a part of the body and resets the connection.
    Reset { after_bytes: usize, times: usize },
    /// Sends a part of the body and closes the connection.
    Short { after_bytes: usize, times: usize },
    /// Announces more bytes than there are, or fewer, sends all, and closes the connection.
    WrongLength { extra: isize, times: usize },
    /// Answers a range request with another range and its `Content-Range`.
    WrongRange { times: usize },
    /// Answers requests for the whole object with its first bytes and status 206.
    Part { bytes: usize, times: usize },
    /// Answers range requests with the whole object and status 200.
    IgnoreRange,
    /// Sends bodies in chunks, without `Content-Length`.
    Chunked,
    /// Adds a header field to answers that have an object.
    Header {
        name: &'static str,
        value: &'static str,
    },
}

impl Fault {
    fn times(&self) -> usize {
        match self {
            Self::Status { times, .. }
            | Self::NoAnswer { times }
            | Self::NotHttp { times }
            | Self::Stall { times, .. }
            | Self::Reset { times, .. }
            | Self::Short { times, .. }
            | Self::WrongLength { times, .. }
            | Self::Part { times, .. }
            | Self::WrongRange { times } => *times,
            _ => ALWAYS,
        }
    }
}

/// A value of `Retry-After`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RetryAfter {
    /// A number of seconds.
    Seconds(u64),
    /// The date that is this time after the answer, in whole seconds.
    Date(Duration),
}

/// A fault with the path to which it applies.
pub(super) struct Rule {
    pub(super) path: Option<String>,
    pub(super) fault: Fault,
    /// The number of times that are left.
    left: usize,
    /// The number of requests, which some faults count.
    pub(super) requests: usize,
    /// The time of the last request.
    pub(super) last: Option<Instant>,
}

impl Rule {
    pub(super) fn new(path: Option<&str>, fault: Fault) -> Self {
        Self {
            path: path.map(str::to_owned),
            left: fault.times(),
            fault,
            requests: 0,
            last: None,
        }
    }

    fn count(&mut self) {
        if self.left != ALWAYS {
            self.left -= 1;
        }
    }

    /// Returns the answer in place of the object, if there is one.
    pub(super) fn answer_instead(&mut self, request: &Request) -> Option<Answer> {
        if self.left == 0 {
            return None;
        }
        let answer = match &self.fault {
            Fault::Status {
                status,
                retry_after,
                ..
            } => {
                let answer = Answer::status(*status);
                match *retry_after {
                    None => answer,
                    Some(RetryAfter::Seconds(seconds)) => {
                        answer.with("Retry-After", seconds.to_string())
                    }
                    Some(RetryAfter::Date(time)) => {
                        answer.with("Retry-After", http_date(SystemTime::now() + time))
                    }
                }
            }
            Fault::RefuseAfter {
                requests,
                until_pause,
            } => {
                let has_paused = |last: Instant| request.at - last >= *until_pause;
                if self.requests > *requests && self.last.is_some_and(has_paused) {
                    self.requests = 1;
                }
                if self.requests <= *requests {
                    return None;
                }
                Answer::status(403)
            }
            Fault::StatusAfter { status, requests } if self.requests > *requests => {
                Answer::status(*status)
            }
            Fault::Redirect { to, status } => Answer::status(*status).with("Location", to.as_str()),
            Fault::RequireBasic { user, password } => {
                if request.authorization.as_deref() == Some(&basic(user, password)) {
                    return None;
                }
                Answer::status(401).with("WWW-Authenticate", "Basic realm=\"x\"")
            }
            Fault::NoAnswer { .. } => Answer {
                status: None,
                end: End::Close,
                range: 0..0,
                ..Answer::status(0)
            },
            Fault::NotHttp { .. } => Answer {
                status: None,
                end: End::Close,
                ..Answer::status(0)
            },
            _ => return None,
        };
        self.count();
        Some(answer)
    }

    /// Changes the transfer of an object.
    pub(super) fn change(&mut self, answer: &mut Answer, request: &Request) {
        if let Fault::Header { name, value } = &self.fault {
            answer.fields.push((name, (*value).to_owned()));
        }
        if request.method != "GET" || self.left == 0 {
            return;
        }
        let is_part = answer.status == Some(206);
        match &self.fault {
            Fault::Stall { after_bytes, .. } => answer.cut(*after_bytes, End::Stall),
            Fault::Reset { after_bytes, .. } => answer.cut(*after_bytes, End::Reset),
            Fault::Short { after_bytes, .. } => answer.cut(*after_bytes, End::Close),
            Fault::WrongLength { extra, .. } => {
                answer.announced = answer.announced.saturating_add_signed(*extra);
                answer.cut(usize::MAX, End::Close);
            }
            Fault::WrongRange { .. } if is_part => {
                let first = usize::from(answer.range.start == 0);
                let end = (first + answer.range.len()).min(answer.body.len());
                answer.set_range(first..end);
            }
            Fault::Part { bytes, .. } if !is_part => answer.set_range(0..*bytes),
            Fault::IgnoreRange if is_part => answer.set_whole(),
            Fault::Chunked => answer.is_chunked = true,
            Fault::Drip { pause } => answer.pause = Some(*pause),
            _ => return,
        }
        self.count();
    }
}

/// Returns the value of `Authorization` for a user.
pub(crate) fn basic(user: &str, password: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = "Basic ".to_owned();
    for bytes in format!("{user}:{password}").as_bytes().chunks(3) {
        let byte = |i: usize| u32::from(bytes.get(i).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i > bytes.len() { '=' } else { digit.into() });
        }
    }
    out
}

/// Returns a time as a date of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(time: SystemTime) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const LENGTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let seconds = time.duration_since(UNIX_EPOCH).unwrap().as_secs();
    let (mut day, second) = (seconds / 86400, seconds % 86400);
    let weekday = DAYS[(day % 7) as usize];
    // Each fourth year has a leap day until 2100.
    let leap_days = |year: u64| u64::from(year.is_multiple_of(4));
    let mut year = 1970;
    while day >= 365 + leap_days(year) {
        day -= 365 + leap_days(year);
        year += 1;
    }
    let mut month = 0;
    let days = |month: usize| LENGTHS[month] + if month == 1 { leap_days(year) } else { 0 };
    while day >= days(month) {
        day -= days(month);
        month += 1;
    }
    let (day, month) = (day + 1, &MONTHS[3 * month..3 * month + 3]);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{weekday}, {day:02} {month} {year} {hour:02}:{minute:02}:{second:02} GMT")
}

#[test]
fn dates_and_credentials_are_those_of_the_specifications() {
    let date = |seconds| http_date(UNIX_EPOCH + Duration::from_secs(seconds));
    assert_eq!(date(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(date(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
    assert_eq!(date(1_798_761_599), "Thu, 31 Dec 2026 23:59:59 GMT");
    let credentials = basic("Aladdin", "open sesame");
    assert_eq!(credentials, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    assert_eq!(basic("a", "b"), "Basic YTpi");
}
