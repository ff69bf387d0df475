//! The research questions of `jobs/queries` as table macros in `views.sql`.
//!
//! A file begins with the question in a comment, which ends with a question mark.
//! The paragraphs `Title:`, `Denominator:`, `Pitfall:` and `Columns:` follow, then the macro, then a call of it. The
//! macro and its description become part of `views.sql`. The command line of DuckDB shows 40 rows, and a terminal has 80
//! columns: neither the list of questions nor the description of one has more.

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
    "q27_blocking_by_reason"
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
    "q46_changed_hosts"
};

/// The titles that begin the paragraphs of the comment at the head of each file of `jobs/queries`.
const PARAGRAPHS: [&str; 4] = ["Title:", "Denominator:", "Pitfall:", "Columns:"];

/// The widths of the columns of `questions()`, which are 80 with the frame of a table.
const NAME_WIDTH: usize = 28;
const TITLE_WIDTH: usize = 28;
const PARAMETERS_WIDTH: usize = 14;

/// The widths of the columns of `question('name')`.
const FACT_WIDTH: usize = 11;
const TEXT_WIDTH: usize = 62;

/// The rows that the command line of DuckDB shows.
const ROWS_MAX: usize = 40;

/// Parameters that name a file of the user.
const FILE_PARAMETERS: [&str; 4] = ["list", "labels", "index", "ranks"];

/// Columns that many questions have, by the name with which the paragraph `Columns:` refers to them: the names of columns and
/// their meaning.
const SHARED_COLUMNS: [(&str, &[(&str, &str)]); 4] = [
    ("crawl", &[("crawl", "the crawl")]),
    ("agent", &[("agent", "the crawler, in lower case")]),
    (
        "shares",
        &[
            (
                "hosts, of_hosts, share",
                "hosts counted, hosts of the denominator, their ratio",
            ),
            (
                "domains_any, of_domains",
                "registered domains with such a host, and of the denominator",
            ),
            (
                "share_of_domains",
                "each domain counts once, divided among its hosts",
            ),
            (
                "largest_domain, largest_ruleset",
                "of these hosts, the part in one domain, and with one rule set",
            ),
            (
                "low, high",
                "95 % interval of share, if archives were drawn at random",
            ),
        ],
    ),
    (
        "blocking_shares",
        &[
            (
                "hosts, domains",
                "hosts with a known verdict, and their registered domains",
            ),
            (
                "hosts_blocked_by_name",
                "hosts that block the crawler by name",
            ),
            (
                "blocked_by_name, blocked_by_wildcard, blocked_by_status",
                "shares of hosts that block the crawler by name, by the rules of *, by a 429 or 5xx",
            ),
            (
                "domains_blocked_by_name, domains_blocked_by_wildcard, domains_blocked_by_status",
                "the same, each domain counted once",
            ),
            (
                "largest_domain, largest_ruleset",
                "of hosts that block by name, the part in one domain, and with one rule set",
            ),
            (
                "low, high",
                "95 % interval of blocked_by_name, if archives were drawn at random",
            ),
        ],
    ),
];

