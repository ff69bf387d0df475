//! `match`: decides for each URL of a list whether crawlers may fetch it,
//! according to the captures of a dataset or a history.
//!
//! The list and the dataset may be much larger than memory. All data is sorted
//! externally (`src/sort`) and merged (`in_dataset.rs`):
//!
//! 1. `url_list.rs` reads the list, and its URLs are sorted by origin and time (`lookup.rs`).
//! 2. [`hosts`] finds the authoritative capture for each
//!    origin and time.
//! 3. `evaluate.rs` decides each URL: by the HTTP status of the capture if possible, otherwise by the
//!    rules. The robots.txt of a capture is rebuilt from table rows once for all URLs of a chunk.
//! 4. `output.rs` writes the decisions (`decision.rs`) in the order of the list.
//!
//! `in_history/` does the same over a history. There, a URL is decided by several captures: the one at its time, later
//! ones and the last one (its plan), and the output is another table. `match_run.rs` has the steps that both share.

mod decision;
mod evaluate;
mod in_dataset;
mod in_history;
mod lookup;
mod match_run;
mod options;
mod output;
mod prepared;
mod progress;
mod summary;
mod url_list;

pub use lookup::is_url_or_path;
pub use options::Options;
pub use prepared::{PreparedMatch, prepare};
pub use progress::{MatchProgress, MatchStage};
pub use summary::MatchSummary;
pub use url_list::{URL_COLUMN_KEYS, UrlListSource, read_url_list};
