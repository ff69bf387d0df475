//! The pace of the requests to one server.
//!
//! A pace only computes times. `server.rs` sleeps until them.

use super::retry::doubled_wait;
use std::time::{Duration, Instant};

/// The time in which a rate grows by half of its ceiling if no request is refused.
const GROWTH_TIME: Duration = Duration::from_secs(60);

/// The lowest rate is the ceiling divided by this.
const MAX_RATE_DIVISOR: f64 = 64.0;

/// The most time by which a request may be early, to catch up if the one before it was late. Timers
/// are only accurate to a millisecond.
const LATENESS_TOLERANCE: Duration = Duration::from_millis(10);

/// The pace of the requests to one server: a rate limit, and pauses after refusals. The rate begins
/// at half of its ceiling, grows slowly, and is halved by a refusal.
#[derive(Debug)]
pub(super) struct Pace {
    /// The highest rate, in requests a second; `None` for no limit.
    ceiling: Option<f64>,
    /// The current rate, in requests a second.
    rate: f64,
    rate_updated_at: Instant,
    /// The earliest time of the next request according to the rate.
    next_request_at: Instant,
    /// The pause, from the first refusal until a request succeeds.
    pause: Option<Pause>,
    /// The time at which the last pause ended.
    resumed_at: Option<Instant>,
}

/// A time without requests after one or more refusals.
#[derive(Clone, Copy, Debug)]
struct Pause {
    began_at: Instant,
    ends_at: Instant,
    /// The number of refusals. A refusal counts only if its request was sent after the last counted
    /// refusal.
    refusal_count: u32,
    last_refusal_at: Instant,
}

/// The reason for a refusal, which decides if the rate is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The status is 429 or 503, or it is 401 or 403 for all objects. The rate is halved.
    TooFast,
    /// No response was received, which does not change the rate.
    Unreachable,
}

impl Pace {
    /// Creates a pace. `ceiling` is the highest rate, in requests a second.
    pub(super) fn new(ceiling: Option<f64>, now: Instant) -> Self {
        Self {
            ceiling,
            rate: ceiling.unwrap_or(f64::INFINITY) / 2.0,
            rate_updated_at: now,
            next_request_at: now,
            pause: None,
            resumed_at: None,
        }
    }

    /// Allows one request now and counts it, or returns the earliest time of the next request.
    pub(super) fn allow_request(&mut self, now: Instant) -> Result<(), Instant> {
        let allowed_at = self
            .pause
            .map_or(now, |pause| pause.ends_at)
            .max(self.next_request_at);
        if allowed_at > now {
            return Err(allowed_at);
        }
        if let Some(ceiling) = self.ceiling {
            let elapsed = now.saturating_duration_since(self.rate_updated_at);
            let growth = ceiling / 2.0 * elapsed.as_secs_f64() / GROWTH_TIME.as_secs_f64();
            self.rate = (self.rate + growth).min(ceiling);
            self.rate_updated_at = now;
            let start = now
                .checked_sub(LATENESS_TOLERANCE)
                .unwrap_or(now)
                .max(self.next_request_at);
            self.next_request_at = start + Duration::from_secs_f64(1.0 / self.rate);
        }
        Ok(())
    }

    /// Begins or extends a pause after a request that was sent at `sent` was refused. Returns the
    /// length of the pause if it is new.
    pub(super) fn note_refusal(
        &mut self,
        refusal: Refusal,
        sent: Instant,
        now: Instant,
        retry_after: Option<Duration>,
    ) -> Option<Duration> {
        // The request was sent before the last pause ended, so its refusal does not begin a new pause.
        if self.pause.is_none() && self.resumed_at.is_some_and(|end| sent < end) {
            return None;
        }
        let mut pause = self.pause.unwrap_or(Pause {
            began_at: now,
            ends_at: now,
            refusal_count: 0,
            last_refusal_at: now,
        });
        let is_first = self.pause.is_none();
        // Requests that were under way when the pause began are refused for the same reason.
        if is_first || sent >= pause.last_refusal_at {
            pause.refusal_count += 1;
            pause.last_refusal_at = now;
            let wait = retry_after.unwrap_or_else(|| doubled_wait(pause.refusal_count - 1));
            pause.ends_at = pause.ends_at.max(now + wait);
            if let (Some(ceiling), Refusal::TooFast) = (self.ceiling, refusal) {
                self.rate = (self.rate / 2.0).max(ceiling / MAX_RATE_DIVISOR);
                self.rate_updated_at = now;
            }
        } else if let Some(retry_after) = retry_after {
            pause.ends_at = pause.ends_at.max(now + retry_after);
        }
        self.rate_updated_at = self.rate_updated_at.max(pause.ends_at);
        self.pause = Some(pause);
        is_first.then(|| pause.ends_at - now)
    }

