//! The parsers of the values of arguments, and the defaults and headings that several commands share.

use crate::printing::quantity::parse_size;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use crawlers::DialectChoice;
use crawlers::whole_name;
use remote::Rate;
use robots::Dialect;
use tables::Table;

pub(crate) const URL_OPTIONS_HEADING: &str = "Options for URLs";

/// The default of `--patience`.
pub(crate) const DEFAULT_PATIENCE: &str = "1h";

/// A limit in bytes; `None` for no limit, which is the argument `none`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteLimit(pub(crate) Option<u64>);

/// The tables that `--tables` can select.
pub(crate) const SELECTABLE_TABLES: [Table; Table::ALL.len() - Table::PER_CRAWL.len()] = {
    let mut tables = [Table::AGENTS; Table::ALL.len() - Table::PER_CRAWL.len()];
    let mut i = 0;
    // The resolved tables, which are left out here, are the last of all tables.
    while i < tables.len() {
        tables[i] = Table::ALL[i];
        i += 1;
    }
    tables
};

/// Returns a parser of the names of these tables. Shell completions offer the names.
pub(crate) fn table_parser(tables: impl Into<Vec<Table>>) -> impl TypedValueParser<Value = Table> {
    let tables = tables.into();
    let names = tables.iter().map(|table| table.name());
    PossibleValuesParser::new(names).try_map(move |name| {
        let table = tables.iter().find(|table| table.name() == name);
        table.copied().ok_or("there is no such table")
    })
}

pub(crate) fn parse_agent(text: &str) -> Result<String, String> {
    let name = text.trim();
    if whole_name(name).is_empty() {
        Err("give the name of a crawler, such as GPTBot, or '*'".to_owned())
    } else {
        Ok(name.to_owned())
    }
}

/// Returns a parser of `default` and the names of dialects. Shell completions offer the names.
pub(crate) fn dialect_parser() -> impl TypedValueParser<Value = DialectChoice> {
    let names = Dialect::ALL.map(Dialect::name);
    PossibleValuesParser::new(["default"].into_iter().chain(names)).map(|name| {
        let mut dialects = Dialect::ALL.into_iter();
        let dialect = dialects.find(|dialect| dialect.name() == name);
        dialect.map_or(DialectChoice::Default, DialectChoice::Dialect)
    })
}

pub(crate) fn parse_rate(text: &str) -> Result<Rate, String> {
    if text == "none" {
        return Ok(Rate::Unlimited);
    }
    let rate = text.parse().ok();
    let rate = rate.filter(|rate| (0.001..=100_000.0).contains(rate));
    rate.map(Rate::PerSecond)
        .ok_or_else(|| "give requests a second, such as 5 or 0.5, or none".to_owned())
}

pub(crate) fn parse_limit(text: &str) -> Result<ByteLimit, String> {
    if text == "none" {
        Ok(ByteLimit(None))
    } else {
        parse_size(text).map(|bytes| ByteLimit(Some(bytes)))
    }
}

pub(crate) fn parse_max_body(text: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    if (1..=1 << 30).contains(&bytes) {
        Ok(bytes)
    } else {
        Err("give 1 byte to 1GiB".into())
    }
}
