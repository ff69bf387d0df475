//! Computes the columns of today from files of earlier formats.
//!
//! `docs/formats.md` states what each format changed. If a column changes its meaning, add the expression
//! that computes it from the former columns, for views and for readers, and a dataset to `tests/formats`.

use crate::tables::Table;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use columns::escaped_text::unescape_body;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The first format in which only columns named `*_raw` are null where they equal another one.
const WHOLE_COLUMNS: u64 = 6;

/// The first format with preferences of files and hosts.
const WITH_PREFERENCES: u64 = 7;

/// The tables that datasets of earlier formats lack.
const NEW_TABLES: [Table; 2] = [Table::FilePreferences, Table::HostPreferences];

/// Returns true if a dataset of a format lacks a table, so that it has no rows.
pub fn is_lacking(table: Table, format: u64) -> bool {
    format < WITH_PREFERENCES && NEW_TABLES.contains(&table)
}

/// Returns true if the files of earlier formats lack a column that readers do without.
pub(crate) fn is_optional_column(table: Table, name: &str) -> bool {
    table == Table::Directives && matches!(name, "counts" | "has_colon")
}

/// The column of format 5 that has a value where backslashes in `path` are doubled.
pub(crate) const PATH_BYTES: &str = "path_bytes";

/// A column of today as an expression for DuckDB over the columns of earlier formats.
struct UpgradedColumn {
    table: Table,
    name: &'static str,
    expression: &'static str,
    /// True if the files of earlier formats have no column of this name.
    is_new: bool,
    /// The first format that has the column as it is today.
    since: u64,
}

/// The registered domain of a sitemap as format 5 has it.
macro_rules! sitemap_domain {
    () => {
        r"nullif(coalesce(sitemap_registered_domain, regexp_replace(regexp_replace(regexp_extract(sitemap_url, '^[a-z]+://([^/?]*@)?(\[[0-9a-f:.]+\]|[^/:?\[]*)', 2), '[.]$', ''), '^www[.]', '')), '')"
    };
}

/// The private domain of a host as format 5 has it.
macro_rules! private_domain {
    () => {
        "nullif(coalesce(url_host_private_domain, url_host_registered_domain), '')"
    };
}

const UPGRADED: &[UpgradedColumn] = &[
    UpgradedColumn {
        table: Table::RobotsFiles,
        name: "url_host_registry_suffix",
        expression: "coalesce(url_host_registry_suffix, \
             substr(url_host_registered_domain, instr(url_host_registered_domain, '.') + 1))",
        is_new: false,
        since: WHOLE_COLUMNS,
    },
    // A host that is itself a suffix has none here: format 5 does not state it.
    UpgradedColumn {
        table: Table::RobotsFiles,
        name: "url_host_private_suffix",
        expression: concat!(
            "substr(",
            private_domain!(),
            ", instr(",
            private_domain!(),
            ", '.') + 1)"
        ),
        is_new: true,
        since: WHOLE_COLUMNS,
    },
    UpgradedColumn {
        table: Table::RobotsFiles,
        name: "url_surt_path",
        expression: "substr(url_surtkey, instr(url_surtkey, ')') + 1)",
        is_new: true,
        since: WHOLE_COLUMNS,
    },
    UpgradedColumn {
        table: Table::Groups,
        name: "token_valid",
        expression: "coalesce(token_valid, \
             regexp_matches(coalesce(agent_raw, agent), '^([A-Za-z_-]+|[*])$'))",
        is_new: false,
        since: WHOLE_COLUMNS,
    },
    UpgradedColumn {
        table: Table::Rules,
        name: "path",
        expression: r"CASE WHEN path_bytes IS NULL THEN path ELSE replace(path, '\\', '\') END",
        is_new: false,
        since: WHOLE_COLUMNS,
    },
    // Null where it equals `path`, with its doubled backslashes.
    UpgradedColumn {
        table: Table::Rules,
        name: "path_raw",
        expression: "coalesce(path_raw, path)",
        is_new: false,
        since: WHOLE_COLUMNS,
    },
    UpgradedColumn {
        table: Table::Sitemaps,
        name: "sitemap_registry_suffix",
        expression: concat!(
            "CASE WHEN sitemap_url IS NOT NULL THEN coalesce(substr(",
            sitemap_domain!(),
            ", instr(",
            sitemap_domain!(),
            ", '.') + 1), '') END"
        ),
        is_new: true,
        since: WHOLE_COLUMNS,
    },
    UpgradedColumn {
        table: Table::Directives,
        name: "counts",
        expression: "CAST(NULL AS BOOLEAN)",
        is_new: true,
        since: WITH_PREFERENCES,
    },
    UpgradedColumn {
        table: Table::Directives,
        name: "has_colon",
        expression: "CAST(NULL AS BOOLEAN)",
        is_new: true,
        since: WITH_PREFERENCES,
    },
    UpgradedColumn {
        table: Table::Preferences,
        name: "counts",
        expression: "CAST(NULL AS BOOLEAN)",
        is_new: true,
        since: WITH_PREFERENCES,
    },
    // Earlier formats do not have the reading of dictionaries.
    UpgradedColumn {
        table: Table::Preferences,
        name: "preference",
        expression: "CASE WHEN mechanism = 'content-signal' THEN CASE WHEN allow THEN 'allowed' WHEN NOT allow THEN 'disallowed' ELSE 'unknown' END END",
        is_new: true,
        since: WITH_PREFERENCES,
    },
    UpgradedColumn {
        table: Table::Preferences,
        name: "category",
        expression: "CASE WHEN mechanism = 'content-signal' AND pref_key IN ('search', 'ai-input', 'ai-train') THEN pref_key END",
        is_new: true,
        since: WITH_PREFERENCES,
    },
    UpgradedColumn {
        table: Table::Hosts,
        name: "url_port",
        expression: r"TRY_CAST(nullif(regexp_extract(url, '^[a-z]+://([^/?]*@)?(\[[0-9a-f:.]+\]|[^/:?\[]*):([0-9]+)', 3), '') AS INTEGER)",
        is_new: true,
        since: WHOLE_COLUMNS,
    },
    UpgradedColumn {
        table: Table::Hosts,
        name: "authoritative_robots_id",
        expression: "coalesce(authoritative_robots_id, rules_robots_id)",
        is_new: false,
        since: WHOLE_COLUMNS,
    },
];

