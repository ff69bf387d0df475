//! A parsed robots.txt file: its directives, groups, anomalies and summary.
//!
//! Texts are [`Span`]s. Most refer to the body. The few texts that parsing changes, which are
//! escaped paths and lower-cased names, are in a small buffer.

pub(crate) mod builder;
mod directive;
pub(crate) mod owned;
mod span;
mod summary;

use crate::anomaly::Anomaly;
use crate::parse::blanks::{trim_end, trim_start};
pub use directive::{Directive, DirectiveKind};
pub(crate) use span::IN_BUFFER;
pub use span::Span;
pub use summary::{ContentClass, LineEndings, Summary};

/// The number of bytes of a body that count by default: 500 KiB (Google's page, "File size";
/// RFC 9309 §2.5 requires at least as many).
pub const BODY_LIMIT_BYTES: u64 = 512_000;

/// The length at which a body is cut, so that spans can refer to all of it. Escaping makes three
/// bytes of one, which must fit as well.
pub(crate) const MAX_BODY_BYTES: usize = IN_BUFFER as usize / 4;

/// The largest length of the buffer.
pub(crate) const MAX_BUFFER_BYTES: usize = IN_BUFFER as usize - 1;

/// Options for parsing a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// The number of bytes within which a line must end to count, or `None` for no limit.
    pub body_limit: Option<u64>,
    /// True if the body was cut off, so that its last line may be incomplete.
    pub is_truncated: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            body_limit: Some(BODY_LIMIT_BYTES),
            is_truncated: false,
        }
    }
}

/// A group of user-agent lines and the rules that follow them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// The number of its first user-agent line.
    pub line_no: u32,
    /// The index of its first directive in [`RobotsTxt::directives`].
    pub first: usize,
    /// The number of its user-agent lines.
    pub n_agents: u32,
    /// The number of its allow lines.
    pub n_allow: u32,
    /// The number of its disallow lines.
    pub n_disallow: u32,
    /// The first valid `Crawl-delay` among the lines that count, in seconds.
    pub crawl_delay: Option<f64>,
    /// The value of the first `Request-rate`.
    pub request_rate: Option<Span>,
    /// The value of the first `Visit-time`.
    pub visit_time: Option<Span>,
}

/// The parts of a parsed file that are not its body.
#[derive(Debug, Default)]
pub(crate) struct DocumentData {
    pub(crate) directives: Vec<Directive>,
    pub(crate) groups: Vec<Group>,
    pub(crate) anomalies: Vec<Anomaly>,
    pub(crate) buffer: Vec<u8>,
    pub(crate) summary: Summary,
}

impl DocumentData {
    #[inline]
    pub(crate) fn text<'a>(&'a self, body: &'a [u8], span: Span) -> &'a [u8] {
        let (source, start) = if span.start & IN_BUFFER == 0 {
            (body, span.start)
        } else {
            (self.buffer.as_slice(), span.start & !IN_BUFFER)
        };
        &source[start as usize..start as usize + span.len as usize]
    }
}

/// A parsed robots.txt file.
///
/// It borrows the body and the parser, and is cheap to copy. [`OwnedRobotsTxt`](crate::OwnedRobotsTxt)
/// keeps a file beyond the next call of the parser.
#[derive(Clone, Copy, Debug)]
pub struct RobotsTxt<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) document: &'a DocumentData,
}

impl<'a> RobotsTxt<'a> {
    /// Returns the bytes that were parsed.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// Returns the text of a span of this file.
    ///
    /// # Panics
    ///
    /// May panic if the span belongs to another file.
    #[inline]
    pub fn text(&self, span: Span) -> &'a [u8] {
        self.document.text(self.body, span)
    }

    /// Returns the lines with a key and a value, in the order of the file.
    pub fn directives(&self) -> &'a [Directive] {
        &self.document.directives
    }

    /// Returns the groups according to Google's parser, in the order of the file. Group `n` is at
    /// index `n - 1`.
    pub fn groups(&self) -> &'a [Group] {
        &self.document.groups
    }

    /// Returns the directives from the first line of group `group_no`, from 1, to the next group.
    ///
    /// # Panics
    ///
    /// Panics if there is no such group.
    pub fn group_directives(&self, group_no: u32) -> &'a [Directive] {
        let groups = self.groups();
        let end = groups
            .get(group_no as usize)
            .map_or(self.directives().len(), |next| next.first);
        &self.directives()[groups[group_no as usize - 1].first..end]
    }

    /// Returns the anomalies: those of the whole file first, then in the order of lines.
    pub fn anomalies(&self) -> &'a [Anomaly] {
        &self.document.anomalies
    }

    /// Returns the anomalies, without those of lines if the body is an HTML page or not text: such
    /// lines are not meant as directives.
    pub fn text_anomalies(&self) -> &'a [Anomaly] {
        let anomalies = self.anomalies();
        if !self.summary().content.is_page_or_binary() {
            return anomalies;
        }
        let of_file = anomalies.partition_point(|anomaly| anomaly.line_no.is_none());
        &anomalies[..of_file]
    }

    /// Returns counts and flags of the whole file.
    pub fn summary(&self) -> &'a Summary {
        &self.document.summary
    }

    /// Writes the canonical name of a directive of [`DirectiveKind::Other`] into `out`: the key in
    /// lower case, with `content-signal` for `content-signals`.
    pub fn directive_name(&self, directive: &Directive, out: &mut Vec<u8>) {
        let key = trim_end(trim_start(self.text(directive.key_raw)));
        out.clear();
        out.extend(key.iter().map(u8::to_ascii_lowercase));
        if out == b"content-signals" {
            out.pop();
        }
    }
}
