//! Scans an archive into a temporary dataset, in which a host is looked up.

use dataset::OutputLayout;
use dataset::crawler::registry::CrawlerRegistry;
use dataset::division::PartSize;
use dataset::tables::Table;
use disk::error::Error;
use scan::input::{self, InputOptions};
use scan::pipeline::{self, Options, ScanProgress, ScanSummary};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;

/// The longest body that is kept: the default of `scan`.
const MAX_BODY_BYTES: usize = 16 << 20;

/// Scans an archive into a dataset at `root` with the tables that a check needs.
pub(super) fn scan(
    archive: &Path,
    root: &Path,
    body_limit: Option<u64>,
    registry: &CrawlerRegistry,
    stop: &Arc<AtomicBool>,
) -> Result<ScanSummary, Error> {
    let input_options = InputOptions {
        arguments: vec![archive.to_string_lossy().into_owned()],
        ..InputOptions::default()
    };
    let tables = [
        Table::RobotsFiles,
        Table::Groups,
        Table::Rules,
        Table::Sitemaps,
        Table::Directives,
        Table::Anomalies,
    ];
    let found = input::find(&input_options)?;
    let options = Options {
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        body_limit,
        max_body_bytes: MAX_BODY_BYTES,
        registry: registry.clone().into(),
        part_size: PartSize::Bytes(u64::MAX),
        listed_inputs: found.listed_inputs,
        list_digest: found.list_digest,
        ..Options::new(found.inputs, OutputLayout::new_dataset(root, &tables, None))
    };
    let (notices, received) = channel();
    let summary = pipeline::run(&options, &ScanProgress::default(), &notices, stop)?;
    drop(notices);
    let failed = received.into_iter().find_map(|notice| match notice {
        pipeline::ScanNotice::Failed(error) => Some(error),
        pipeline::ScanNotice::Fault { .. } | pipeline::ScanNotice::Remote(_) => None,
    });
    failed.map_or(Ok(summary), Err)
}
