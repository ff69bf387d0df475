//! Finds the content of open revisits among the captures of their own host.
//!
//! According to docs/verdicts.md, a capture of the same URL is preferred. All captures of a URL belong to one host.
//! If none is found here, `revisits.rs` searches the captures of all hosts.

/// The time of a capture, and its crawl.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaptureTime {
    /// Milliseconds since 1970; `i64::MIN` if unknown.
    pub(super) millis: i64,
    /// The place of the crawl in the history.
    pub(super) position: u32,
    /// The place of the crawl in the order of first captures.
    pub(super) crawl_rank: u32,
}

/// Returns the preferred one of the captures that have the content and the URL of a revisit. Its crawl is that of the
/// revisit, or began earlier. The latest capture that is not later than the revisit is preferred, then the earliest
/// one; of captures at the same time, that of the later crawl. `captures` are the times of captures, each with the
/// number of its content.
pub(super) fn find_content(
    captures: impl Iterator<Item = (CaptureTime, u32)>,
    revisit: CaptureTime,
) -> Option<(CaptureTime, u32)> {
    let preference = |(time, _): &(CaptureTime, u32)| {
        let (millis, position) = (time.millis, time.position);
        match millis <= revisit.millis {
            true => (true, millis, position),
            // The complement reverses the order of times.
            false => (false, !millis, position),
        }
    };
    captures
        .filter(|(time, _)| time.crawl_rank <= revisit.crawl_rank)
        .max_by_key(preference)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64, position: u32) -> CaptureTime {
        CaptureTime {
            millis,
            position,
            crawl_rank: position,
        }
    }

    #[test]
    fn the_latest_capture_that_is_not_later_comes_first() {
        let contents = [(at(1, 0), 0), (at(5, 1), 0), (at(5, 2), 1), (at(7, 3), 2)];
        let find = |contents: &[(CaptureTime, u32)], revisit| {
            let found = find_content(contents.iter().copied(), revisit);
            found.map(|(time, _)| time.position)
        };
        assert_eq!(find(&contents, at(6, 9)), Some(2));
        assert_eq!(find(&contents, at(5, 9)), Some(2));
        assert_eq!(find(&contents, at(4, 9)), Some(0));
        // All captures are later.
        assert_eq!(find(&contents, at(0, 9)), Some(0));
        // Crawls that began later do not count.
        assert_eq!(find(&contents, at(6, 1)), Some(1));
        assert_eq!(find(&contents[1..], at(0, 0)), None);
    }
}
