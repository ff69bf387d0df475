//! The layout of an output.
//!
//! A dataset has one file per table and part,
//! `OUT/<table>/crawl=…/subset=…/part-00000.parquet`, besides `_manifest.jsonl`,
//! `_log.jsonl`, `_SUCCESS` and `views.sql`. A single table can also be written to a
//! single file. `writer.rs` describes how a dataset is started, resumed and replaced, and `output_check.rs`
//! checks whether an output may be written.

use crate::file_names::PARTS_FOLDER;
use columns::{RowBatch, TableSchema};
use std::path::{Path, PathBuf};
use tables::{PARTITION_COLUMNS, Table};

/// The name of the file of a resolved table in the folder of a crawl, which has only this file.
const CRAWL_FILE_NAME: &str = "part-00000.parquet";

/// The layout of an output: a dataset with some tables, or a single file.
#[derive(Clone, Debug)]
pub struct OutputLayout {
    root: PathBuf,
    /// The kind of folder that [`read_kind`](crate::read_kind) returns; `None` for a dataset.
    pub(crate) kind: Option<&'static str>,
    tables: Vec<Table>,
    is_single_file: bool,
    shard_index: Option<usize>,
}

impl OutputLayout {
    /// Returns the layout of a single file, if there is one table and the name ends in
    /// `.parquet`, and of a dataset at `root` otherwise. The names of the files of a dataset
    /// contain `shard_index`, if it is not `None`.
    pub fn new(root: &Path, tables: &[Table], shard_index: Option<usize>) -> Self {
        let ends_with_slash = root.as_os_str().to_string_lossy().ends_with('/');
        let has_parquet_extension = root
            .extension()
            .is_some_and(|extension| extension == "parquet");
        Self {
            is_single_file: tables.len() == 1 && has_parquet_extension && !ends_with_slash,
            ..Self::new_dataset(root, tables, shard_index)
        }
    }

    /// Returns the layout of a dataset, whatever its name.
    pub fn new_dataset(root: &Path, tables: &[Table], shard_index: Option<usize>) -> Self {
        Self {
            root: root.to_owned(),
            kind: None,
            tables: tables.to_vec(),
            is_single_file: false,
            shard_index,
        }
    }

    /// Returns the layout of a folder that is not a dataset, with the kind that its manifest states, such as `history`.
    pub fn new_for_other_folder(root: &Path, folder_kind: &'static str) -> Self {
        Self {
            kind: Some(folder_kind),
            ..Self::new_dataset(root, &[], None)
        }
    }

    /// Returns the layout of a single file, whatever its name.
    pub fn new_single_file(root: &Path, table: Table) -> Self {
        Self {
            is_single_file: true,
            ..Self::new_dataset(root, &[table], None)
        }
    }

    /// Returns true if the output is one file.
    pub fn is_single_file(&self) -> bool {
        self.is_single_file
    }

    /// Returns the folder of the dataset, or the file.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the tables that are written, in the order of the schema.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns the path of the file of a table and part, relative to the folder of the
    /// dataset.
    pub fn part_path(&self, table: Table, part: u32, crawl: &str, subset: &str) -> PathBuf {
        let name = match self.shard_index {
            Some(index) => format!("part-{index:05}-{part:05}.parquet"),
            None => format!("part-{part:05}.parquet"),
        };
        Path::new(table.name())
            .join(format!("crawl={crawl}"))
            .join(format!("subset={subset}"))
            .join(name)
    }

    /// Returns the path that the file of a table and a single part has until parts are combined, relative
    /// to the folder of the dataset.
    pub fn single_part_path(&self, table: Table, part: u32, crawl: &str, subset: &str) -> PathBuf {
        Path::new(PARTS_FOLDER).join(self.part_path(table, part, crawl, subset))
    }

    /// Returns the path of the file of a resolved table and crawl, relative to the folder
    /// of the dataset.
    pub fn crawl_path(table: Table, crawl: &str) -> PathBuf {
        Path::new(table.name())
            .join(format!("crawl={crawl}"))
            .join(CRAWL_FILE_NAME)
    }

    /// Returns the path of file `number` of a table whose rows are divided into files by size, as in histories,
    /// relative to the folder of the output. `generation` differs between an output and the one that replaces it.
    pub fn numbered_path(table: Table, generation: u32, number: usize) -> PathBuf {
        Path::new(table.name()).join(format!("part-{generation:08x}-{number:05}.parquet"))
    }

    /// Returns the name of the table of a path that [`numbered_path`](Self::numbered_path) makes; `None` for any other path.
    pub fn table_of_numbered_path(path: &str) -> Option<&str> {
        let (table, name) = path.split_once('/')?;
        let numbers = name.strip_prefix("part-")?.strip_suffix(".parquet")?;
        let (generation, number) = numbers.split_once('-')?;
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_valid = !table.is_empty()
            && table.bytes().all(is_name)
            && generation.len() == 8
            && generation.bytes().all(is_hex)
            && number.len() >= 5
            && number.bytes().all(|byte| byte.is_ascii_digit());
        is_valid.then_some(table)
    }

    /// Returns true if the resolved tables are written.
    pub fn has_resolved_tables(&self) -> bool {
        self.tables.contains(&Table::HOSTS)
    }

    /// Returns the schema of a file. In a single file, the partition columns are
    /// columns of the table.
    pub fn file_schema(&self, table: Table) -> TableSchema {
        if self.is_single_file && table.is_per_part() {
            table.file_schema(&PARTITION_COLUMNS)
        } else {
            table.file_schema(&[])
        }
    }

    /// Adds the partition columns to rows, if the output is a single file.
    pub fn add_partition_columns(&self, mut rows: RowBatch, crawl: &str, subset: &str) -> RowBatch {
        if self.is_single_file {
            rows.add_constant_column(crawl);
            rows.add_constant_column(subset);
        }
        rows
    }
}
