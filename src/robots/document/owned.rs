//! A parsed file that owns its body.

use super::{Directive, DocumentData, Group, RobotsTxt};
use crate::anomaly::Anomaly;

/// A parsed file that owns its body, so that it outlives the parser's next call.
///
/// # Example
///
/// ```
/// use robots::{OwnedRobotsTxt, Parser};
///
/// let mut parser = Parser::new();
/// let kept = OwnedRobotsTxt::new(&parser.parse(b"User-agent: *\nDisallow: /x\n"));
/// parser.parse(b"");
/// assert_eq!(kept.as_robots_txt().summary().n_disallow, 1);
/// ```
#[derive(Debug, Default)]
pub struct OwnedRobotsTxt {
    body: Vec<u8>,
    document: DocumentData,
}

impl OwnedRobotsTxt {
    /// Copies a parsed file, its body included.
    pub fn new(robots_txt: &RobotsTxt<'_>) -> Self {
        let document = robots_txt.document;
        Self {
            body: robots_txt.body.to_vec(),
            document: DocumentData {
                directives: document.directives.clone(),
                groups: document.groups.clone(),
                anomalies: document.anomalies.clone(),
                buffer: document.buffer.clone(),
                summary: document.summary,
            },
        }
    }

    /// Returns the bytes that were parsed.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the number of bytes of memory that the file takes.
    pub fn memory_bytes(&self) -> usize {
        let document = &self.document;
        self.body.capacity()
            + document.buffer.capacity()
            + document.directives.capacity() * size_of::<Directive>()
            + document.groups.capacity() * size_of::<Group>()
            + document.anomalies.capacity() * size_of::<Anomaly>()
    }

    /// Borrows the file.
    pub fn as_robots_txt(&self) -> RobotsTxt<'_> {
        RobotsTxt {
            body: &self.body,
            document: &self.document,
        }
    }
}
