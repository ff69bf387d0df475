//! The commands that the summary of a run suggests, such as the one that opens its output in DuckDB.

use escapes::{duckdb_query, quote_for_shell};
use std::fmt::Write;
use std::path::Path;
use tables::Table;

/// The width of a terminal, for which lines are laid out.
const ASSUMED_TERMINAL_COLUMNS: usize = 80;

/// A command with its purpose.
struct NextCommand {
    command: String,
    purpose: &'static str,
}

/// Returns the commands for a dataset, or for a folder with joined datasets, with these tables.
pub(crate) fn format_dataset_commands(root: &Path, tables: &[Table]) -> String {
    format_commands(&dataset_commands(root, tables))
}

/// Returns the commands for a dataset that is one of several shards.
pub(crate) fn format_shard_commands(root: &Path, tables: &[Table]) -> String {
    let mut commands = dataset_commands(root, tables);
    if has_tables(tables, &[Table::ROBOTS_FILES, Table::VERDICTS]) {
        commands.push(NextCommand {
            command: "robots-scan join FOLDER".to_owned(),
            purpose: "join all shards in FOLDER",
        });
    }
    format_commands(&commands)
}

/// Returns the commands for a history. `quoted_root` is its path, quoted for a shell.
#[cfg(feature = "answers")]
pub(crate) fn format_history_commands(quoted_root: &str) -> String {
    let quoted_root = quoted_root.trim_end_matches('/');
    format_commands(&[NextCommand {
        command: format!("duckdb -init {quoted_root}/views.sql"),
        purpose: "query it",
    }])
}

/// Returns the commands for a file with one table.
pub(crate) fn format_file_commands(path: &Path) -> String {
    format_commands(&[NextCommand {
        command: format!("duckdb -c {}", duckdb_query(&path.to_string_lossy(), "")),
        purpose: "print its rows",
    }])
}

fn dataset_commands(root: &Path, tables: &[Table]) -> Vec<NextCommand> {
    let root = root.to_string_lossy();
    let root = root.trim_end_matches('/');
    let quoted_root = quote_for_shell(root);
    // `views.sql` has the macro `questions()` only if the dataset has all tables.
    let is_complete = has_tables(tables, &Table::ALL);
    let mut commands = vec![NextCommand {
        command: format!("duckdb -init {quoted_root}/views.sql"),
        purpose: if is_complete {
            "query; try FROM questions()"
        } else {
            "query"
        },
    }];
    let has_rules = has_tables(tables, &[Table::ROBOTS_FILES, Table::GROUPS, Table::RULES]);
    if cfg!(feature = "answers") && has_rules {
        commands.push(NextCommand {
            command: format!("robots-scan check {quoted_root} --host HOST"),
            purpose: "print a host's robots.txt",
        });
    }
    if is_complete {
        commands.push(NextCommand {
            command: format!("robots-scan report {quoted_root}"),
            purpose: "draw charts (needs Python)",
        });
    }
    commands
}

fn has_tables(tables: &[Table], needed: &[Table]) -> bool {
    needed.iter().all(|table| tables.contains(table))
}

/// Returns one line per command, with the purposes aligned. If a line would be wider than a
/// terminal, each purpose has a line of its own, so that no command is wrapped.
fn format_commands(commands: &[NextCommand]) -> String {
    let columns = |command: &NextCommand| command.command.chars().count();
    let width = commands.iter().map(columns).max().unwrap_or(0);
    let fits =
        |command: &NextCommand| 2 + width + 2 + command.purpose.len() <= ASSUMED_TERMINAL_COLUMNS;
    let is_aligned = commands.iter().all(fits);
    let mut out = "next:\n".to_owned();
    for NextCommand { command, purpose } in commands {
        let _ = if is_aligned {
            writeln!(out, "  {command:width$}  {purpose}")
        } else {
            writeln!(out, "  {purpose}:\n    {command}")
        };
    }
    out
}

#[cfg(all(test, feature = "answers"))]
mod tests {
    use super::*;

    #[test]
    fn commands_are_aligned_within_80_columns() {
        assert_eq!(
            format_dataset_commands(Path::new("out.parquet/"), &Table::ALL),
            "next:\n\
             \x20 duckdb -init out.parquet/views.sql         query; try FROM questions()\n\
             \x20 robots-scan check out.parquet --host HOST  print a host's robots.txt\n\
             \x20 robots-scan report out.parquet             draw charts (needs Python)\n"
        );
        let longest = "x".repeat(19);
        let next = format_dataset_commands(Path::new(&longest), &Table::ALL);
        assert!(next.lines().all(|line| line.len() <= 80), "{next}");
        assert_eq!(next.lines().count(), 4);
    }

    #[test]
    fn a_long_path_moves_the_purposes_to_lines_of_their_own() {
        let root = "/mnt/".to_owned() + &"x".repeat(60);
        assert_eq!(
            format_dataset_commands(Path::new(&root), &Table::ALL),
            format!(
                "next:\n\
                 \x20 query; try FROM questions():\n    duckdb -init {root}/views.sql\n\
                 \x20 print a host's robots.txt:\n    robots-scan check {root} --host HOST\n\
                 \x20 draw charts (needs Python):\n    robots-scan report {root}\n"
            )
        );
    }

    #[test]
    fn paths_are_quoted_for_a_shell() {
        assert_eq!(
            format_dataset_commands(Path::new("it's out"), &Table::ALL),
            "next:\n\
             \x20 duckdb -init 'it'\\''s out'/views.sql         query; try FROM questions()\n\
             \x20 robots-scan check 'it'\\''s out' --host HOST  print a host's robots.txt\n\
             \x20 robots-scan report 'it'\\''s out'             draw charts (needs Python)\n"
        );
        assert_eq!(
            format_file_commands(Path::new("it's.parquet")),
            "next:\n  duckdb -c 'FROM '\\''it'\\'''\\''s.parquet'\\'''  print its rows\n"
        );
    }

    #[test]
    fn commands_that_need_other_tables_are_left_out() {
        assert_eq!(
            format_dataset_commands(Path::new("out"), &[Table::RULES]),
            "next:\n  duckdb -init out/views.sql  query\n"
        );
        let tables = Table::ALL.into_iter().filter(|table| !table.is_per_crawl());
        assert_eq!(
            format_shard_commands(Path::new("all/1"), &Vec::from_iter(tables)),
            "next:\n\
             \x20 duckdb -init all/1/views.sql         query\n\
             \x20 robots-scan check all/1 --host HOST  print a host's robots.txt\n\
             \x20 robots-scan join FOLDER              join all shards in FOLDER\n"
        );
    }
}
