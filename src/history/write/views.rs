//! `views.sql` of a history.
//!
//! Besides its own tables, a history has the views `hosts`, `host_verdicts` and `host_preferences`, with the columns
//! of datasets, so that macros and questions that read only these are the same for both.
//!
//! The text depends only on the place of the history. What differs between a history and the one that replaces it is
//! read from the manifest when the text is executed, so that both are replaced by the rename of the manifest. DuckDB has
//! no list that a view can read and that all connections see, except the values of an enum.

use crate::own_tables::{self, STATE_COLUMNS};
use crate::write::manifest::HistoryManifest;
use dataset::error::DatasetErrorKind;
use dataset::{MANIFEST_FILE, find_view_files};
use errors::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::questions::{QUERY_TEXTS, questions_sql, reads_table};
use tables::views::{MACROS_SQL, meaning_macro, root_expression, view_comments, views_header};
use tables::{Column, ColumnType, SqlDialect, Table};

/// The macros of histories.
const HISTORY_MACROS_SQL: &str = include_str!("macros.sql");

/// The texts of all files of `jobs/history_queries`, in the order of the names of the files.
const HISTORY_QUERY_TEXTS: &[&str] = &tables::query_texts! {
    "../queries/"
    "h01_trend"
    "h02_hosts_first_blocking"
    "h03_changes_of"
    "h04_change_rates"
    "h05_survival_of_blocks"
    "h06_domains_ever_blocking"
    "h07_first_block_of_hosts"
};

/// Returns true if `text` is the `views.sql` of the history at `root`.
pub(crate) fn is_views_of(text: &[u8], root: &Path) -> bool {
    let is_equal =
        |root: &Path| history_text(root).is_ok_and(|expected| expected.as_bytes() == text);
    is_equal(root) || root.canonicalize().is_ok_and(|root| is_equal(&root))
}

/// Writes `views.sql` of the history or the dataset at `root` again, with its present path. Returns the tables that
/// have views.
///
/// # Errors
///
/// Those of [`HistoryManifest::read`] and of [`dataset::write_views`].
pub fn write_views(root: &Path) -> Result<Vec<Table>, Error> {
    match HistoryManifest::read(root)? {
        Some(_) => {
            dataset::write_views_file(root, &history_text(root)?)?;
            Ok(own_tables::all().collect())
        }
        None => dataset::write_views(root),
    }
}

/// Returns the text that [`write_views`] writes. An existing file is not read.
///
/// # Errors
///
/// Those of [`HistoryManifest::read`] and of [`dataset::views_text`].
pub fn views_text(root: &Path) -> Result<String, Error> {
    if HistoryManifest::read(root)?.is_none() {
        return dataset::views_text(root);
    }
    own_files(root)?;
    history_text(root)
}

/// Reads the texts of all files that the views of the history or the dataset at `root` read, and checks their limits.
/// Returns the bytes of the files. Fails once `stop` is set.
///
/// # Errors
///
/// Those of [`views_text`] and of [`dataset::check_values`].
pub fn check_values(root: &Path, stop: &Arc<AtomicBool>) -> Result<u64, Error> {
    let files = match HistoryManifest::read(root)? {
        Some(_) => own_files(root)?,
        None => dataset::view_files(root)?,
    };
    dataset::check_values(&files, stop)
}

/// Returns the files of the tables of a history.
fn own_files(root: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for table in own_tables::all() {
        files.extend(find_view_files(&root.join(table.name()), 0)?);
    }
    Ok(files)
}

/// Returns the text of `views.sql` of a history at `root`.
///
/// # Errors
///
/// [`DatasetErrorKind::NotUtf8Output`].
pub(crate) fn history_text(root: &Path) -> Result<String, Error> {
    let path = std::path::absolute(root).map_err(|error| Error::write(root, error))?;
    match path.to_str() {
        Some(_) => Ok(views_sql(&path)),
        None => Err(Error::new(DatasetErrorKind::NotUtf8Output, root)),
    }
}

/// Returns the text of `views.sql` of a history that will be at `root`.
pub fn views_sql(root: &Path) -> String {
    let mut out = views_header(&root_expression(root));
    out.push_str(&format!(
        "SET VARIABLE robots_scan_manifest = (SELECT content FROM read_text(getvariable('robots_scan') || '/{MANIFEST_FILE}'));\n"
    ));
    out.push_str(&fact_type("meaning", "[0-9]+"));
    for table in own_tables::all() {
        out.push_str(&table_view(table));
    }
    out.push_str(&hosts_view());
    out.push_str(&rows_view(
        Table::HOST_VERDICTS,
        "JOIN policy_verdicts v ON v.policy_id = p.policy_id\n",
        "p.has_named_rows",
    ));
    // A policy has the verdicts of all crawlers that it names, also if the dataset left them out for a host. A set of
    // preferences has only rows that the dataset has, so that no condition is needed.
    out.push_str(&rows_view(
        Table::HOST_PREFERENCES,
        "JOIN preference_sets v ON v.preference_set_id = p.preference_set_id\n",
        "true",
    ));
    let meaning = "CAST(CAST(enum_first(NULL::history_meaning) AS VARCHAR) AS INTEGER)";
    out.push_str(&meaning_macro(&BTreeMap::new(), meaning));
    let mut missing = tables_not_in_histories();
    push_macros(&mut missing, &mut out);
    // The macro of reasons is among the views of datasets, and reads tables that histories lack.
    missing.push("reasons_for");
    let texts = [HISTORY_QUERY_TEXTS, QUERY_TEXTS].concat();
    out.push_str(&questions_sql(&texts, &missing));
    out
}

