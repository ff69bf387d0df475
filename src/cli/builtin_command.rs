//! `robots-scan schema`, `agents`, `man` and `completions`: print what is built in.

use crate::args::{AgentsArgs, Args, SchemaArgs};
use crate::escape::{escape, json_line};
use crate::usage_error::UsageError;
use crate::{defaults, exit};
use anyhow::Result;
use clap::CommandFactory;
use robots::AnomalyKind;
use robots_scan::capture::anomaly::CaptureAnomalyKind;
use robots_scan::crawler::registry::{CrawlerEntry, CrawlerRegistry};
use robots_scan::dataset;
use robots_scan::error::Error;
use robots_scan::tables::Table;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;

/// Prints the columns of tables, or the codes of anomalies.
pub(crate) fn schema(args: &SchemaArgs) -> Result<u8> {
    let mut out = std::io::stdout().lock();
    if let Some(folder) = &args.write {
        std::fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|error| Error::write(&path, error))
        };
        for table in Table::DESCRIBED {
            write(&format!("{}.sql", table.name()), dataset::schema_sql(table))?;
        }
        write("anomalies.md", anomalies())?;
        write("views.spark.sql", dataset::spark_sql())?;
        return Ok(exit::OK);
    }
    if args.anomalies {
        write!(out, "{}", anomalies())?;
        return Ok(exit::OK);
    }
    for table in Table::DESCRIBED
        .into_iter()
        .filter(|&table| args.table.is_none_or(|wanted| wanted == table))
    {
        writeln!(out, "{}", dataset::schema_sql(table))?;
    }
    Ok(exit::OK)
}

/// Returns the codes of anomalies as a Markdown table.
fn anomalies() -> String {
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
pub(crate) fn agents(args: &AgentsArgs) -> Result<u8> {
    let registry = defaults::registry(args.agents.as_deref())?;
    if let Some(category) = &args.category {
        check_category(&registry, category)?;
    }
    let mut out = std::io::stdout().lock();
    for crawler in &registry.crawlers {
        let is_wanted = args.category.as_ref().is_none_or(|wanted| {
            !wanted.is_empty() && [&crawler.category, &crawler.category2].contains(&wanted)
        });
        if !is_wanted {
            continue;
        }
        if args.json {
            write!(out, "{}", json_line(&json_of(crawler)))?;
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
    Ok(exit::OK)
}

/// Returns the entry of a crawler as JSON.
fn json_of(crawler: &CrawlerEntry) -> Value {
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

/// Prints the manual page.
pub(crate) fn man() -> Result<u8> {
    clap_mangen::Man::new(Args::command()).render(&mut std::io::stdout().lock())?;
    Ok(exit::OK)
}

/// Prints completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<u8> {
    // The generator would panic if standard output is closed, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "robots-scan", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(exit::OK)
}
