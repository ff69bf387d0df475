//! A parsed body that is kept.

use crate::anomaly::Finding;
use crate::document::{Directive, Group, Parts, Robots};

/// A body and what was read of it, apart from the parser that read it.
///
/// ```
/// use robots::{Parsed, Parser};
///
/// let mut parser = Parser::new();
/// let kept = Parsed::of(&parser.parse(b"User-agent: *\nDisallow: /x\n"));
/// parser.parse(b"");
/// assert_eq!(kept.robots().figures().n_disallow, 1);
/// ```
#[derive(Debug, Default)]
pub struct Parsed {
    body: Vec<u8>,
    parts: Parts,
}

impl Parsed {
    /// Copies what was read.
    pub fn of(robots: &Robots<'_>) -> Self {
        let parts = robots.parts;
        Self {
            body: robots.body.to_vec(),
            parts: Parts {
                directives: parts.directives.clone(),
                groups: parts.groups.clone(),
                findings: parts.findings.clone(),
                buffer: parts.buffer.clone(),
                figures: parts.figures,
                ..Parts::default()
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
            + parts.findings.capacity() * size_of::<Finding>()
    }

    /// What was read.
    pub fn robots(&self) -> Robots<'_> {
        Robots {
            body: &self.body,
            parts: &self.parts,
        }
    }
}
