//! An archive as a dataset, for a moment.

use crate::crawler::registry::CrawlerRegistry;
use crate::dataset::{IfExists, OutputLayout};
use crate::error::{Error, ErrorKind};
use crate::input::{self, InputOptions};
use crate::pipeline::{self, Options, ScanProgress, ScanSummary};
use crate::tables::Table;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;

/// Bytes of a body that are read at most, as `scan` has it.
const BODY_BYTES_MAX: usize = 16 << 20;

/// A folder in the place for temporary files, which is removed with all that
/// is in it when it is dropped.
#[derive(Debug)]
pub(crate) struct Temporary {
    folder: PathBuf,
}

impl Temporary {
    pub(crate) fn create() -> Result<Self, Error> {
        let place = std::env::temp_dir();
        let process = std::process::id();
        // Names of processes come again, and what a killed one left is not ours to remove.
        for nth in 0..u16::MAX {
            let folder = place.join(format!("robots-scan-{process}-{nth}"));
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Self { folder }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Error::with_source(ErrorKind::Create, &folder, error));
                }
            }
        }
        Err(Error::new(ErrorKind::Create, &place))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Scans an archive into a dataset at `root`, with the tables that a check needs.
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
        Table::Anomalies,
    ];
    let options = Options {
        inputs: input::find(&input_options)?,
        destination: OutputLayout::dataset(root, &tables, None),
        existing: IfExists::Refuse,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        body_limit,
        max_body_bytes: BODY_BYTES_MAX,
        with_bodies: false,
        verify_digests: false,
        registry: registry.clone(),
        part_bytes: u64::MAX,
        shard: None,
    };
    let (notices, told) = channel();
    let summary = pipeline::run(&options, &ScanProgress::default(), &notices, stop)?;
    drop(notices);
    let failed = told.into_iter().find_map(|notice| match notice {
        pipeline::ScanNotice::Failed(error) => Some(error),
        pipeline::ScanNotice::Fault { .. } => None,
    });
    failed.map_or(Ok(summary), Err)
}
