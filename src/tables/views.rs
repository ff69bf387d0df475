//! `views.sql`, which opens a dataset in DuckDB, the same for Spark, and the schemas of
//! tables in SQL.

use crate::questions;
use crate::{Column, MEANING, SqlDialect, Table, sql_literal};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The first line of `views.sql`.
pub const FIRST_LINE: &str =
    "-- Opens this dataset in DuckDB, from any folder: duckdb -init views.sql";

/// The macros of `views.sql` that read several tables.
pub const MACROS_SQL: &str = include_str!("macros.sql");

/// The macros about the reasons of blocks, which need all tables.
const REASONS_SQL: &str = include_str!("reasons.sql");

/// Macros with the names of those that only other outputs have, such as histories. In a dataset each raises an
/// error that states which command writes such an output.
pub const ABSENT_MACROS_SQL: &str = include_str!("absent_macros.sql");

/// The subfolder of joined datasets that holds the resolved tables.
pub const JOINED_FOLDER: &str = "_joined";

/// The line in a schema before the columns that only views have.
const DERIVED_HEADING: &str = "  -- Computed by the views, and not stored:";

/// Returns a DuckDB expression for the path of a dataset, in which wildcards are escaped. DuckDB
/// takes a backslash for a path separator, and a backslash cannot be escaped. For a path with a
/// backslash, the expression raises an error that states this.
pub fn root_expression(path: &Path) -> String {
    let path = path.to_string_lossy();
    if path.contains('\\') {
        let why = format!(
            "DuckDB cannot search {path}, as the path has a backslash: move the dataset, then SET VARIABLE robots_scan = '/new/place'"
        );
        return format!("error({})", sql_literal(&why));
    }
    sql_literal(&escape_wildcards(&path))
}

/// Returns the start of `views.sql`, which sets the variable with the path of the folder. `root` is an expression, as
/// [`root_expression`] returns it.
pub fn views_header(root: &str) -> String {
    format!(
        "{FIRST_LINE}\n\
         -- If the folder has been moved, first: SET VARIABLE robots_scan = '/new/place';\n\
         SET VARIABLE robots_scan = coalesce(getvariable('robots_scan'), {root});\n\n"
    )
}

/// The files that views read.
#[derive(Clone, Debug, Default)]
pub struct ViewedFiles {
    /// The tables that have views.
    pub tables: Vec<Table>,
    /// The subfolders of joined datasets; empty for a single dataset.
    pub members: Vec<String>,
    /// The crawls whose rows have another meaning than [`MEANING`], each with the version of its meaning.
    pub other_meanings: BTreeMap<String, u64>,
}

/// Returns the text of `views.sql` for a dataset at `root`.
pub fn views_sql(root: &Path, files: &ViewedFiles) -> String {
    let tables = &files.tables;
    let root = root_expression(root);
    let mut out = views_header(&root);
    for table in Table::ALL
        .into_iter()
        .filter(|table| tables.contains(table))
    {
        out.push_str(&view_sql(table, &root, files));
    }
    if [
        Table::HOSTS,
        Table::HOST_VERDICTS,
        Table::AGENTS,
        Table::RUNS,
    ]
    .iter()
    .all(|table| tables.contains(table))
    {
        out.push_str(&meaning_macro(&files.other_meanings, &MEANING.to_string()));
        out.push_str(MACROS_SQL);
    } else {
        out.push_str(
            "-- The macros verdicts_for and verdicts_in are left out: they need hosts, host_verdicts, agents and runs.\n",
        );
    }
    // The questions need all tables, which a dataset written with `--tables` lacks.
    if Table::ALL.iter().all(|table| tables.contains(table)) {
        out.push_str(REASONS_SQL);
        out.push_str(&questions::questions_sql(questions::QUERY_TEXTS, &[]));
    } else {
        out.push_str("-- The questions are left out: they need all tables.\n");
    }
    out.push_str(ABSENT_MACROS_SQL);
    out
}

/// Returns the statement that creates the macro `meaning_of`. `meaning` is an expression for the version of the crawls
/// that are not in `other_meanings`.
pub fn meaning_macro(other_meanings: &BTreeMap<String, u64>, meaning: &str) -> String {
    let mut meaning = meaning.to_owned();
    if !other_meanings.is_empty() {
        let cases: String = other_meanings
            .iter()
            .map(|(crawl, meaning)| format!(" WHEN {} THEN {meaning}", sql_literal(crawl)))
            .collect();
        meaning = format!("CASE crawl{cases} ELSE {meaning} END");
    }
    format!(
        "CREATE OR REPLACE MACRO meaning_of(crawl) AS {meaning};\n\
         COMMENT ON MACRO meaning_of IS 'The meaning of the rows of a crawl (docs/limits.md#formats)';\n"
    )
}

/// Returns the statements that create the view of a table. A view is visible to all connections, but
/// the variable `robots_scan` only to one: in other connections, the view uses the path in `root`.
fn view_sql(table: Table, root: &str, viewed: &ViewedFiles) -> String {
    let name = table.name();
    let root = format!("coalesce(getvariable('robots_scan'), {root})");
    let files = files_expression(table, &root, &viewed.members);
    let partitions = table.partition_columns();
    let source = if partitions.is_empty() {
        format!("read_parquet({files})")
    } else {
        let types: Vec<String> = partitions
            .iter()
            .map(|column| format!("'{}': VARCHAR", column.name))
            .collect();
        format!(
            "read_parquet({files}, hive_partitioning = true, hive_types = {{{}}})",
            types.join(", ")
        )
    };
    let select = view_select_list(table, SqlDialect::DuckDb);
    format!(
        "CREATE OR REPLACE VIEW {name} AS {select}FROM {source} AS files;\n{}\n",
        view_comments(table, view_columns(table))
    )
}

