//! The time up to which captures are considered.

use sort::written_as;

/// The time up to which captures are considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AsOf {
    /// Milliseconds since 1970.
    Time(i64),
    /// No limit: the newest capture.
    Newest,
}

/// The number that represents [`AsOf::Newest`] in sort records. It sorts after every time.
const NEWEST: i64 = i64::MAX;

impl AsOf {
    /// Returns `Newest` if there is no time.
    pub fn from_option(time: Option<i64>) -> Self {
        time.map_or(Self::Newest, Self::Time)
    }

    /// Returns the time; `None` for `Newest`.
    pub fn time(self) -> Option<i64> {
        match self {
            Self::Time(time) => Some(time),
            Self::Newest => None,
        }
    }

    /// Returns true if a capture of this time is considered. A capture without
    /// a time counts as the earliest.
    pub fn includes(self, capture_time: Option<i64>) -> bool {
        match self {
            Self::Time(time) => capture_time.is_none_or(|capture_time| capture_time <= time),
            Self::Newest => true,
        }
    }

    /// Returns a number that sorts as the times do, with `Newest` last.
    fn number(self) -> i64 {
        match self {
            Self::Time(time) => time,
            Self::Newest => NEWEST,
        }
    }

    fn from_number(number: i64) -> Self {
        if number == NEWEST {
            Self::Newest
        } else {
            Self::Time(number)
        }
    }
}

written_as! { AsOf as i64: AsOf::number, AsOf::from_number }

#[cfg(test)]
mod tests {
    use super::*;
    use sort::Field;

    fn written(as_of: AsOf) -> Vec<u8> {
        let mut out = Vec::new();
        as_of.write(&mut out);
        out
    }

    #[test]
    fn records_sort_by_time_and_the_newest_comes_last() {
        let all = [
            AsOf::Time(-1),
            AsOf::Time(0),
            AsOf::Time(i64::MAX - 1),
            AsOf::Newest,
        ];
        assert!(all.is_sorted_by(|a, b| written(*a) < written(*b)));
        for as_of in all {
            assert_eq!(sort::read::<AsOf>(&written(as_of)), as_of);
        }
    }

    #[test]
    fn a_capture_without_a_time_counts_as_the_earliest() {
        assert!(AsOf::Time(0).includes(None));
        assert!(AsOf::Time(0).includes(Some(0)));
        assert!(!AsOf::Time(0).includes(Some(1)));
        assert!(AsOf::Newest.includes(Some(i64::MAX)));
    }
}
