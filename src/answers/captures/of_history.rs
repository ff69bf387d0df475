//! The captures of a history.

use super::{Captures, FoundCapture, LineLimit, Place};
use dataset::Code;
use errors::Error;
use history::error::damaged_history_error;
use history::own_tables::POLICIES;
use history::policies::keyed_rows::{
    KeyedReader, KeyedRows, POLICY_LINES, open_keyed, policies_filter,
};
use history::policies::policy_file::push_lines;
use history::policies::row_key::{RowKey, key_from_text};
use history::read::capture_record::AccessState;
use history::read::history_reader::HistoryReader;
use history::read::host_lookup::{PlacedCapture, find_host};
use hosts::{AsOf, Host};
use robots::{ContentClass, Dialect, RobotsTxtBuilder};
use sort::{GroupKey, record};

/// The captures of a history.
pub(crate) struct HistoryCaptures<'a> {
    pub(crate) history: &'a HistoryReader,
    /// The crawls whose captures are read; if empty, all.
    pub(crate) crawls: &'a [String],
}

record! {
    /// The key of a policy, with the class of the body: the rules do not depend on it, but the basis of a verdict does.
    pub(crate) struct PolicyPlace {
        /// The key of the policy; `None` if the file has no lines.
        policy: Option<RowKey>,
        content: Code<ContentClass>,
    }
}

impl PolicyPlace {
    /// The place of a file without lines.
    pub(crate) const EMPTY: Self = Self {
        policy: None,
        content: Code(ContentClass::Empty),
    };

    /// Returns the place of the rules of a state.
    pub(crate) fn new(state: &AccessState<'_>) -> Self {
        Self {
            policy: state.policy_id.and_then(key_from_text),
            content: Code(state.content_class()),
        }
    }
}

impl Place for PolicyPlace {
    fn part(&self) -> u32 {
        0
    }
}

impl HistoryCaptures<'_> {
    /// Returns the rows of the policy with these rules; `None` if the file has no lines.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub(crate) fn policy<'r>(
        &self,
        rules: &'r mut KeyedReader<'_>,
        place: &PolicyPlace,
    ) -> Result<Option<KeyedRows<'r>>, Error> {
        let Some(key) = place.policy else {
            return Ok(None);
        };
        rules.skip_to(&GroupKey::new(key))?;
        // The rows are not consumed: the next place may have the same policy with another class of content.
        let rows = rules.peek()?.filter(|(found, _)| *found == key);
        let rows = rows.map(|(_, rows)| KeyedRows::read(rows, POLICY_LINES));
        rows.map(Some)
            .ok_or_else(|| damaged_history_error(self.history.root(), POLICIES))
    }
}

impl Captures for HistoryCaptures<'_> {
    type Capture = PlacedCapture;
    type Place = PolicyPlace;
    type Rules<'r>
        = KeyedReader<'r>
    where
        Self: 'r;

    fn at(&self, host: &Host, as_of: AsOf) -> Result<FoundCapture<Self>, Error> {
        let (capture, other_form) = find_host(self.history, host, self.crawls, as_of)?;
        let state = capture.state();
        Ok(FoundCapture {
            other_form,
            place: PolicyPlace::new(&state),
            effects: Dialect::ALL.map(|dialect| (dialect, state.effect(dialect))),
            time: capture.address.fetch_time,
            capture,
        })
    }

    fn open_rules(&self, places: &[PolicyPlace]) -> Result<KeyedReader<'_>, Error> {
        let keys = places.iter().filter_map(|place| place.policy);
        open_keyed(self.history.dataset(), POLICY_LINES, &policies_filter(keys))
    }

    fn read_file(
        &self,
        rules: &mut KeyedReader<'_>,
        place: &PolicyPlace,
        limit: &mut LineLimit<'_>,
        file: &mut RobotsTxtBuilder,
    ) -> Result<u64, Error> {
        let mut n_lines = 0;
        if let Some(policy) = self.policy(rules, place)? {
            n_lines = policy.n_lines();
            limit.take(n_lines, policy.bytes())?;
            let root = self.history.root();
            push_lines(&policy, file).map_err(|error| error.with_path(root))?;
        }
        file.set_content_class(place.content.0);
        Ok(n_lines as u64)
    }
}