/// A research question, parsed from a file of `jobs/queries`.
#[derive(Debug, PartialEq, Eq)]
struct Question<'a> {
    /// The name of the macro.
    name: &'a str,
    question: String,
    /// The question in a few words, or its name if the file has none.
    title: String,
    /// The parameters with their defaults, as they are declared.
    parameters: &'a str,
    denominator: String,
    pitfall: String,
    /// The names of columns with their meaning. Empty if the file does not describe them.
    columns: Vec<(String, String)>,
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
                    None if line.is_empty()
                        || PARAGRAPHS.iter().any(|title| line.starts_with(title)) =>
                    {
                        break;
                    }
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
                title: paragraph("Title:").unwrap_or_else(|| name.replace('_', " ")),
                parameters,
                denominator: paragraph("Denominator:")?,
                pitfall: paragraph("Pitfall:")?,
                columns: described_columns(&paragraph("Columns:").unwrap_or_default()),
                definition,
            })
    }

    /// Returns the parameters with their defaults.
    fn parameter_list(&self) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
        let parameters = self.parameters.split(", ");
        parameters
            .filter(|parameter| !parameter.is_empty())
            .map(|parameter| match parameter.split_once(" := ") {
                Some((name, default)) => (name, Some(default)),
                None => (parameter, None),
            })
    }

    /// Returns true if the question needs a file of the user, bodies, or several crawls.
    fn needs_more(&self) -> bool {
        let mut parameters = self.parameter_list();
        parameters.any(|(name, _)| FILE_PARAMETERS.contains(&name))
            || self.definition.contains("--with-bodies")
            || self.definition.contains("FROM two_crawls(")
    }

    /// Returns a message if a row of `questions()` or `question('name')` does not fit a terminal.
    fn check_size(&self) -> Result<(), String> {
        let description = self.description();
        let is_listed = self.needs_more() || self.name.len() <= NAME_WIDTH;
        let widths = description.lines().map(|line| line.chars().count());
        if is_listed
            && self.title.chars().count() <= TITLE_WIDTH
            && description.lines().count() <= ROWS_MAX
            && widths.max() <= Some(FACT_WIDTH + TEXT_WIDTH)
        {
            return Ok(());
        }
        Err(format!(
            "the description of {} does not fit a terminal: its name, its title '{}', or its {} rows",
            self.name,
            self.title,
            description.lines().count()
        ))
    }

    /// Returns the names of the parameters that fit a column of the list of questions, those that few questions have first.
    fn short_parameters(&self) -> String {
        let mut names: Vec<&str> = self.parameter_list().map(|(name, _)| name).collect();
        names.sort_by_key(|name| match *name {
            "crawl" => 1,
            "any_name" => 2,
            _ => 0,
        });
        let whole = names.join(", ");
        if whole.len() <= PARAMETERS_WIDTH {
            return whole;
        }
        let mut shortened =
            (1..names.len()).map(|count| format!("{}, …", names[..count].join(", ")));
        let fits = |text: &String| text.chars().count() <= PARAMETERS_WIDTH;
        shortened.rfind(fits).unwrap_or_else(|| "…".to_owned())
    }

    /// Returns a call with the first two parameters that have a value by default, or with a file.
    fn example(&self) -> String {
        let parameters = self.parameter_list().filter_map(|(name, default)| {
            let value = match (name, default) {
                ("any_name" | "any_reason", _) => None,
                ("host", None) => return Some("'example.com'".to_owned()),
                ("list", _) => Some("'tranco.csv'"),
                ("labels", _) => Some("'labels.csv'"),
                ("index", _) => Some("'host-index/*.parquet'"),
                ("ranks", _) => Some("'host-ranks.txt.gz'"),
                (_, default) => default.filter(|default| *default != "NULL"),
            };
            value.map(|value| format!("{name} := {value}"))
        });
        let parameters: Vec<String> = parameters.take(2).collect();
        format!("FROM {}({})", self.name, parameters.join(", "))
    }

    /// Returns the description as lines: the name of a fact, padded to [`FACT_WIDTH`] characters, and a text of at most
    /// [`TEXT_WIDTH`]. Further lines of a text have no name, and are indented.
    fn description(&self) -> String {
        let mut out = String::new();
        push_fact(&mut out, "question", &self.question);
        push_fact(&mut out, "denominator", &self.denominator);
        push_fact(&mut out, "pitfall", &self.pitfall);
        if !self.parameters.is_empty() {
            push_fact(&mut out, "parameters", self.parameters);
        }
        for (names, meaning) in &self.columns {
            push_fact(&mut out, "column", &format!("{names}: {meaning}"));
        }
        push_fact(&mut out, "example", &self.example());
        out
    }
}

