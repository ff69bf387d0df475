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

/// The rows of a batch that were built from cached bodies.
#[derive(Debug, Default)]
pub(super) struct RepeatedRows {
    rows: HashTable<RowRanges>,
}

/// The rows of one body in each table.
#[derive(Debug)]
pub(super) struct RowRanges {
    body: CachedBodyId,
    is_robots_path: bool,
    /// In the order of [`Table::OF_RECORDS`]. Used of those tables only whose rows are `per_body`.
    pub(super) of_tables: [Range<usize>; Table::OF_RECORDS.len()],
}

impl RepeatedRows {
    /// Returns the rows of an equal body, if the batch has them.
    pub(super) fn find(&self, body: CachedBodyId, is_robots_path: bool) -> Option<&RowRanges> {
        self.rows
            .find(body.hash, |rows| rows.matches(body, is_robots_path))
    }

    /// Adds the rows of a body that was not found.
    pub(super) fn insert(&mut self, rows: RowRanges) {
        self.rows
            .insert_unique(rows.body.hash, rows, |rows| rows.body.hash);
    }

    /// Forgets all rows, because the batch was taken.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
    }
}

impl RowRanges {
    /// Returns the rows of a body, empty in all tables.
    pub(super) fn new(body: CachedBodyId, is_robots_path: bool) -> Self {
        Self {
            body,
            is_robots_path,
            of_tables: Default::default(),
        }
    }

    fn matches(&self, body: CachedBodyId, is_robots_path: bool) -> bool {
        self.body == body && self.is_robots_path == is_robots_path
    }
}
