//! `robots-scan schema`, `agents`, `man` and `completions`: print what is built in. `report` is not:
//! only the Python package has it.

use crate::args::{AgentsArgs, Args, SchemaArgs};
use crate::escape::{escape, json_line};
use crate::exit::{self, UsageError};
use crate::{defaults, mistyped, output};
use anyhow::Result;
use capture::anomaly::CaptureAnomalyKind;
use clap::CommandFactory;
use dataset::crawler::registry::{CrawlerEntry, CrawlerRegistry};
use dataset::tables::Table;
use disk::error::Error;
use robots::AnomalyKind;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Prints the columns of tables, or the codes of anomalies.
pub(crate) fn print_schema(args: &SchemaArgs) -> Result<u8> {
    if let Some(folder) = &args.write {
        std::fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|error| Error::write(&path, error))
        };
        for table in Table::ALL_WITH_COMMANDS {
            write(&format!("{}.sql", table.name()), dataset::schema_sql(table))?;
        }
        write("anomalies.md", format_anomaly_codes())?;
        write("views.spark.sql", dataset::spark_views_sql())?;
        return Ok(exit::OK);
    }
    if args.anomalies {
        output::print(format_anomaly_codes())?;
        return Ok(exit::OK);
    }
    let tables = Table::ALL_WITH_COMMANDS.into_iter();
    let tables = tables.filter(|&table| args.table.is_none_or(|wanted| wanted == table));
    let texts = tables.map(|table| dataset::schema_sql(table) + "\n");
    output::print(texts.collect::<String>())?;
    Ok(exit::OK)
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

/// Prints the registry of crawlers.
pub(crate) fn print_agents(args: &AgentsArgs) -> Result<u8> {
    let registry = defaults::read_registry(args.agents.as_deref())?;
    if let Some(category) = &args.category {
        check_category(&registry, category)?;
    }
    let mut out = String::new();
    for crawler in &registry.crawlers {
        let is_wanted = args.category.as_ref().is_none_or(|wanted| {
            !wanted.is_empty() && [&crawler.category, &crawler.category2].contains(&wanted)
        });
        if !is_wanted {
            continue;
        }
        if args.json {
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
    output::print(out)?;
    Ok(exit::OK)
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

/// Prints the manual page of the program, or of a command.
pub(crate) fn print_man_page(command: Option<&str>) -> Result<u8> {
    let mut program = Args::command();
    program.build();
    let page = match command {
        None => clap_mangen::Man::new(program),
        Some(name) => match program.find_subcommand(name) {
            Some(found) => clap_mangen::Man::new(found.clone()),
            None => return Err(mistyped::unknown_command_error(name).into()),
        },
    };
    let mut text = Vec::new();
    page.render(&mut text)?;
    output::print(text)?;
    Ok(exit::OK)
}

/// Prints the completion script of a shell.
pub(crate) fn print_completions(shell: clap_complete::Shell) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "robots-scan", &mut script);
    output::print(script)?;
    Ok(exit::OK)
}

/// Returns an error that says what to install. The Python package runs these commands itself.
pub(crate) fn refuse_python_command(name: &str) -> Result<u8> {
    let text = format!("'{name}' comes with the Python package, not with this program");
    let hint = format!(
        "in a clone of the repository, 'make venv' installs it: then .venv/bin/robots-scan {name}"
    );
    Err(UsageError::with_hint(text, hint).into())
}
