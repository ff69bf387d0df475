//! Rows of a batch that are copied for later captures of the same body.
//!
//! Most rows of the tables `groups`, `rules`, `directives` and `verdicts` depend on the body alone.
//! If a batch already holds the rows of an equal body, copying them is cheaper than building them
//! again. [`RepeatedRows`] records where they are. Bodies are identified by the cache of the
//! analyzer, so that all captures of a batch must come from one analyzer.
//!
//! Copying must never change output. A column of these tables that depends on the capture must be
//! set after copying (`repeat` in `column.rs`) or be part of [`RowRanges::matches`].

use super::Table;
use capture::analysis::body_cache::CachedBodyId;
use hashbrown::HashTable;
use std::ops::Range;

/// Finds the rows of a batch that were built from a cached body.
#[derive(Debug, Default)]
pub(super) struct RepeatedRows {
    rows: HashTable<RowRanges>,
}

/// The indexes of the rows of one body in each table of a batch.
#[derive(Debug)]
pub(super) struct RowRanges {
    body: CachedBodyId,
    is_robots_path: bool,
    /// The rows in each table of [`Table::FROM_RECORDS`]. Only those of tables `per_body` are used.
    pub(super) by_table: [Range<usize>; Table::FROM_RECORDS.len()],
}

impl RepeatedRows {
    /// Returns the rows of an equal body, if this batch has them.
    pub(super) fn find(&self, body: CachedBodyId, is_robots_path: bool) -> Option<&RowRanges> {
        self.rows
            .find(body.hash, |rows| rows.matches(body, is_robots_path))
    }

    /// Adds the rows of a body that was not found.
    pub(super) fn insert(&mut self, rows: RowRanges) {
        self.rows
            .insert_unique(rows.body.hash, rows, |rows| rows.body.hash);
    }

    /// Removes all entries. Called when the rows of the batch are taken.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
    }
}

impl RowRanges {
    /// Makes an entry for a body, whose ranges are empty in all tables.
    pub(super) fn new(body: CachedBodyId, is_robots_path: bool) -> Self {
        Self {
            body,
            is_robots_path,
            by_table: Default::default(),
        }
    }

    fn matches(&self, body: CachedBodyId, is_robots_path: bool) -> bool {
        self.body == body && self.is_robots_path == is_robots_path
    }
}