/// Returns the statements that describe a view and these columns of it.
pub fn view_comments<'c>(table: Table, columns: impl Iterator<Item = &'c Column>) -> String {
    let name = table.name();
    let about = sql_literal(table.about());
    let mut out = format!("COMMENT ON VIEW {name} IS {about};\n");
    for column in columns {
        let _ = writeln!(
            out,
            "COMMENT ON COLUMN {name}.{} IS {};",
            column.name,
            sql_literal(column.about)
        );
    }
    out
}

/// Returns an SQL expression for the paths of the files of a table. For a joined dataset, with the subfolders `members`, it
/// is a list of texts, one per subfolder. It is one text for any other dataset, for a table per crawl, and for a table
/// with a single file, which is that of the last subfolder.
fn files_expression(table: Table, root: &str, members: &[String]) -> String {
    let files_below = |folder: &str| {
        let folders = "/*".repeat(table.partition_columns().len());
        format!(
            "{root} || {}",
            sql_literal(&format!("{folder}/{}{folders}/*.parquet", table.name()))
        )
    };
    let member_folder = |name: &String| format!("/{}", escape_wildcards(name));
    match members {
        [] => files_below(""),
        _ if table.is_per_crawl() => files_below(&format!("/{JOINED_FOLDER}")),
        // The table is the same in every member, unless their registries differ. Only that of the last
        // member is read, which is the latest if the folders are named by month.
        [.., last] if table.has_single_file() => files_below(&member_folder(last)),
        members => {
            let files: Vec<String> = members
                .iter()
                .map(|name| files_below(&member_folder(name)))
                .collect();
            format!("[{}]", files.join(", "))
        }
    }
}

/// Returns a path in which DuckDB takes no character for a wildcard.
pub fn escape_wildcards(path: &str) -> String {
    let path = path.replace('[', "[[]").replace('*', "[*]");
    path.replace('?', "[?]")
}

/// Returns a DuckDB query that makes the columns of the view of a table from rows of a
/// `RowStream`. `source` is the relation of these rows,
/// such as its name.
pub fn select_sql(table: Table, source: &str) -> String {
    // A `RowStream` fills the stored columns, so no expression is needed for them.
    let stored = stored_and_path_columns(table).map(|column| Column {
        expression: None,
        ..*column
    });
    let stored: Vec<Column> = stored.collect();
    let columns = stored.iter().chain(table.derived_columns());
    let list = select_list(columns, SqlDialect::DuckDb);
    format!("{list}FROM {source} AS files")
}

/// Returns the `SELECT` clause of the view of a table.
fn view_select_list(table: Table, dialect: SqlDialect) -> String {
    select_list(view_columns(table), dialect)
}

/// Returns a `SELECT` clause with these columns.
fn select_list<'c>(columns: impl Iterator<Item = &'c Column>, dialect: SqlDialect) -> String {
    let item = |column: &Column| match &column.expression {
        // A macro parameter hides a column of the same name, also in views, unless the column is
        // qualified.
        None if dialect == SqlDialect::DuckDb => format!("files.{}", column.name),
        None => column.name.to_owned(),
        Some(expression) => format!(
            "CAST({} AS {}) AS {}",
            expression.sql(dialect),
            column.kind.sql(dialect),
            column.name
        ),
    };
    let items: Vec<String> = columns.map(item).collect();
    format!("SELECT\n    {}\n", items.join(",\n    "))
}

/// Returns all columns of a view: the stored ones, those in the path, and the derived
/// ones.
fn view_columns(table: Table) -> impl Iterator<Item = &'static Column> {
    stored_and_path_columns(table).chain(table.derived_columns())
}

/// Returns the columns of the files of a table, and those in their paths.
fn stored_and_path_columns(table: Table) -> impl Iterator<Item = &'static Column> {
    table.columns().iter().chain(table.partition_columns())
}

/// Returns `schemas/views.spark.sql`, which opens a dataset in Spark.
pub fn spark_views_sql() -> String {
    let mut out = String::from(
        "-- Opens a dataset in Spark SQL. Name its folder first: SET dataset=/path/to/out.parquet\n\
         -- The macros of views.sql are written for DuckDB and are not here.\n",
    );
    for table in Table::ALL {
        let name = table.name();
        let select = view_select_list(table, SqlDialect::Spark);
        let _ = write!(
            out,
            "\nCREATE OR REPLACE TEMPORARY VIEW {name} AS {select}FROM parquet.`${{dataset}}/{name}`;\n"
        );
    }
    out
}

/// Returns the schema of a table in SQL, as in `schemas/`: the columns of the files and
/// of their paths, then those that views add.
pub fn schema_sql(table: Table) -> String {
    let mut out = format!("-- {}\nCREATE TABLE {} (\n", table.about(), table.name());
    let stored = stored_and_path_columns(table).count();
    let columns: Vec<&Column> = view_columns(table).collect();
    for (i, column) in columns.iter().enumerate() {
        if i == stored {
            let _ = writeln!(out, "{DERIVED_HEADING}");
        }
        let null = if column.is_nullable { "" } else { " NOT NULL" };
        let comma = if i + 1 < columns.len() { "," } else { "" };
        let _ = writeln!(
            out,
            "  {} {}{null}{comma} -- {}",
            column.name,
            column.kind.sql(SqlDialect::DuckDb),
            column.about
        );
    }
    out.push_str(");\n");
    out
}
