//! The caller of a command, which receives the progress and messages of the command, and can stop the command.

use crate::calls::call_monitor::{CallMonitor, MessageLevel};
use crate::printing::message;
use anyhow::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The terminal or program that runs a command.
#[derive(Clone, Default)]
pub(crate) enum Caller {
    /// A terminal or a script: messages are printed, and signals stop the command.
    #[default]
    Terminal,
    /// Another program, which reads progress and messages, and stops the command.
    Program(Arc<CallMonitor>),
}

impl Caller {
    /// Returns the flag that stops the command once it is true. For a terminal, this may be called only once per
    /// process, because it installs the handler of signals.
    pub(crate) fn stop_flag(&self) -> Result<Arc<AtomicBool>> {
        match self {
            Self::Terminal => install_signal_flag(),
            Self::Program(monitor) => Ok(monitor.stop_flag()),
        }
    }

    /// Prints a warning, or passes it to the calling program.
    pub(crate) fn warn(&self, text: &str) {
        match self {
            Self::Terminal => message::print_warning(text),
            Self::Program(monitor) => monitor.push(MessageLevel::Warning, text),
        }
    }

    /// Prints advice about the previous warning, or passes it to the calling program.
    pub(crate) fn hint(&self, text: &str) {
        match self {
            Self::Terminal => message::print_hint(text),
            Self::Program(monitor) => monitor.push(MessageLevel::Hint, text),
        }
    }
}

/// Installs a handler of Ctrl-C and of the signals that terminate a process. Returns the flag that the handler sets.
fn install_signal_flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed))?;
    Ok(stop)
}
