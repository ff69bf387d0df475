//! `match`: decides for each URL of a list whether crawlers may fetch it,
//! according to the captures of a dataset or a history.
//!
//! The list and the captures may be much larger than memory: all data is sorted externally (`src/sort`) and merged.
//! `steps.rs` has the steps:
//!
//! 1. The list is read (`url_list.rs`), and its URLs are sorted by the hosts or origins whose captures decide them.
//! 2. `in_dataset.rs` or `in_history.rs` finds the captures of each URL ([`UrlCaptures`](captures::UrlCaptures)).
//! 3. A URL is decided at once if an HTTP status decides it (`planned_urls.rs`), otherwise by rules (`rules.rs`): the
//!    robots.txt of a capture is rebuilt from table rows once for all URLs of a chunk.
//! 4. The decisions (`decision.rs`) are written in the order of the list (`output.rs`).

mod captures;
mod decision;
mod in_dataset;
mod in_history;
mod lookup;
mod match_run;
mod options;
mod output;
mod planned_urls;
mod prepared;
mod progress;
mod rules;
mod steps;
mod summary;
mod url_list;

pub use lookup::is_url_or_path;
pub use options::Options;
pub use prepared::{PreparedMatch, prepare};
pub use progress::{MatchProgress, MatchStage};
pub use summary::MatchSummary;
pub use url_list::{URL_COLUMN_KEYS, UrlListSource, read_url_list};