/// Returns the names of the tables of datasets that histories lack.
fn tables_not_in_histories() -> Vec<&'static str> {
    let is_there =
        |table: &Table| own_tables::all().any(|other| other == *table) || table.is_per_crawl();
    let missing = Table::ALL.into_iter().filter(|table| !is_there(table));
    missing.map(Table::name).collect()
}

/// Appends the macros of datasets and of histories. A macro of histories replaces the macro of datasets with the same
/// name. Macros of datasets that read a table that histories lack are left out, and become missing themselves.
fn push_macros(missing: &mut Vec<&'static str>, out: &mut String) {
    let own: Vec<&str> = statements(HISTORY_MACROS_SQL).collect();
    let find_own = |name: &str| {
        let own = own.iter().filter(move |own| macro_name(own) == Some(name));
        own.copied().collect::<Vec<_>>()
    };
    let mut placed = BTreeSet::new();
    for statement in statements(MACROS_SQL) {
        let Some(name) = macro_name(statement) else {
            continue;
        };
        let replacing = find_own(name);
        if !replacing.is_empty() {
            if placed.insert(name) {
                replacing
                    .iter()
                    .for_each(|statement| push_statement(statement, out));
            }
        } else if !placed.contains(name) {
            if missing.iter().any(|table| reads_table(statement, table)) {
                placed.insert(name);
                missing.push(name);
            } else {
                push_statement(statement, out);
            }
        }
    }
    let rest = own
        .iter()
        .filter(|own| macro_name(own).is_some_and(|name| !placed.contains(name)));
    rest.for_each(|statement| push_statement(statement, out));
}

fn push_statement(statement: &str, out: &mut String) {
    out.push_str(statement.trim_start_matches('\n'));
    out.push_str(";\n");
}

/// Returns the statements of a text, with the comments before them.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split(";\n").filter(|text| !text.trim().is_empty())
}

/// Returns the name of the macro that a statement creates or comments on; `None` for other statements.
fn macro_name(statement: &str) -> Option<&str> {
    let code = statement.trim_start_matches('\n');
    let line = code
        .lines()
        .find(|line| !line.starts_with("--") && !line.is_empty())?;
    let names = [
        "CREATE OR REPLACE MACRO ",
        "COMMENT ON MACRO TABLE ",
        "COMMENT ON MACRO ",
    ];
    let rest = names.iter().find_map(|start| line.strip_prefix(start))?;
    rest.split(['(', ' ']).next()
}

/// Returns the statements that create an enum with the values of a query. `CREATE OR REPLACE TYPE` needs DuckDB 1.2.
fn enum_type(name: &str, values: &str) -> String {
    format!("DROP TYPE IF EXISTS {name};\nCREATE TYPE {name} AS ENUM (SELECT {values});\n")
}

/// Returns the statements that create an enum with the value of a field in the first line of the manifest.
fn fact_type(field: &str, pattern: &str) -> String {
    let value = format!(
        "regexp_extract(getvariable('robots_scan_manifest'), '\"{field}\":({pattern})[,}}]', 1)"
    );
    enum_type(&format!("history_{field}"), &value)
}

/// Returns the statements that create the view of a stored table. Only paths that histories have are read from the
/// manifest.
fn table_view(table: Table) -> String {
    let name = table.name();
    let pattern = format!("\"path\":\"({name}/part-[0-9a-f]{{8}}-[0-9]+[.]parquet)\"");
    let files = enum_type(
        &format!("{name}_files"),
        &format!(
            "getvariable('robots_scan') || '/' || unnest(regexp_extract_all(getvariable('robots_scan_manifest'), '{pattern}', 1))"
        ),
    );
    let columns = table.columns().iter().chain(table.derived_columns());
    let columns = columns.map(|column| match &column.expression {
        None => format!("files.{}", column.name),
        Some(expression) => cast(column, &expression.sql(SqlDialect::DuckDb)),
    });
    let columns: Vec<String> = columns.collect();
    format!(
        "{files}CREATE OR REPLACE VIEW {name} AS SELECT\n    {}\nFROM read_parquet(enum_range(NULL::{name}_files)) AS files;\n{}\n",
        columns.join(",\n    "),
        view_comments(table, table.columns().iter().chain(table.derived_columns())),
    )
}

