//! The pace of the requests to one server.
//!
//! A pace only computes times. `server.rs` sleeps until them.

use std::time::{Duration, Instant};

/// The first wait after a refusal without `Retry-After`. Further ones double it.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The longest wait after a refusal without `Retry-After`.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// The time in which a rate grows by half of its ceiling.
const GROWTH_TIME: Duration = Duration::from_secs(60);

/// The lowest rate, as a divisor of the ceiling.
const MAX_DIVISOR: f64 = 64.0;

/// The time by which a request may be early because the one before it was late. It makes up for
/// timers, which are accurate to a millisecond.
const LATENESS: Duration = Duration::from_millis(10);

/// The pace of the requests to one server: at most a rate, which begins at half of its ceiling,
/// grows slowly, and is halved by a refusal; and pauses after refusals.
#[derive(Debug)]
pub(super) struct Pace {
    /// The ceiling in requests a second; `None` for no limit.
    ceiling: Option<f64>,
    rate: f64,
    rated_at: Instant,
    /// The earliest time of the next request according to the rate.
    next: Instant,
    /// The pause, from the first refusal until a request succeeds.
    pause: Option<Pause>,
    /// The time at which the last pause ended.
    resumed_at: Option<Instant>,
}

/// A series of refusals.
#[derive(Clone, Copy, Debug)]
struct Pause {
    began: Instant,
    until: Instant,
    /// Refusals that were answers to requests after the refusal before.
    refusals: u32,
    last_refusal: Instant,
}

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The status is 429 or 503, or 401 or 403 for all objects: the rate is halved.
    TooFast,
    /// No response was received, which does not change the rate.
    Unreachable,
}

impl Pace {
    /// Creates a pace with this ceiling in requests a second.
    pub(super) fn new(ceiling: Option<f64>, now: Instant) -> Self {
        Self {
            ceiling,
            rate: ceiling.unwrap_or(f64::INFINITY) / 2.0,
            rated_at: now,
            next: now,
            pause: None,
            resumed_at: None,
        }
    }

    /// Allows one request now, or returns the time at which to ask again.
    pub(super) fn reserve(&mut self, now: Instant) -> Result<(), Instant> {
        let until = self.pause.map_or(now, |pause| pause.until).max(self.next);
        if until > now {
            return Err(until);
        }
        if let Some(ceiling) = self.ceiling {
            let elapsed = now.saturating_duration_since(self.rated_at);
            let growth = ceiling / 2.0 * elapsed.as_secs_f64() / GROWTH_TIME.as_secs_f64();
            self.rate = (self.rate + growth).min(ceiling);
            self.rated_at = now;
            let begin = now.checked_sub(LATENESS).unwrap_or(now).max(self.next);
            self.next = begin + Duration::from_secs_f64(1.0 / self.rate);
        }
        Ok(())
    }

    /// Pauses all requests after one that was sent at `sent` was refused. Returns the length of
    /// the pause if it is the first of a series.
    pub(super) fn refuse(
        &mut self,
        refusal: Refusal,
        sent: Instant,
        now: Instant,
        retry_after: Option<Duration>,
    ) -> Option<Duration> {
        // The pause for which this is an answer has ended.
        if self.pause.is_none() && self.resumed_at.is_some_and(|end| sent < end) {
            return None;
        }
        let mut pause = self.pause.unwrap_or(Pause {
            began: now,
            until: now,
            refusals: 0,
            last_refusal: now,
        });
        let is_first = self.pause.is_none();
        // Requests that were under way when the pause began are refused for the same reason.
        if is_first || sent >= pause.last_refusal {
            pause.refusals += 1;
            pause.last_refusal = now;
            let doubled = FIRST_WAIT * 2_u32.saturating_pow((pause.refusals - 1).min(16));
            let wait = retry_after.unwrap_or(doubled.min(MAX_WAIT));
            pause.until = pause.until.max(now + wait);
            if let (Some(ceiling), Refusal::TooFast) = (self.ceiling, refusal) {
                self.rate = (self.rate / 2.0).max(ceiling / MAX_DIVISOR);
                self.rated_at = now;
            }
        } else if let Some(retry_after) = retry_after {
            pause.until = pause.until.max(now + retry_after);
        }
        self.rated_at = self.rated_at.max(pause.until);
        self.pause = Some(pause);
        is_first.then(|| pause.until - now)
    }

    /// Returns true if a request was refused after `time`, and none has succeeded since.
    pub(super) fn is_refused_since(&self, time: Instant) -> bool {
        self.pause.is_some_and(|pause| pause.last_refusal >= time)
    }

    /// Ends a pause after a request that was sent at `sent` succeeded. Returns the length of the
    /// pause, if it ends one.
    pub(super) fn succeed(&mut self, sent: Instant, now: Instant) -> Option<Duration> {
        let pause = self.pause.filter(|pause| sent >= pause.until)?;
        self.pause = None;
        self.resumed_at = Some(now);
        Some(now - pause.began)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    /// Sends as many requests as the pace allows until `end`, and returns their times.
    fn requests(pace: &mut Pace, mut now: Instant, end: Instant) -> Vec<Instant> {
        let mut sent = Vec::new();
        while now < end {
            match pace.reserve(now) {
                Ok(()) => sent.push(now),
                Err(until) => now = until,
            }
        }
        sent
    }

    #[test]
    fn a_rate_begins_at_half_of_its_ceiling_and_reaches_it_within_a_minute() {
        let start = Instant::now();
        let mut pace = Pace::new(Some(10.0), start);
        let sent = requests(&mut pace, start, start + seconds(120.0));
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
            let first = pace.refuse(Refusal::TooFast, sent, now, None);
            assert_eq!(first.is_some(), now == start);
            let other = pace.refuse(Refusal::TooFast, sent - seconds(0.5), now, None);
            assert_eq!(other, None);
            assert_eq!(pace.reserve(now), Err(now + seconds(wait)));
            now += seconds(wait);
        }
        // 4 a second, halved nine times, but not below an eighth.
        assert_eq!(pace.reserve(now), Ok(()));
        assert!((0.125..0.13).contains(&pace.rate), "{}", pace.rate);
        assert_eq!(pace.succeed(start, now), None, "it was sent before");
        assert_eq!(pace.succeed(now, now), Some(now - start));
        assert_eq!(pace.succeed(now, now), None);
        let late = pace.refuse(Refusal::TooFast, now - seconds(1.0), now, None);
        assert_eq!((late, pace.reserve(now + seconds(9.0))), (None, Ok(())));
    }

    #[test]
    fn retry_after_takes_the_place_of_the_doubled_wait() {
        let start = Instant::now();
        let mut pace = Pace::new(None, start);
        let wait = pace.refuse(Refusal::TooFast, start, start, Some(seconds(7.0)));
        assert_eq!(wait, Some(seconds(7.0)));
        // A longer one of a request under way counts too.
        pace.refuse(
            Refusal::TooFast,
            start - seconds(1.0),
            start,
            Some(seconds(9.0)),
        );
        assert_eq!(pace.reserve(start), Err(start + seconds(9.0)));
        assert_eq!(pace.reserve(start + seconds(9.0)), Ok(()));
        assert_eq!(
            pace.reserve(start + seconds(9.0)),
            Ok(()),
            "there is no rate"
        );
    }
}
