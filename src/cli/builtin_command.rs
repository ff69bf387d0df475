//! `schema`, `agents` and `man`: what is built in, printed.

use crate::args::{AgentsArgs, Args, SchemaArgs};
use crate::exit;
use crate::message::{self, UsageError, escape};
use anyhow::Result;
use clap::CommandFactory;
use robots::AnomalyKind;
use robots_scan::capture::anomaly::CaptureAnomalyKind;
use robots_scan::crawler::registry::CrawlerRegistry;
use robots_scan::dataset;
use robots_scan::error::Error;
use robots_scan::tables::Table;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;

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
        return Ok(exit::WHOLE);
    }
    if args.anomalies {
        write!(out, "{}", anomalies())?;
        return Ok(exit::WHOLE);
    }
    for table in Table::DESCRIBED
        .into_iter()
        .filter(|&table| args.table.is_none_or(|wanted| wanted == table))
    {
        writeln!(out, "{}", dataset::schema_sql(table))?;
    }
    Ok(exit::WHOLE)
}

/// The codes of anomalies, as a table of Markdown.
fn anomalies() -> String {
    let mut out = String::from(
        "# Codes of `anomalies`\n\n| code | severity | liberty | meaning |\n|---|---|---|---|\n",
    );
    for it in AnomalyKind::ALL {
        let liberty = if it.is_leniency() { "yes" } else { "" };
        out.push_str(&format!(
            "| {} | {} | {liberty} | {} |\n",
            it.code(),
            it.severity().name(),
            it.about()
        ));
    }
    for it in CaptureAnomalyKind::ALL {
        out.push_str(&format!(
            "| {} | {} | | {} |\n",
            it.code(),
            it.severity().name(),
            it.about()
        ));
    }
    out
}

pub(crate) fn agents(args: &AgentsArgs) -> Result<u8> {
    let registry = match &args.agents {
        Some(path) => CrawlerRegistry::read(path)?,
        None => CrawlerRegistry::built_in(),
    };
    if let Some(category) = &args.category {
        check_category(&registry, category)?;
    }
    let mut out = std::io::stdout().lock();
    let wanted = |category: &str| {
        args.category
            .as_ref()
            .is_none_or(|wanted| wanted == category)
    };
    for it in registry
        .crawlers
        .iter()
        .filter(|it| wanted(&it.category) || (!it.category2.is_empty() && wanted(&it.category2)))
    {
        if args.json {
            let line = json!({
                "agent": it.agent, "token": it.token, "operator": it.operator, "category": it.category, "category2": it.category2,
                "purpose": it.purpose, "fallbacks": it.fallbacks, "ignores_wildcard": it.ignores_wildcard,
                "is_control_token": it.is_control_token, "source": it.source,
            });
            write!(out, "{}", message::json_line(&line))?;
        } else {
            let fields = [&it.token, &it.category, &it.operator, &it.purpose];
            let [token, category, operator, purpose] = fields.map(|field| escape(field));
            writeln!(out, "{token:28} {category:24} {operator:22} {purpose}")?;
        }
    }
    Ok(exit::WHOLE)
}

/// Refuses a category that no crawler of the registry has.
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

pub(crate) fn man() -> Result<u8> {
    clap_mangen::Man::new(Args::command()).render(&mut std::io::stdout().lock())?;
    Ok(exit::WHOLE)
}
