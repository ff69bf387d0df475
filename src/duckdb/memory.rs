//! The memory of a thread between the rows of queries.

use crate::parsed_bodies::ParsedBodies;
use crawlers::{CategoryChoice, DialectChoice};
use std::cell::RefCell;

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// The parsed bodies, and the last arguments that were parsed: neighbouring rows often have the same.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) bodies: ParsedBodies,
    pub(crate) dialect: Option<(Vec<u8>, DialectChoice)>,
    pub(crate) category: Option<(Vec<u8>, CategoryChoice)>,
}

impl Memory {
    /// Takes the memory of this thread, which is empty until [`keep`](Self::keep) is called.
    pub(crate) fn take() -> Self {
        MEMORY.take()
    }

    /// Keeps the memory for the next call on this thread. Bodies above their limit are dropped.
    pub(crate) fn keep(mut self) {
        self.bodies.release();
        MEMORY.set(self);
    }
}
