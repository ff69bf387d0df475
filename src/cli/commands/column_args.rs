//! The option `--columns`, which gives the names of columns in lists and tables that robots-scan has not written.

use crate::advice::mistyped::find_nearest;
use crate::calls::exit::UsageError;
use clap::builder::{StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use sources::table_file::ColumnNames;

/// One `KEY=NAME` of `--columns`: the column that holds `key` has this name in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnArg {
    key: &'static str,
    name: String,
}

/// Returns a parser of `KEY=NAME` with one of these keys.
pub(crate) fn columns_parser(
    keys: &'static [&'static str],
) -> impl TypedValueParser<Value = ColumnArg> {
    StringValueParser::new().try_map(move |text| parse_column(&text, keys))
}

fn parse_column(text: &str, keys: &'static [&'static str]) -> Result<ColumnArg, String> {
    let known = || keys.join(", ");
    let parts = text.split_once('=').filter(|(_, name)| !name.is_empty());
    let Some((key, name)) = parts else {
        return Err(format!("give KEY=NAME; the keys are {}", known()));
    };
    let Some(found) = keys.iter().find(|found| **found == key) else {
        return Err(match find_nearest(key, keys.iter().copied()) {
            Some(nearest) => format!("unknown key '{key}': did you mean '{nearest}'?"),
            None => format!("unknown key '{key}': the keys are {}", known()),
        });
    };
    Ok(ColumnArg {
        key: found,
        name: name.to_owned(),
    })
}

/// Collects the values of `--columns`.
///
/// # Errors
///
/// [`UsageError`] if a column is named twice.
pub(crate) fn column_names(args: &[ColumnArg]) -> Result<ColumnNames, UsageError> {
    let mut names = ColumnNames::default();
    for ColumnArg { key, name } in args {
        if names.has(key) {
            let text = format!("the column '{key}' is named twice");
            return Err(UsageError::with_hint(text, "give its name once"));
        }
        names.insert(key, name);
    }
    Ok(names)
}

/// Adds a tip to the parse error of an option such as `--body-column`. Version 0.2 had such an option for each column
/// instead of `--columns`.
pub(crate) fn add_columns_tip(mut error: clap::Error) -> clap::Error {
    let key = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) if option == "--column" => Some("url"),
        Some(ContextValue::String(option)) => option
            .strip_prefix("--")
            .and_then(|option| option.strip_suffix("-column")),
        _ => None,
    };
    if let Some(key) = key {
        let tip = format!("columns are named by one option: --columns {key}=NAME");
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[&str] = &["url", "time", "status"];

    #[test]
    fn a_column_is_named_by_its_key() {
        let column = parse_column("time=a=b", KEYS).unwrap();
        assert_eq!((column.key, column.name.as_str()), ("time", "a=b"));
        for (text, word) in [
            ("page", "the keys are url, time, status"),
            ("url=", "KEY=NAME"),
            ("", "KEY=NAME"),
            ("tiem=x", "did you mean 'time'"),
            ("stat=x", "did you mean 'status'"),
            ("page=x", "the keys are url, time, status"),
        ] {
            let error = parse_column(text, KEYS).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
        let twice = ["url=a", "url=b"].map(|text| parse_column(text, KEYS).unwrap());
        assert!(column_names(&twice).is_err());
        assert!(column_names(&twice[1..]).unwrap().has("url"));
    }
}
