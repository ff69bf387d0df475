//! Spans: references to texts in a body or in the buffer of its parsed file.

/// A reference to a text of a file. [`RobotsTxt::text`](super::RobotsTxt::text) returns the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    /// Returns the length of the text in bytes.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Returns true if the text is empty.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}
