//! The research questions of `jobs/queries` as table macros in `views.sql`.
//!
//! A file begins with the question in a comment, which ends with a question mark.
//! The paragraphs `Denominator:` and `Pitfall:` follow, then the macro, then a call of it. The
//! macro and its description become part of `views.sql`, and the call does not.

use crate::sql_literal;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Includes the texts of files of a folder, given by their names.
#[macro_export]
macro_rules! query_texts {
    ($folder:literal $($name:literal)*) => {
        [$(include_str!(concat!($folder, $name, ".sql"))),*]
    };
}

/// The texts of all files of `jobs/queries`, in the order of the names of the files.
pub const QUERY_TEXTS: &[&str] = &query_texts! {
    "queries/"
    "q01_share_of_hosts_blocking"
    "q02_most_blocked_agents"
    "q03_blocking_by_rank"
    "q04_hosts_or_registered_domains"
    "q05_blocking_by_tld"
    "q06_outcome_funnel"
    "q07_access_in_three"
    "q08_changes_between_crawls"
    "q09_names_first_seen"
    "q10_number_of_ai_agents_blocked"
    "q11_training_or_search"
    "q12_walled_gardens"
    "q13_bias_against_agents"
    "q14_agents_blocked_together"
    "q15_most_addressed_names"
    "q16_names_rfc9309_cannot_match"
    "q17_anomalies_found"
    "q18_other_directives"
    "q19_stated_preferences"
    "q20_contradictions"
    "q21_blocks_by_origin"
    "q22_most_common_rule_sets"
    "q23_sitemap_adoption"
    "q24_crawl_delays"
    "q25_file_sizes"
    "q26_variants_disagree"
    "q27_blocked_at_the_edge"
    "q28_archived_pages_of_blocking_hosts"
    "q29_change_rates"
    "q30_most_hidden_paths"
    "q31_dialects_that_disagree"
    "q32_invitations"
    "q33_denominators"
    "q34_blocking_by_label"
    "q35_blocking_by_software"
    "q36_policy_sizes"
    "q37_hosts_decided_in_every_crawl"
    "q38_pair_of_agents"
    "q39_agents_of_category"
    "q40_effective_preferences"
    "q41_comments_reserving_rights"
    "q42_blocking_by_webgraph_rank"
    "q43_blocking_by_agent"
    "q44_blocking_by_category"
    "q45_words_that_contradict"
};

/// A research question, parsed from a file of `jobs/queries`.
#[derive(Debug, PartialEq, Eq)]
struct Question<'a> {
    /// The name of the macro.
    name: &'a str,
    question: String,
    /// The parameters with their defaults, as they are declared.
    parameters: &'a str,
    denominator: String,
    pitfall: String,
    /// The statement that creates the macro, without the semicolon.
    definition: &'a str,
}

impl<'a> Question<'a> {
    /// Parses a file of `jobs/queries`. Returns `None` if a part is missing.
    fn parse(text: &'a str) -> Option<Self> {
        let (header, _) = text.split_once("\nCREATE OR REPLACE MACRO ")?;
        let header_lines = || {
            header
                .lines()
                .map(|line| line.trim_start_matches("--").trim())
        };
        let question = header_lines().next().filter(|line| line.ends_with('?'))?;
        let paragraph = |title: &str| {
            let mut words = Vec::new();
            for line in header_lines() {
                match line.strip_prefix(title) {
                    Some(start) => words.push(start.trim()),
                    None if words.is_empty() => {}
                    None if line.is_empty() || line.starts_with("Pitfall:") => break,
                    None => words.push(line),
                }
            }
            (!words.is_empty()).then(|| words.join(" "))
        };
        let body = text.get(header.len() + 1..)?;
        let (definition, call) = body.split_once(";\n")?;
        let signature = definition.strip_prefix("CREATE OR REPLACE MACRO ")?;
        let (name, rest) = signature.split_once('(')?;
        let (parameters, _) = rest.split_once(") AS TABLE\n")?;
        call.trim_start()
            .starts_with(&format!("FROM {name}("))
            .then_some(Self {
                name,
                question: question.to_owned(),
                parameters,
                denominator: paragraph("Denominator:")?,
                pitfall: paragraph("Pitfall:")?,
                definition,
            })
    }
}

