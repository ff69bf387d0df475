//! The columns of a table, found by their names.

use crate::error::TableDefect;
use std::collections::BTreeMap;

/// Names of columns that the user gives because a table does not have the default names. The keys, such as `url`, state
/// what a column means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNames(BTreeMap<String, String>);

/// A column that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedColumn {
    /// The names that the column may have. The first one that the table has is read.
    pub names: Vec<String>,
    /// True if a table without the column is refused.
    pub is_required: bool,
    /// True if the values must be text or bytes: a column of another type, and objects of JSON, are refused.
    pub is_text: bool,
}

impl ColumnNames {
    /// Sets the name of the column with this key.
    pub fn insert(&mut self, key: &str, name: &str) {
        self.0.insert(key.to_owned(), name.to_owned());
    }

    /// Returns true if a name was set for the column with this key.
    pub fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Returns the column with this key. It is optional and has the default names, unless its name was set: then it is
    /// required, and has only that name.
    pub fn optional(&self, key: &str, default_names: &[&str]) -> WantedColumn {
        let named = self.0.get(key);
        WantedColumn {
            names: match named {
                Some(name) => vec![name.clone()],
                None => default_names.iter().map(ToString::to_string).collect(),
            },
            is_required: named.is_some(),
            is_text: false,
        }
    }

    /// Returns the column with this key, which is required. It has the default names, unless its name was set.
    pub fn required(&self, key: &str, default_names: &[&str]) -> WantedColumn {
        WantedColumn {
            is_required: true,
            ..self.optional(key, default_names)
        }
    }
}

impl WantedColumn {
    /// Returns the column with values that must be text or bytes.
    pub fn of_text(self) -> Self {
        Self {
            is_text: true,
            ..self
        }
    }
}

/// Returns the beginning of the name of a column, for a message.
fn shorten_name(name: &str) -> String {
    match name.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Returns the index in `names` of each wanted column; `None` for an optional column that the table does not have.
///
/// # Errors
///
/// [`TableDefect::NoColumn`]; [`TableDefect::Other`] if two names differ in case only.
pub(super) fn find_columns(
    names: &[String],
    wanted: &[WantedColumn],
) -> Result<Vec<Option<usize>>, TableDefect> {
    let find = |column: &WantedColumn| {
        for wanted in &column.names {
            if let Some(index) = find_column(names, wanted)? {
                return Ok(Some(index));
            }
        }
        if column.is_required {
            Err(TableDefect::NoColumn {
                names: column.names.clone(),
                found: names
                    .iter()
                    .take(12)
                    .map(|name| shorten_name(name))
                    .collect(),
            })
        } else {
            Ok(None)
        }
    };
    wanted.iter().map(find).collect()
}

/// Finds a column by its exact name, or else the only column whose name differs just in case.
fn find_column(names: &[String], wanted: &str) -> Result<Option<usize>, TableDefect> {
    if let Some(index) = names.iter().position(|name| name == wanted) {
        return Ok(Some(index));
    }
    let mut alike = names.iter().enumerate();
    let mut alike = alike
        .by_ref()
        .filter(|(_, name)| name.eq_ignore_ascii_case(wanted));
    match (alike.next(), alike.next()) {
        (Some((_, first)), Some((_, second))) => Err(TableDefect::Other(format!(
            "its columns '{first}' and '{second}' differ in case only"
        ))),
        (found, _) => Ok(found.map(|(index, _)| index)),
    }
}
