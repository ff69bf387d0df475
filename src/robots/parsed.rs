//! A parsed body that is kept.

use crate::parse::Parser;
use crate::robots::{Reading, Robots};

/// A body and what was read of it, to be looked at as often as one likes; its
/// memory serves the next body.
///
/// ```
/// use robots::{Parsed, Reading};
///
/// let mut parsed = Parsed::default();
/// parsed.parse(b"User-agent: *\nDisallow: /x\n", Reading::default());
/// assert_eq!(parsed.robots().figures().n_disallow, 1);
/// ```
#[derive(Debug, Default)]
pub struct Parsed {
    body: Vec<u8>,
    parser: Parser,
}

impl Parsed {
    /// Parses a body and keeps it, in place of the one before.
    pub fn parse(&mut self, body: &[u8], reading: Reading) {
        self.body.clear();
        self.body.extend_from_slice(body);
        self.parser.parse_with(&self.body, reading);
    }

    /// The body as it was given.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// What was read of it.
    pub fn robots(&self) -> Robots<'_> {
        self.parser.parsed(&self.body)
    }
}
