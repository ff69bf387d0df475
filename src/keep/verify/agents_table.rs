//! Checks the table `agents`. The manifest lists the version of the registry,
//! but no digest of the file.

use super::file::{self, ExpectedFile, FileCheck};
use super::{Findings, Remedy, VerifyProgress, VerifyReport};
use columns::write_table;
use crawlers::CrawlerRegistry;
use dataset::{AGENTS_PATH, FileStats, Manifest};
use disk::error::Error;
use disk::{SystemTempFolder, TempFolder};
use std::path::Path;
use tables::{Table, agents_rows};

/// Checks the file of `agents`. If the dataset has the registry that is built into this version, the
/// digest is compared with that of the same table written again. Otherwise the file is only decoded.
pub(super) fn check(
    root: &Path,
    manifest: &Manifest,
    progress: &VerifyProgress,
    report: &mut VerifyReport,
) -> FileCheck {
    let stats = built_in_table_stats(manifest);
    if stats.is_none() {
        let what =
            "the digest of `agents`, which only that of the built-in registry can be known by";
        report.unchecked.push(what.to_owned());
    }
    let expected = ExpectedFile {
        schema: &Table::AGENTS.schema(),
        stats: stats.as_ref(),
        parts: &[],
    };
    let mut findings = Findings::default();
    let file = disk::open_below(root, Path::new(AGENTS_PATH));
    let check = file::check(file, AGENTS_PATH, &expected, progress, &mut findings);
    findings.replace_part_remedies(Remedy::WriteRegistry);
    report.findings.append(findings);
    check
}

/// Returns the size, digest and number of rows that the table of a dataset must have; `None` unless
/// this version wrote the dataset, with its built-in registry of crawlers.
pub(super) fn built_in_table_stats(manifest: &Manifest) -> Option<FileStats> {
    let own_version = Some(env!("CARGO_PKG_VERSION"));
    let registry = CrawlerRegistry::built_in();
    let options = manifest.options.as_ref();
    let is_built_in = manifest.version.as_deref() == own_version
        && options.is_some_and(|options| options.agents == registry.sha1);
    let stats = is_built_in.then(|| compute_table_stats(&registry))?;
    stats.ok()
}

/// Writes the table of a registry to a temporary folder, and returns its size, digest and number of
/// rows.
fn compute_table_stats(registry: &CrawlerRegistry) -> Result<FileStats, Error> {
    let folder = SystemTempFolder::create()?;
    let schema = Table::AGENTS.file_schema(&[]);
    let temp = TempFolder::create(folder.path(), &TempFolder::random_name())?;
    let new = temp.new_file(Path::new("agents.parquet"), false)?;
    let file = write_table(schema, agents_rows(&registry.crawlers), new)?;
    Ok(FileStats {
        rows: file.rows,
        bytes: file.bytes,
        digest: file.digest,
    })
}
