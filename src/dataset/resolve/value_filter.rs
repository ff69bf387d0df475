//! Filters of captures by a few values of a column.

use crate::{CaptureFilter, ColumnValuesFilter};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most values for which the Bloom filters of files are asked. For more, all row groups are
/// read.
pub(super) const MAX_VALUES: usize = 100;

/// Returns a filter of captures with one of `values` in `column`; all captures if there are many
/// values.
pub(super) fn filter_of_values(column: &'static str, values: BTreeSet<String>) -> CaptureFilter {
    match values.len() <= MAX_VALUES {
        true => CaptureFilter::Values(Arc::new(ColumnValuesFilter { column, values })),
        false => CaptureFilter::All,
    }
}
