//! The memory of a thread between the rows of queries.

use crawlers::{CategoryChoice, DialectChoice, ParsedBodies, RowBodies};
use std::cell::RefCell;

thread_local! {
    static PARSED: RefCell<ParsedBodies> = RefCell::default();
}

/// The parsed bodies, and the last dialect and category that were parsed: neighbouring rows often have equal arguments.
pub(crate) struct Memory<'a> {
    pub(crate) bodies: RowBodies<'a>,
    pub(crate) dialect: Option<(&'a [u8], DialectChoice)>,
    pub(crate) category: Option<(&'a [u8], CategoryChoice)>,
    /// The lines that were listed in this call.
    pub(crate) listed_lines: usize,
}

impl Memory<'_> {
    /// Takes the parsed bodies of this thread. They are dropped unless the call ends with [`keep`](Self::keep).
    pub(crate) fn take() -> Self {
        Self {
            bodies: RowBodies::new(PARSED.take()),
            dialect: None,
            category: None,
            listed_lines: 0,
        }
    }

    /// Keeps the parsed bodies for the next call on this thread.
    pub(crate) fn keep(self) {
        PARSED.set(self.bodies.into_parsed());
    }
}
