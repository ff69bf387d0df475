//! What lies in the folders of a dataset and should not: files that views would
//! read, and what a killed run left.

use super::plan::relative;
use super::{Findings, Kind};
use crate::tables::Table;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Looks for what is not known.
pub(super) struct Search<'a> {
    pub(super) root: &'a Path,
    /// The files that belong to the dataset.
    pub(super) known: BTreeSet<String>,
    /// The shard that it is.
    pub(super) shard: Option<usize>,
    pub(super) findings: &'a mut Findings,
}

impl Search<'_> {
    /// Looks through the folders of all tables, and at what stands beside them.
    pub(super) fn run(&mut self) {
        self.look(self.root, None);
        for table in Table::ALL {
            // As deep as views look.
            let depth = if table.is_whole() { 0 } else { 2 };
            self.look(&self.root.join(table.name()), Some(depth));
        }
    }

    /// Looks into a folder, so many folders above the files that views read.
    fn look(&mut self, folder: &Path, depth: Option<usize>) {
        let shown = relative(folder, self.root);
        let mut unreadable = |error: std::io::Error| {
            self.findings.add(
                Kind::Unreadable,
                &shown,
                format_args!("it cannot be read: {error}"),
            );
        };
        let mut paths = Vec::new();
        match fs::read_dir(folder) {
            Ok(entries) => {
                for entry in entries {
                    match entry {
                        Ok(entry) => paths.push(entry.path()),
                        Err(error) => unreadable(error),
                    }
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => unreadable(error),
        }
        paths.sort();
        for path in paths {
            match depth {
                _ if !path.is_dir() => self.see(&path, depth == Some(0)),
                Some(depth) if depth > 0 => self.look(&path, Some(depth - 1)),
                _ => {}
            }
        }
    }

    fn see(&mut self, path: &Path, is_for_views: bool) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let path = relative(path, self.root);
        if name.starts_with('_') && name.ends_with(".tmp") {
            self.findings
                .add(Kind::Temporary, &path, format_args!("a temporary file"));
            return;
        }
        if !is_for_views || !name.ends_with(".parquet") || self.known.contains(&path) {
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