/// Parses the paragraph `Columns:`, in which `;` separates columns with their meaning from names of [`SHARED_COLUMNS`].
fn described_columns(paragraph: &str) -> Vec<(String, String)> {
    let items = paragraph.trim_end_matches('.').split(';').map(str::trim);
    let columns = items.filter(|item| !item.is_empty()).flat_map(|item| {
        let shared = SHARED_COLUMNS.iter().find(|(name, _)| *name == item);
        match shared {
            Some((_, columns)) => columns.to_vec(),
            None => vec![item.split_once(": ").unwrap_or((item, ""))],
        }
    });
    columns
        .map(|(names, meaning)| (names.to_owned(), meaning.to_owned()))
        .collect()
}

/// Appends the lines of a fact, broken between words.
fn push_fact(out: &mut String, fact: &str, text: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = write!(out, "{fact:FACT_WIDTH$}");
    let mut width = 0;
    for word in text.split(' ') {
        let word_width = word.chars().count();
        if width > 0 && width + 1 + word_width > TEXT_WIDTH {
            let _ = write!(out, "\n{:FACT_WIDTH$}  ", "");
            width = 2;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word_width;
    }
}

/// Returns true if a statement reads a table, or calls a macro of this name as a table.
pub fn reads_table(statement: &str, table: &str) -> bool {
    let mut words = statement.split_whitespace();
    let mut is_after_keyword = false;
    words.any(|word| {
        let name = word.split(['(', ')', ',', ';']).next().unwrap_or_default();
        let is_read = is_after_keyword && name == table;
        is_after_keyword = matches!(word, "FROM" | "JOIN" | "(FROM");
        is_read
    })
}

/// Returns questions as table macros, and the macros `questions`, `question` and `question_texts`, which describe them. Questions
/// that read one of the tables in `missing` are left out.
pub fn questions_sql(texts: &[&str], missing: &[&str]) -> String {
    let mut out =
        String::from("\n-- Research questions, as in jobs/queries. FROM questions() lists them.\n");
    let questions = texts
        .iter()
        .map(|text| Question::parse(text).expect("a test parses every file"));
    let is_there = |question: &Question<'_>| {
        let mut missing = missing.iter();
        !missing.any(|table| reads_table(question.definition, table))
    };
    let questions: Vec<Question<'_>> = questions.filter(is_there).collect();
    for Question {
        name,
        question,
        definition,
        ..
    } in &questions
    {
        let _ = writeln!(
            out,
            "\n{definition};\nCOMMENT ON MACRO TABLE {name} IS {};",
            sql_literal(question)
        );
    }
    out.push_str(&list_sql(&questions));
    out.push_str(&description_sql(&questions));
    out
}

/// Returns the macro that lists questions. Those that need a file, bodies or several crawls are listed apart.
fn list_sql(questions: &[Question<'_>]) -> String {
    let row = |question: &Question<'_>| {
        let columns = [question.name, &question.title, &question.short_parameters()];
        let columns = columns.map(sql_literal).join(", ");
        format!("    ({columns}, {})", question.needs_more())
    };
    let mut rows: Vec<String> = questions.iter().map(row).collect();
    let others = questions.iter().filter(|question| question.needs_more());
    let more = format!("{} that need more data", others.count());
    rows.push(format!(
        "    ('questions(more := true)', {}, 'more', NULL)",
        sql_literal(&more)
    ));
    format!(
        "\nCREATE OR REPLACE MACRO questions(more := false) AS TABLE\n\
         SELECT q.name, q.question, q.parameters FROM (VALUES\n{})\n\
         AS q(name, question, parameters, needs_more)\n\
         WHERE coalesce(q.needs_more = more, NOT more);\n\
         COMMENT ON MACRO TABLE questions IS 'The research questions, each of which is a macro: FROM most_blocked_agents(top := 10). \
         FROM question(''most_blocked_agents'') describes one';\n",
        rows.join(",\n")
    )
}

