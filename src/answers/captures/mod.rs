//! The captures of a dataset or a history: the one that applies to a host at a time, and its robots.txt.

mod line_limit;
mod of_dataset;
mod of_history;

pub(crate) use line_limit::LineLimit;
pub(crate) use of_dataset::DatasetCaptures;
pub(crate) use of_history::{HistoryCaptures, PolicyPlace};

use errors::Error;
use hosts::{AsOf, Host};
use robots::{Dialect, RobotsTxtBuilder, StatusEffect};
use sort::Record;

/// The captures of a dataset or a history.
pub(crate) trait Captures: Sync {
    /// A capture.
    type Capture;
    /// The place of the rules of a capture. Places sort like the rows of the tables that have the rules.
    type Place: Place;
    /// The rules of some captures, open for reading.
    type Rules<'r>
    where
        Self: 'r;

    /// Finds the capture that is authoritative for a host at a time. If the host has none, finds that of the other form of
    /// its name (with or without `www.`).
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetErrorKind::NoCapture`](dataset::error::DatasetErrorKind::NoCapture).
    fn at(&self, host: &Host, as_of: AsOf) -> Result<FoundCapture<Self>, Error>;

    /// Opens the rules of captures of one part, whose places are in order.
    ///
    /// # Errors
    ///
    /// Those of reading.
    fn open_rules(&self, places: &[Self::Place]) -> Result<Self::Rules<'_>, Error>;

    /// Fills `file`, which is empty, with the robots.txt of a capture, rebuilt from the lines in the tables. Returns the
    /// number of lines. Files are read in the order of their places.
    ///
    /// # Errors
    ///
    /// Those of reading, of a file without the rules that it should have, and of `limit`.
    fn read_file(
        &self,
        rules: &mut Self::Rules<'_>,
        place: &Self::Place,
        limit: &mut LineLimit<'_>,
        file: &mut RobotsTxtBuilder,
    ) -> Result<u64, Error>;
}

/// The place of the rules of a capture.
pub(crate) trait Place:
    for<'a> Record<Of<'a> = Self> + Copy + PartialEq + Send + Sync
{
    /// The number of the part with the rules. A part is opened once for all of its places that are next to each other.
    fn part(&self) -> u32;
}

/// The authoritative capture of a host.
pub(crate) struct FoundCapture<C: Captures + ?Sized> {
    /// The other form of the name of the host, if only that has a capture.
    pub(crate) other_form: Option<Host>,
    pub(crate) capture: C::Capture,
    /// The place of the rules that apply.
    pub(crate) place: C::Place,
    /// The effect of the HTTP status in each dialect.
    pub(crate) effects: [(Dialect, StatusEffect); 3],
    /// The time of the fetch, in milliseconds since 1970.
    pub(crate) time: Option<i64>,
}

impl<C: Captures> FoundCapture<C> {
    /// Returns the effect of the HTTP status in a dialect.
    pub(crate) fn effect(&self, dialect: Dialect) -> StatusEffect {
        let mut effects = self.effects.iter();
        let found = effects.find(|(known, _)| *known == dialect);
        found.expect("each dialect has an effect").1
    }
}
