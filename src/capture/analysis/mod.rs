//! Everything that is derived from one capture.
//!
//! [`Analyzer::analyze`] turns a [`Capture`](crate::Capture) into a [`CaptureAnalysis`],
//! from which the rows of all tables are built. It parses the body, computes verdicts, resolves
//! sitemaps and collects anomalies; nothing is derived later. Bodies that occur repeatedly are
//! looked up in a `BodyCache`.

mod analyzer;
pub mod body_cache;
mod capture_analysis;
mod sitemap;

pub use analyzer::Analyzer;
pub use capture_analysis::{AnomalyRow, CaptureAnalysis, PreferenceLine};
pub use sitemap::SitemapLine;
