//! The table `agents`, of which the manifest knows only whose it is.

use super::file::{self, Seen, Wanted};
use super::{Findings, Progress, Remedy, Report};
use crate::check::Temporary;
use crate::crawler::registry::CrawlerRegistry;
use crate::dataset::{AGENTS, FileStats, Manifest};
use crate::disk::{self, TempFolder};
use crate::error::Error;
use crate::parquet_writer::write_table;
use crate::tables::{Table, agents_rows};
use std::path::Path;

/// Checks it: byte by byte if the registry is the one that is built in, else as
/// far as it can be decoded.
pub(super) fn check(
    root: &Path,
    manifest: &Manifest,
    progress: &Progress,
    report: &mut Report,
) -> Seen {
    let ours = Some(env!("CARGO_PKG_VERSION"));
    let registry = CrawlerRegistry::built_in();
    let settings = manifest.settings.as_ref();
    let is_ours = manifest.version.as_deref() == ours
        && settings.is_some_and(|it| it.agents == registry.sha1);
    let is = is_ours.then(|| written(&registry)).and_then(Result::ok);
    if is.is_none() {
        let what =
            "the digest of `agents`, which only that of the built-in registry can be known by";
        report.unchecked.push(what.to_owned());
    }
    let wanted = Wanted {
        table: Table::Agents,
        schema: &Table::Agents.schema(),
        is: is.as_ref(),
    };
    let mut findings = Findings::default();
    let file = disk::open_below(root, Path::new(AGENTS));
    let seen = file::check(file, AGENTS, &wanted, progress, &mut findings);
    findings.advise(Remedy::WriteRegistry);
    report.findings.append(findings);
    seen
}

/// What the file of a registry is when it is written.
fn written(registry: &CrawlerRegistry) -> Result<FileStats, Error> {
    let folder = Temporary::create()?;
    let schema = Table::Agents.file_schema(&[]);
    let temp = TempFolder::create(folder.path(), &TempFolder::random_name())?;
    let new = temp.new_file(Path::new("agents.parquet"), false)?;
    let file = write_table(schema, agents_rows(&registry.crawlers), new)?;
    Ok(FileStats {
        rows: file.rows,
        bytes: file.bytes,
        digest: file.digest,
    })
}
