//! An answer of the server.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// An answer and the way in which it is sent.
pub(super) struct Answer {
    /// The status; `None` if the body is sent alone.
    pub(super) status: Option<u16>,
    pub(super) fields: Vec<(&'static str, String)>,
    pub(super) body: Arc<[u8]>,
    /// The part of `body` that is the body of the answer.
    pub(super) range: Range<usize>,
    /// The number of bytes that are announced.
    pub(super) announced: usize,
    /// The number of bytes after which the transfer ends in the way of `end`; `None` for all.
    pub(super) sent: Option<usize>,
    pub(super) is_chunked: bool,
    /// The pause after each byte of the body.
    pub(super) pause: Option<Duration>,
    pub(super) end: End,
}

/// The end of the transfer of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The connection is kept alive.
    Keep,
    Close,
    Reset,
    Stall,
}

impl Answer {
    pub(super) fn status(status: u16) -> Self {
        let body: Arc<[u8]> = format!("{status}\n").into_bytes().into();
        Self {
            status: Some(status),
            fields: Vec::new(),
            range: 0..body.len(),
            announced: body.len(),
            body,
            sent: None,
            is_chunked: false,
            pause: None,
            end: End::Keep,
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    /// Makes a range the body of the answer.
    pub(super) fn set_range(&mut self, range: Range<usize>) {
        let (first, last, all) = (range.start, range.end - 1, self.body.len());
        self.status = Some(206);
        self.announced = range.len();
        self.range = range;
        self.fields.retain(|(name, _)| *name != "Content-Range");
        let field = ("Content-Range", format!("bytes {first}-{last}/{all}"));
        self.fields.push(field);
    }

    /// Makes the whole object the body of the answer.
    pub(super) fn set_whole(&mut self) {
        self.status = Some(200);
        self.range = 0..self.body.len();
        self.announced = self.range.len();
        self.fields.retain(|(name, _)| *name != "Content-Range");
    }

    /// Ends the transfer after a number of bytes.
    pub(super) fn cut(&mut self, after_bytes: usize, end: End) {
        self.sent = Some(after_bytes);
        self.end = end;
    }
}

/// Parses a single range `bytes=a-b` or `bytes=a-`. It is empty if it begins after the end.
/// Returns `None` for any other, which the server ignores.
pub(super) fn parse_range(text: &str, length: usize) -> Option<Range<usize>> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let first: usize = first.parse().ok()?;
    let end = match last {
        "" => length,
        last => last.parse::<usize>().ok()?.saturating_add(1),
    };
    if end <= first && !last.is_empty() {
        return None;
    }
    Some(first.min(length)..end.min(length))
}