/// Returns a relation in DuckDB with the columns of today for the files of a table in `source`, which
/// have these formats.
pub(crate) fn upgraded_source(table: Table, source: &str, formats: &BTreeSet<u64>) -> String {
    let upgraded = UPGRADED.iter().filter(|column| column.table == table);
    let is_needed = |column: &&UpgradedColumn| formats.iter().any(|format| *format < column.since);
    let upgraded: Vec<&UpgradedColumn> = upgraded.filter(is_needed).collect();
    if upgraded.is_empty() {
        return source.to_owned();
    }
    let (mut replaced, mut added) = (Vec::new(), Vec::new());
    for column in upgraded {
        let UpgradedColumn {
            name,
            expression,
            since,
            ..
        } = column;
        let has_today = formats.iter().any(|format| format >= since);
        match (column.is_new, has_today) {
            (false, _) => replaced.push(format!("{expression} AS {name}")),
            // Rows of today have it, and not the columns of the expression.
            (true, true) => replaced.push(format!("coalesce({name}, {expression}) AS {name}")),
            (true, false) => added.push(format!(", {expression} AS {name}")),
        }
    }
    let replaced = match replaced.is_empty() {
        true => String::new(),
        false => format!(" REPLACE ({})", replaced.join(", ")),
    };
    format!("(SELECT *{replaced}{} FROM {source})", added.concat())
}

/// Returns rows of `rules` whose paths are as they are today, if the rows are of format 5. A value as
/// written that was left out because it equals the path keeps its doubled backslashes.
pub(crate) fn upgrade_paths(rows: RecordBatch) -> RecordBatch {
    let columns = (rows.column_by_name("path"), rows.column_by_name(PATH_BYTES));
    let (Some(paths), Some(path_bytes)) = columns else {
        return rows;
    };
    let (Some(paths), Some(path_bytes)) = (
        paths.as_string_opt::<i32>(),
        path_bytes.as_primitive_opt::<Int32Type>(),
    ) else {
        return rows;
    };
    if path_bytes.null_count() == path_bytes.len() {
        return rows;
    }
    let path = |(row, path): (usize, Option<&str>)| {
        let bytes = unescape_body(path?, path_bytes.is_null(row));
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let upgraded: StringArray = paths.iter().enumerate().map(path).collect();
    let replace = |(field, column): (&Arc<arrow_schema::Field>, &ArrayRef)| -> ArrayRef {
        match (field.name().as_str(), column.as_string_opt::<i32>()) {
            ("path", _) => Arc::new(upgraded.clone()),
            ("path_raw", Some(raw)) => {
                let values = raw.iter().zip(paths);
                let values = values.map(|(raw, path)| raw.or(path));
                Arc::new(values.collect::<StringArray>())
            }
            _ => Arc::clone(column),
        }
    };
    let schema = rows.schema();
    let columns = schema.fields().iter().zip(rows.columns()).map(replace);
    RecordBatch::try_new(rows.schema(), columns.collect()).unwrap_or(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int32Array;

    #[test]
    fn backslashes_are_doubled_only_where_path_bytes_has_a_value() {
        let paths: ArrayRef = Arc::new(StringArray::from(vec![r"/a\\b", r"/a\\b", "/c"]));
        let raw: ArrayRef = Arc::new(StringArray::from(vec![None, None, Some(" /c")]));
        let bytes: ArrayRef = Arc::new(Int32Array::from(vec![Some(4), None, None]));
        let columns = [("path", paths), ("path_raw", raw), (PATH_BYTES, bytes)];
        let rows = RecordBatch::try_from_iter_with_nullable(
            columns.map(|(name, column)| (name, column, true)),
        )
        .unwrap();
        let upgraded = upgrade_paths(rows);
        let paths = upgraded.column_by_name("path").unwrap().as_string::<i32>();
        let paths: Vec<&str> = paths.iter().flatten().collect();
        assert_eq!(paths, [r"/a\b", r"/a\\b", "/c"]);
        let raw = upgraded.column_by_name("path_raw").unwrap();
        let raw: Vec<&str> = raw.as_string::<i32>().iter().flatten().collect();
        assert_eq!(raw, [r"/a\\b", r"/a\\b", " /c"]);
    }

    #[test]
    fn files_of_today_are_read_as_they_are() {
        let source = "read_parquet('x')";
        let formats = |formats: &[u64]| {
            upgraded_source(Table::Hosts, source, &formats.iter().copied().collect())
        };
        assert_eq!(formats(&[6, 7]), source);
        assert!(formats(&[5]).contains(", TRY_CAST("));
        assert!(formats(&[5, 6]).contains("coalesce(url_port, "));
        let none = upgraded_source(Table::Agents, source, &BTreeSet::from([5]));
        assert_eq!(none, source);
    }
}