/// Returns true if a statement reads a table.
pub fn reads_table(statement: &str, table: &str) -> bool {
    let mut words = statement.split_whitespace();
    let mut is_after_keyword = false;
    words.any(|word| {
        let name = word.trim_end_matches([')', ',', ';']);
        let is_read = is_after_keyword && name == table;
        is_after_keyword = matches!(word, "FROM" | "JOIN" | "(FROM");
        is_read
    })
}

/// Returns questions as table macros, and the macro `questions`, which lists them. Questions that read
/// one of the tables in `missing` are left out.
pub fn questions_sql(texts: &[&str], missing: &[&str]) -> String {
    let mut out =
        String::from("\n-- Research questions, as in jobs/queries. FROM questions() lists them.\n");
    let mut rows = Vec::new();
    for text in texts {
        let question = Question::parse(text).expect("a test parses every file");
        if missing
            .iter()
            .any(|table| reads_table(question.definition, table))
        {
            continue;
        }
        let name = question.name;
        let _ = writeln!(
            out,
            "\n{};\nCOMMENT ON MACRO TABLE {name} IS {};",
            question.definition,
            sql_literal(&question.question)
        );
        let columns = [
            name,
            &question.question,
            question.parameters,
            &question.denominator,
            &question.pitfall,
        ];
        rows.push(format!("    ({})", columns.map(sql_literal).join(", ")));
    }
    let _ = writeln!(
        out,
        "\nCREATE OR REPLACE MACRO questions() AS TABLE\n\
         SELECT q.name, q.question, q.parameters, q.denominator, q.pitfall FROM (VALUES\n{})\n\
         AS q(name, question, parameters, denominator, pitfall);\n\
         COMMENT ON MACRO TABLE questions IS 'The research questions, each of which is a macro: FROM most_blocked_agents(top := 10)';",
        rows.join(",\n")
    );
    out
}

/// Checks that `known` has the texts of all files of `folder`, in order, and that each is a question. Each file is
/// named for its question, after `prefix`, a number and `_`, such as `q26_file_sizes`.
///
/// # Errors
///
/// A message about the folder or a file.
pub fn check_questions(folder: &Path, prefix: char, known: &[&str]) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let paths: Result<BTreeSet<PathBuf>, _> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let paths = paths.map_err(|error| error.to_string())?;
    if paths.len() != known.len() {
        return Err(format!("the list does not have the files of {folder:?}"));
    }
    for (path, known) in paths.iter().zip(known) {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let name = Question::parse(&text).map(|question| question.name);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let of_file = stem
            .split_once('_')
            .filter(|(number, _)| number.starts_with(prefix));
        if text != *known || name.is_none() || name != of_file.map(|(_, name)| name) {
            return Err(format!("{path:?} is not a question of the list"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_jobs_queries_is_a_question() {
        let folder = format!("{}/queries", env!("CARGO_MANIFEST_DIR"));
        check_questions(Path::new(&folder), 'q', QUERY_TEXTS).unwrap();
    }

    #[test]
    fn paragraphs_are_joined() {
        let text = "-- How many?\n--\n-- Denominator: all\n-- hosts.\n-- Pitfall: none.\n\
                    CREATE OR REPLACE MACRO x(top := 3) AS TABLE\nSELECT 1;\n\nFROM x();\n";
        let question = Question::parse(text).unwrap();
        assert_eq!(question.denominator, "all hosts.");
        assert_eq!(question.pitfall, "none.");
        assert_eq!(question.parameters, "top := 3");
        assert!(question.definition.ends_with("SELECT 1"));
        for part in ["?", "Denominator:", "Pitfall:", "FROM x();", " AS TABLE"] {
            assert_eq!(Question::parse(&text.replacen(part, "", 1)), None, "{part}");
        }
    }
}
