//! A parsed body that is kept.

use crate::anomaly::Anomaly;
use crate::document::{Directive, DocumentData, Group, RobotsTxt};

/// A body and what was read of it, apart from the parser that read it.
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
    parts: DocumentData,
}

impl OwnedRobotsTxt {
    /// Copies what was read.
    pub fn new(robots: &RobotsTxt<'_>) -> Self {
        let parts = robots.parts;
        Self {
            body: robots.body.to_vec(),
            parts: DocumentData {
                directives: parts.directives.clone(),
                groups: parts.groups.clone(),
                anomalies: parts.anomalies.clone(),
                buffer: parts.buffer.clone(),
                summary: parts.summary,
                ..DocumentData::default()
            },
        }
    }

    /// The bytes that were parsed.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Bytes of memory that all of it takes.
    pub fn memory_bytes(&self) -> usize {
        let parts = &self.parts;
        self.body.capacity()
            + parts.buffer.capacity()
            + parts.directives.capacity() * size_of::<Directive>()
            + parts.groups.capacity() * size_of::<Group>()
            + parts.anomalies.capacity() * size_of::<Anomaly>()
    }

    /// What was read.
    pub fn as_robots_txt(&self) -> RobotsTxt<'_> {
        RobotsTxt {
            body: &self.body,
            parts: &self.parts,
        }
    }
}
