//! The captures of a dataset or a history, as far as `match` reads them.

use super::decision::DecidedRow;
use super::lookup::UrlLookup;
use super::options::Options;
use super::output::MatchWriter;
use super::planned_urls::PlannedUrls;
use crate::captures::Captures;
use errors::Error;
use sort::SortedRecords;
use tables::Table;

/// Captures by which `match` decides URLs.
pub(super) trait UrlCaptures: Captures {
    /// The table of answers.
    const OUTPUT: Table;

    /// Writes the key by which the captures of an origin are found to `key`. Returns false if the origin has none.
    fn write_key(&self, origin: &[u8], key: &mut Vec<u8>) -> bool;

    /// Finds the captures by which each URL is decided, and adds each URL with them to `planned`. Returns the number
    /// of origins.
    ///
    /// # Errors
    ///
    /// Those of reading.
    fn plan_urls(
        &self,
        urls: &SortedRecords<'_, UrlLookup>,
        planned: &mut PlannedUrls<'_, Self::Place>,
    ) -> Result<u64, Error>;

    /// Writes the answers for a row of the list, one per crawler.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn write_answers(
        &self,
        options: &Options,
        decided: &DecidedRow,
        file: &mut MatchWriter,
    ) -> Result<(), Error>;
}
