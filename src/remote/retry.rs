//! When a request is repeated: what a status means, and the waits that double.

use std::time::Duration;

/// The first wait. Each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The longest wait.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// Returns the wait after `earlier` others without success between them.
pub(super) fn doubled_wait(earlier: u32) -> Duration {
    let doubled = FIRST_WAIT * 2_u32.saturating_pow(earlier.min(16));
    doubled.min(MAX_WAIT)
}

/// The consequence of a status other than 2xx for further requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusMeaning {
    /// Requests are too frequent: the next one is sent later.
    TooFast,
    /// The object is denied, or the client is, which `fetch.rs` determines.
    Denied,
    /// There is no such object.
    Missing,
    /// The request is about bytes that the object does not have, or no longer.
    OtherBytes,
    /// The server failed, so the request is repeated.
    Failed,
    /// The request is not repeated.
    Refused,
}

impl StatusMeaning {
    pub(super) fn of(status: u16) -> Self {
        match status {
            429 | 503 => Self::TooFast,
            401 | 403 => Self::Denied,
            404 | 410 => Self::Missing,
            412 | 416 => Self::OtherBytes,
            408 | 500 | 502 | 504.. => Self::Failed,
            _ => Self::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit() {
        let waits = [0, 1, 6, 7, u32::MAX].map(|earlier| doubled_wait(earlier).as_secs());
        assert_eq!(waits, [1, 2, 64, 120, 120]);
    }
}