fn cast(column: &Column, expression: &str) -> String {
    let kind = column.kind.sql(SqlDialect::DuckDb);
    format!("CAST({expression} AS {kind}) AS {}", column.name)
}

/// Joins the captures `c` with their periods `p`.
const CAPTURES_WITH_PERIODS: &str = "FROM host_captures c\n\
    JOIN host_periods p ON p.host_no = c.host_no AND p.period_no = c.period_no";

/// Returns the statements that create `hosts`, with the columns of datasets. Columns that a history does not keep are
/// null.
fn hosts_view() -> String {
    let stored = Table::HOSTS.columns().iter().map(|column| {
        let name = column.name;
        match name {
            "host_id" => "c.capture_no AS host_id".to_owned(),
            "fetch_time" => "c.fetch_time".to_owned(),
            "surt_host_name" | "domain_id" => format!("p.{name}"),
            _ if STATE_COLUMNS.contains(&name) => format!("p.{name}"),
            _ => cast(column, "NULL"),
        }
    });
    let stored: Vec<String> = stored.collect();
    let derived = Table::HOSTS.derived_columns().iter();
    let derived = derived.filter(|column| column.name != "archive_no");
    let derived = derived.filter_map(|column| {
        let expression = column.expression.as_ref()?;
        Some(cast(column, &expression.sql(SqlDialect::DuckDb)))
    });
    let derived: Vec<String> = derived.collect();
    let crawl = Column::new("crawl", ColumnType::Text, "The crawl.");
    let columns = Table::HOSTS.columns().iter().chain([&crawl]);
    format!(
        "CREATE OR REPLACE VIEW hosts AS\nSELECT files.*, {}\nFROM (\n    SELECT {}, c.crawl, c.archive_no, p.policy_id, p.preferences_id\n{CAPTURES_WITH_PERIODS}) AS files;\n{}\n",
        derived.join(", "),
        stored.join(", "),
        view_comments(Table::HOSTS, columns),
    )
}

/// Returns the statements that create the view of a table with rows for each host and crawler. `join` joins these
/// rows, as `v`, to the period `p`. `condition` selects the periods.
fn rows_view(table: Table, join: &str, condition: &str) -> String {
    let columns = table.columns().iter().map(|column| match column.name {
        "host_id" => "c.capture_no AS host_id".to_owned(),
        name @ ("surt_host_name" | "url_host_registered_domain") => format!("p.{name}"),
        name => format!("v.{name}"),
    });
    let columns: Vec<String> = columns.collect();
    format!(
        "CREATE OR REPLACE VIEW {} AS\nSELECT {}, c.crawl\n{CAPTURES_WITH_PERIODS}\n{join}WHERE {condition};\n{}\n",
        table.name(),
        columns.join(", "),
        view_comments(table, table.columns().iter()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;
    use tables::questions::check_questions;
    use tables::sql_literal;

    #[test]
    fn every_file_of_jobs_history_queries_is_a_question() {
        let folder = format!("{}/queries", env!("CARGO_MANIFEST_DIR"));
        check_questions(Path::new(&folder), 'h', HISTORY_QUERY_TEXTS).unwrap();
    }

    /// Returns the macros that only histories have, as macros that raise an error.
    fn absent_macros() -> String {
        let mut out = "\n-- These macros need a history, and say so.\n".to_owned();
        let texts = [HISTORY_MACROS_SQL]
            .into_iter()
            .chain(HISTORY_QUERY_TEXTS.iter().copied());
        for line in texts.flat_map(str::lines) {
            let signature = line.strip_prefix("CREATE OR REPLACE MACRO ");
            let Some(signature) = signature.and_then(|line| line.strip_suffix(" AS TABLE")) else {
                continue;
            };
            let name = signature.split('(').next().unwrap_or_default();
            let of_datasets = [MACROS_SQL].into_iter().chain(QUERY_TEXTS.iter().copied());
            let mut names = of_datasets.flat_map(statements).map(macro_name);
            if names.any(|other| other == Some(name)) {
                continue;
            }
            let error = format!(
                "{name} needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql"
            );
            let _ = writeln!(
                out,
                "CREATE OR REPLACE MACRO {signature} AS TABLE SELECT error({}) AS history;\n\
                 COMMENT ON MACRO TABLE {name} IS 'Only in the views of a history';",
                sql_literal(&error)
            );
        }
        out
    }

    #[test]
    fn the_views_of_datasets_name_the_macros_that_only_histories_have() {
        assert_eq!(tables::views::ABSENT_MACROS_SQL, absent_macros());
    }
}
