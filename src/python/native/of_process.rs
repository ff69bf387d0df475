//! Values that belong to one process.

use std::{mem, process};

/// A value with threads, which only the process has that made it.
///
/// `fork` copies the memory of a process, but only one of its threads. In the copy the value is not
/// dropped, because that would wait for the others.
pub(crate) struct OfProcess<T> {
    /// `None` only while it is dropped.
    value: Option<T>,
    process: u32,
}

impl<T> OfProcess<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value: Some(value),
            process: process::id(),
        }
    }

    /// Returns true if this process was forked from the one that made the value.
    pub(crate) fn is_forked(&self) -> bool {
        self.process != process::id()
    }

    pub(crate) fn get(&self) -> &T {
        self.value.as_ref().expect("only `drop` takes the value")
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("only `drop` takes the value")
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if self.is_forked() {
            mem::forget(self.value.take());
        }
    }
}