    /// Returns true if a request was refused after `time`, and none has succeeded since.
    pub(super) fn has_refused_since(&self, time: Instant) -> bool {
        self.pause
            .is_some_and(|pause| pause.last_refusal_at >= time)
    }

    /// Ends the pause if a request that was sent after it succeeded. Returns the time since the first
    /// refusal if a pause was ended.
    pub(super) fn note_success(&mut self, sent: Instant, now: Instant) -> Option<Duration> {
        let pause = self.pause.filter(|pause| sent >= pause.ends_at)?;
        self.pause = None;
        self.resumed_at = Some(now);
        Some(now - pause.began_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    /// Sends as many requests as the pace allows until `end`, and returns their times.
    fn send_requests(pace: &mut Pace, mut now: Instant, end: Instant) -> Vec<Instant> {
        let mut sent = Vec::new();
        while now < end {
            match pace.allow_request(now) {
                Ok(()) => sent.push(now),
                Err(allowed_at) => now = allowed_at,
            }
        }
        sent
    }

    #[test]
    fn a_rate_begins_at_half_of_its_ceiling_and_reaches_it_within_a_minute() {
        let start = Instant::now();
        let mut pace = Pace::new(Some(10.0), start);
        let sent = send_requests(&mut pace, start, start + seconds(120.0));
        let within = |from: f64, to: f64| {
            let is_within = |at: &&Instant| (from..to).contains(&(**at - start).as_secs_f64());
            sent.iter().filter(is_within).count()
        };
        assert!((5..=6).contains(&within(0.0, 1.0)), "{}", within(0.0, 1.0));
        assert!((7..=8).contains(&within(30.0, 31.0)));
        assert!((598..=601).contains(&within(60.0, 120.0)));
        for window in sent.windows(11) {
            assert!(window[10] - window[0] >= seconds(0.98));
        }
    }

    #[test]
    fn refusals_double_the_wait_and_halve_the_rate_once_for_requests_under_way() {
        let start = Instant::now();
        let mut pace = Pace::new(Some(8.0), start);
        let mut now = start;
        for wait in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 120.0, 120.0] {
            let sent = now;
            let first = pace.note_refusal(Refusal::TooFast, sent, now, None);
            assert_eq!(first.is_some(), now == start);
            let other = pace.note_refusal(Refusal::TooFast, sent - seconds(0.5), now, None);
            assert_eq!(other, None);
            assert_eq!(pace.allow_request(now), Err(now + seconds(wait)));
            now += seconds(wait);
        }
        // 4 a second, halved nine times, but not below an eighth.
        assert_eq!(pace.allow_request(now), Ok(()));
        assert!((0.125..0.13).contains(&pace.rate), "{}", pace.rate);
        assert_eq!(pace.note_success(start, now), None, "it was sent before");
        assert_eq!(pace.note_success(now, now), Some(now - start));
        assert_eq!(pace.note_success(now, now), None);
        let late = pace.note_refusal(Refusal::TooFast, now - seconds(1.0), now, None);
        assert_eq!(
            (late, pace.allow_request(now + seconds(9.0))),
            (None, Ok(()))
        );
    }

    #[test]
    fn retry_after_takes_the_place_of_the_doubled_wait() {
        let start = Instant::now();
        let mut pace = Pace::new(None, start);
        let wait = pace.note_refusal(Refusal::TooFast, start, start, Some(seconds(7.0)));
        assert_eq!(wait, Some(seconds(7.0)));
        // A longer one of a request under way counts too.
        pace.note_refusal(
            Refusal::TooFast,
            start - seconds(1.0),
            start,
            Some(seconds(9.0)),
        );
        assert_eq!(pace.allow_request(start), Err(start + seconds(9.0)));
        assert_eq!(pace.allow_request(start + seconds(9.0)), Ok(()));
        assert_eq!(
            pace.allow_request(start + seconds(9.0)),
            Ok(()),
            "there is no rate"
        );
    }
}
