//! `robots-scan schema` and `agents`, which print the declarations of the tables and the registry of crawlers, and the
//! error for commands that only the Python package has, such as `report`.

use crate::calls::caller::Caller;
use crate::calls::exit::UsageError;
use crate::commands::arg_values::table_parser;
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::defaults;
use crate::commands::defaults::all_tables;
use crate::printing::escape::json_line;
use anyhow::Result;
use capture::anomaly::CaptureAnomalyKind;
use clap::ValueHint;
use crawlers::{CrawlerEntry, CrawlerRegistry};
use errors::Error;
use escapes::escape;
use robots::AnomalyKind;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use tables::Table;

#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    /// The table; all if none is named
    #[arg(value_parser = table_parser(all_tables()))]
    pub(crate) table: Option<Table>,

    /// Lists the codes of anomalies instead
    #[arg(long, conflicts_with = "table")]
    pub(crate) anomalies: bool,

    /// Writes a file per table, one with the codes of anomalies, and one with the views for Spark, into a folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["table", "anomalies"])]
    pub(crate) write: Option<PathBuf>,
}

impl CommandArgs for SchemaArgs {
    fn run(&self, _caller: &Caller) -> Result<CommandOutcome> {
        if let Some(folder) = &self.write {
            std::fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
            let write = |name: &str, text: String| {
                let path = folder.join(name);
                std::fs::write(&path, text).map_err(|error| Error::write(&path, error))
            };
            for table in all_tables() {
                write(&format!("{}.sql", table.name()), tables::schema_sql(table))?;
            }
            write("anomalies.md", format_anomaly_codes())?;
            write("views.spark.sql", tables::spark_views_sql())?;
            return Ok(CommandOutcome::ok(""));
        }
        if self.anomalies {
            return Ok(CommandOutcome::ok(format_anomaly_codes()));
        }
        let tables = all_tables().into_iter();
        let tables = tables.filter(|&table| self.table.is_none_or(|wanted| wanted == table));
        let texts = tables.map(|table| tables::schema_sql(table) + "\n");
        Ok(CommandOutcome::ok(texts.collect::<String>()))
    }
}

/// Returns the codes of anomalies as a Markdown table.
fn format_anomaly_codes() -> String {
    let mut out = String::from(
        "# Codes of `anomalies`\n\n| code | severity | leniency | meaning |\n|---|---|---|---|\n",
    );
    for kind in AnomalyKind::ALL {
        let leniency = if kind.is_leniency() { "yes" } else { "" };
        out.push_str(&format!(
            "| {} | {} | {leniency} | {} |\n",
            kind.code(),
            kind.severity().name(),
            kind.about()
        ));
    }
    for kind in CaptureAnomalyKind::ALL {
        out.push_str(&format!(
            "| {} | {} | | {} |\n",
            kind.code(),
            kind.severity().name(),
            kind.about()
        ));
    }
    out
}

#[derive(Debug, clap::Args)]
pub(crate) struct AgentsArgs {
    /// Only crawlers of this category, such as `ai_training`
    #[arg(long, value_name = "CATEGORY", value_hint = ValueHint::Other)]
    pub(crate) category: Option<String>,

    /// A custom registry of crawlers instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) agents: Option<PathBuf>,

    /// Prints JSON, one crawler a line
    #[arg(long)]
    pub(crate) json: bool,
}

impl CommandArgs for AgentsArgs {
    fn is_json(&mut self) -> bool {
        self.json
    }

    fn run(&self, _caller: &Caller) -> Result<CommandOutcome> {
        let registry = defaults::read_registry(self.agents.as_deref())?;
        if let Some(category) = &self.category {
            check_category(&registry, category)?;
        }
        let mut out = String::new();
        for crawler in &registry.crawlers {
            let is_wanted = self.category.as_ref().is_none_or(|wanted| {
                !wanted.is_empty() && [&crawler.category, &crawler.category2].contains(&wanted)
            });
            if !is_wanted {
                continue;
            }
            if self.json {
                out.push_str(&json_line(&crawler_to_json(crawler)));
            } else {
                let fields = [
                    &crawler.token,
                    &crawler.category,
                    &crawler.operator,
                    &crawler.purpose,
                ];
                let [token, category, operator, purpose] = fields.map(|field| escape(field));
                writeln!(out, "{token:28} {category:24} {operator:22} {purpose}")?;
            }
        }
        Ok(CommandOutcome::ok(out))
    }
}

fn crawler_to_json(crawler: &CrawlerEntry) -> Value {
    json!({
        "agent": crawler.agent,
        "token": crawler.token,
        "operator": crawler.operator,
        "category": crawler.category,
        "category2": crawler.category2,
        "purpose": crawler.purpose,
        "fallbacks": crawler.fallbacks,
        "ignores_wildcard": crawler.ignores_wildcard,
        "is_control_token": crawler.is_control_token,
        "source": crawler.source,
        "other_spellings": crawler.other_spellings,
        "operator_page": crawler.operator_page,
    })
}

/// Returns an error if no crawler of the registry has the category.
fn check_category(registry: &CrawlerRegistry, category: &str) -> Result<()> {
    let crawlers = registry.crawlers.iter();
    let all: BTreeSet<&str> = crawlers
        .flat_map(|crawler| [crawler.category.as_str(), crawler.category2.as_str()])
        .filter(|category| !category.is_empty())
        .collect();
    if all.contains(category) {
        return Ok(());
    }
    let all: Vec<&str> = all.into_iter().collect();
    Err(UsageError::with_hint(
        format!("no crawler has the category '{category}'"),
        format!("the categories are {}", all.join(", ")),
    )
    .into())
}

/// The arguments of a command that only the Python package has. They are accepted so that the error says so.
#[derive(Debug, clap::Args)]
pub(crate) struct PythonCommandArgs {
    /// The dataset and options, which the Python package reads
    #[arg(
        value_name = "DATASET",
        num_args = 0..,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_hint = ValueHint::AnyPath
    )]
    arguments: Vec<String>,
}

/// Returns the error for a command that only the Python package has.
pub(crate) fn python_command_error(name: &str) -> UsageError {
    let text = format!("'{name}' comes with the Python package, not with this program");
    let hint = format!(
        "in a clone of the repository, 'make venv' installs it: then .venv/bin/robots-scan {name}"
    );
    UsageError::with_hint(text, hint)
}
