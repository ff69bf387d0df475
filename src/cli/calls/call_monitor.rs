//! The progress and messages of a command as another program receives them.

use crate::printing::message::MessagePrefix;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most messages that wait for [`CallMonitor::take_messages`]. If there are more, the oldest are dropped.
const MAX_MESSAGES: usize = 1000;

/// The progress and the messages of a running command, and the means to stop it.
#[derive(Debug, Default)]
pub struct CallMonitor {
    stop: Arc<AtomicBool>,
    progress: Mutex<ProgressState>,
    messages: Mutex<Vec<Message>>,
}

/// The progress of a running command, as a display shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgressState {
    /// The share of the work that is done, from 0 to 1; `None` if the total is unknown.
    pub done_share: Option<f64>,
    /// Short texts about the progress, the most important first.
    pub pieces: Vec<String>,
}

/// A message that a command would print on standard error if a terminal were the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The severity, which is the prefix of the message on a terminal.
    pub level: MessageLevel,
    /// The text, not escaped: names and URLs in it may contain control characters.
    pub text: String,
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageLevel {
    /// An input failed.
    Error,
    /// The command continues, but its result may not be what is expected.
    Warning,
    /// Advice about the previous message.
    Hint,
}

impl CallMonitor {
    /// Stops the command as soon as possible.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns the current progress.
    pub fn progress(&self) -> ProgressState {
        lock(&self.progress).clone()
    }

    /// Removes and returns the messages since the last call.
    pub fn take_messages(&self) -> Vec<Message> {
        std::mem::take(&mut *lock(&self.messages))
    }

    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    pub(crate) fn set_progress(&self, progress: ProgressState) {
        *lock(&self.progress) = progress;
    }

    pub(crate) fn push(&self, level: MessageLevel, text: &str) {
        let mut messages = lock(&self.messages);
        if messages.len() == MAX_MESSAGES {
            messages.remove(0);
        }
        let text = text.to_owned();
        messages.push(Message { level, text });
    }
}

impl From<MessagePrefix> for MessageLevel {
    fn from(prefix: MessagePrefix) -> Self {
        match prefix {
            MessagePrefix::Error => Self::Error,
            MessagePrefix::Warning => Self::Warning,
            MessagePrefix::Hint => Self::Hint,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_messages_are_dropped() {
        let monitor = CallMonitor::default();
        for i in 0..MAX_MESSAGES + 2 {
            monitor.push(MessageLevel::Warning, &i.to_string());
        }
        let messages = monitor.take_messages();
        assert_eq!(messages.len(), MAX_MESSAGES);
        assert_eq!(messages[0].text, "2");
        assert!(monitor.take_messages().is_empty());
    }
}