/// Returns the macros that describe questions.
fn description_sql(questions: &[Question<'_>]) -> String {
    let texts = questions.iter().map(|question| {
        let columns = [
            question.name,
            &question.question,
            question.parameters,
            &question.denominator,
            &question.pitfall,
        ];
        format!("    ({})", columns.map(sql_literal).join(", "))
    });
    let descriptions = questions.iter().map(|question| {
        let [name, text] = [question.name, &question.description()].map(sql_literal);
        format!("    ({name}, {text})")
    });
    format!(
        "\nCREATE OR REPLACE MACRO question_texts() AS TABLE\n\
         SELECT q.name, q.question, q.parameters, q.denominator, q.pitfall FROM (VALUES\n{}) AS q(name, question, parameters, denominator, pitfall);\n\
         COMMENT ON MACRO TABLE question_texts IS 'The research questions in full, for programs: FROM questions() fits a terminal';\n\
         \n\
         CREATE OR REPLACE MACRO question(name) AS TABLE\n\
         WITH checked_question AS MATERIALIZED (\n    \
             SELECT CASE WHEN name IN (SELECT t.name FROM question_texts() t) THEN true\n        \
                 ELSE error('unknown question ' || coalesce('''' || name || '''', 'NULL') || ': the nearest are '
                                 || nearest_values(coalesce(name, ''), (SELECT list(t.name) FROM question_texts() t))) END AS is_known
         ),
         lines AS (
                 SELECT unnest(string_split(d.description, chr(10))) AS line, generate_subscripts(string_split(d.description, chr(10)), 1) AS line_no
                 FROM (VALUES
{}) AS d(name, description)
                 WHERE d.name = name
         )
         SELECT rtrim(left(l.line, {FACT_WIDTH})) AS fact, substr(l.line, {FACT_WIDTH} + 1) AS text
         FROM checked_question k
         LEFT JOIN lines l ON true
         WHERE l.line IS NOT NULL OR NOT k.is_known
         ORDER BY l.line_no;
         COMMENT ON MACRO TABLE question IS 'The denominator, pitfall, parameters and columns of a research question, and an example: question(''most_blocked_agents'')';
",
        texts.collect::<Vec<_>>().join(",
"),
        descriptions.collect::<Vec<_>>().join(",
")
    )
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
        let question = Question::parse(&text);
        let name = question.as_ref().map(|question| question.name);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let of_file = stem
            .split_once('_')
            .filter(|(number, _)| number.starts_with(prefix));
        if text != *known || name.is_none() || name != of_file.map(|(_, name)| name) {
            return Err(format!("{path:?} is not a question of the list"));
        }
        question.map_or(Ok(()), |question| question.check_size())?;
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
        assert_eq!(question.title, "x");
        assert_eq!(question.example(), "FROM x(top := 3)");
        for part in ["?", "Denominator:", "Pitfall:", "FROM x();", " AS TABLE"] {
            assert_eq!(Question::parse(&text.replacen(part, "", 1)), None, "{part}");
        }
        let text = text.replace(
            "-- Pitfall: none.",
            "-- Pitfall: none.\n-- Columns: crawl; n, m: two\n-- numbers.",
        );
        let question = Question::parse(&text).unwrap();
        assert_eq!(question.pitfall, "none.");
        let columns = [("crawl", "the crawl"), ("n, m", "two numbers")];
        let columns = columns.map(|(names, meaning)| (names.to_owned(), meaning.to_owned()));
        assert_eq!(question.columns, columns);
        let description = question.description();
        let last = description.lines().last();
        assert_eq!(last, Some("example    FROM x(top := 3)"));
    }

    #[test]
    fn the_list_of_questions_fits_a_terminal() {
        let questions = QUERY_TEXTS.iter().filter_map(|text| Question::parse(text));
        // The last row is about the others.
        let listed = questions.filter(|question| !question.needs_more()).count() + 1;
        assert!(listed <= ROWS_MAX, "{listed} rows");
    }
}
