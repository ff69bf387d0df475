//! What lies in the folders of a dataset and should not: files that views would
//! read, and what a killed run left.

use super::plan::relative;
use super::{Findings, Kind};
use crate::disk;
use crate::error::FileKind;
use crate::tables::Table;
use std::collections::BTreeSet;
use std::path::Path;

/// Looks for what is not known.
pub(super) struct Search<'a> {
    pub(super) root: &'a Path,
    /// The files that belong to the dataset.
    pub(super) known: BTreeSet<String>,
    /// The shard that it is.
    pub(super) shard: Option<usize>,
    /// Folders for temporary files that the log names.
    pub(super) temp_folders: BTreeSet<String>,
    pub(super) findings: &'a mut Findings,
}

impl Search<'_> {
    /// Searches the folders of all tables, and looks for folders of temporary
    /// files beside them.
    pub(super) fn run(&mut self) {
        for name in &self.temp_folders {
            if let Ok(Some(FileKind::Folder)) = disk::kind(&self.root.join(name)) {
                self.findings
                    .add(Kind::Temporary, name, format_args!("temporary files"));
            }
        }
        for table in Table::ALL {
            // As deep as views look.
            let depth = if table.is_whole() { 0 } else { 2 };
            self.look(&self.root.join(table.name()), depth);
        }
    }

    /// Searches a folder, so many folders above the files that views read.
    fn look(&mut self, folder: &Path, depth: usize) {
        let entries = match disk::entries(folder) {
            Ok(entries) => entries,
            Err(error) => {
                let shown = relative(folder, self.root);
                let what = format_args!("it cannot be read: {error}");
                self.findings.add(Kind::Unreadable, &shown, what);
                return;
            }
        };
        for (path, kind) in entries {
            match (kind, depth) {
                (FileKind::Folder, 0) => {}
                (FileKind::Folder, _) => self.look(&path, depth - 1),
                (FileKind::Link, _) => self.see_link(&path, depth),
                (FileKind::Regular | FileKind::Special, 0) => self.see(&path),
                (FileKind::Regular | FileKind::Special, _) => {}
            }
        }
    }

    /// Reports a link that views may follow.
    fn see_link(&mut self, path: &Path, depth: usize) {
        if depth == 0 && path.extension().is_none_or(|it| it != "parquet") {
            return;
        }
        let path = relative(path, self.root);
        // A file of the manifest that became a link is reported with the files.
        if !self.known.contains(&path) {
            let what = format_args!("it is a link, which views may follow");
            self.findings.add(Kind::Foreign, &path, what);
        }
    }

    fn see(&mut self, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let path = relative(path, self.root);
        if !name.ends_with(".parquet") || self.known.contains(&path) {
            return;
        }
        match shard_of(&name).filter(|shard| Some(*shard) != self.shard) {
            Some(shard) => self.findings.add(
                Kind::OtherShard,
                &path,
                format_args!("it is of shard {shard}, whose manifest is not here"),
            ),
            None => self.findings.add(
                Kind::Foreign,
                &path,
                format_args!("it is not in the manifest"),
            ),
        }
    }
}

/// The shard that a file's name speaks of.
fn shard_of(name: &str) -> Option<usize> {
    let name = name.strip_prefix("part-")?.strip_suffix(".parquet")?;
    let (shard, part) = name.split_once('-')?;
    let is_number = |it: &str| it.len() >= 5 && it.bytes().all(|byte| byte.is_ascii_digit());
    let shard = Some(shard).filter(|_| is_number(shard) && is_number(part));
    shard?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_speak_of_shards() {
        for (name, shard) in [
            ("part-00002-00000.parquet", Some(2)),
            ("part-00000.parquet", None),
            ("part-00002-x.parquet", None),
            ("part-2-0.parquet", None),
        ] {
            assert_eq!(shard_of(name), shard, "{name}");
        }
    }
}
