//! `views.sql`, which opens a dataset in DuckDB, and the schemas of tables in SQL.

use crate::tables::{Column, PARTITION_COLUMNS, Table};
use std::fmt::Write;
use std::path::Path;

/// Views and macros over several tables.
const MACROS: &str = include_str!("macros.sql");

/// Returns a text as a literal in SQL.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns an expression for the folder of a dataset in which wildcards are escaped.
/// DuckDB takes a backslash for a path separator, and it cannot be escaped: the
/// expression is then an error that says so.
fn root_expression(path: &Path) -> String {
    let path = path.to_string_lossy();
    if path.contains('\\') {
        let why = format!(
            "DuckDB cannot search {path}, as the path has a backslash: move the dataset, then SET VARIABLE robots_scan = '/new/place'"
        );
        return format!("error({})", quoted(&why));
    }
    let path = path.replace('[', "[[]").replace('*', "[*]");
    quoted(&path.replace('?', "[?]"))
}

/// Returns the text of `views.sql` for a dataset at `root` with these tables.
pub fn sql(root: &Path, tables: &[Table]) -> String {
    let mut out = String::from(
        "-- Opens this dataset in DuckDB, from any folder: duckdb -init views.sql\n\
         -- Where it has been moved, say so first: SET VARIABLE robots_scan = '/new/place';\n",
    );
    let root = root_expression(root);
    let _ = writeln!(
        out,
        "SET VARIABLE robots_scan = coalesce(getvariable('robots_scan'), {root});\n"
    );
    for &table in tables {
        out.push_str(&view(table, &root));
    }
    if [Table::RobotsFiles, Table::Verdicts, Table::Agents]
        .iter()
        .all(|table| tables.contains(table))
    {
        out.push_str(MACROS);
    } else {
        out.push_str("-- The views and macros over several tables are left out: this dataset has only some.\n");
    }
    out
}

/// Returns the view of a table. Variables belong to one connection and views to all:
/// if the variable is not set, the view uses the path.
fn view(table: Table, root: &str) -> String {
    let name = table.name();
    let root = format!("coalesce(getvariable('robots_scan'), {root})");
    let mut out = if table.is_whole() {
        format!(
            "CREATE OR REPLACE VIEW {name} AS SELECT * FROM read_parquet({root} || '/{name}/*.parquet');\n"
        )
    } else {
        format!(
            "CREATE OR REPLACE VIEW {name} AS SELECT * FROM read_parquet({root} || '/{name}/*/*/*.parquet', \
             hive_partitioning = true, hive_types = {{'crawl': VARCHAR, 'subset': VARCHAR}}, union_by_name = true);\n"
        )
    };
    let _ = writeln!(out, "COMMENT ON VIEW {name} IS {};", quoted(table.about()));
    for column in columns(table) {
        let _ = writeln!(
            out,
            "COMMENT ON COLUMN {name}.{} IS {};",
            column.name,
            quoted(column.about)
        );
    }
    out.push('\n');
    out
}

/// Returns all columns of a view.
fn columns(table: Table) -> impl Iterator<Item = &'static Column> {
    table
        .columns()
        .iter()
        .chain(PARTITION_COLUMNS.iter().filter(move |_| !table.is_whole()))
}

/// Returns the schema of a table in SQL, as in `schemas/`.
pub fn schema_sql(table: Table) -> String {
    let mut out = format!("-- {}\nCREATE TABLE {} (\n", table.about(), table.name());
    let columns: Vec<&Column> = columns(table).collect();
    for (i, column) in columns.iter().enumerate() {
        let null = if column.is_nullable { "" } else { " NOT NULL" };
        let comma = if i + 1 < columns.len() { "," } else { "" };
        let _ = writeln!(
            out,
            "  {} {}{null}{comma} -- {}",
            column.name,
            column.kind.sql(),
            column.about
        );
    }
    out.push_str(");\n");
    out
}
