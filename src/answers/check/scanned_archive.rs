//! Scans an archive into a temporary dataset, in which a host is looked up.

use crawlers::CrawlerRegistry;
use dataset::OutputLayout;
use dataset::division::PartSize;
use errors::Error;
use scan::{Options, ScanNotice, ScanProgress, ScanSummary};
use sources::input::{self, InputOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use tables::Table;

/// The maximum number of bytes read of a decoded body: the default of `scan`.
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
        Table::ROBOTS_FILES,
        Table::GROUPS,
        Table::RULES,
        Table::SITEMAPS,
        Table::DIRECTIVES,
        Table::ANOMALIES,
    ];
    let found = input::find_inputs(&input_options)?;
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
    let summary = scan::run(&options, &ScanProgress::default(), &notices, stop)?;
    drop(notices);
    let failed = received.into_iter().find_map(|notice| match notice {
        ScanNotice::Failed(error) => Some(error),
        ScanNotice::Fault { .. } | ScanNotice::Remote(_) => None,
    });
    failed.map_or(Ok(summary), Err)
}
