//! Detection of first arguments that are neither a command nor an archive: misspelt
//! commands, and datasets.

use crate::calls::exit::UsageError;
use dataset::JOINED_FOLDER;
use errors::Error;
use escapes::quote_for_shell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Returns an error if the first argument is probably a misspelt command, or is a
/// dataset.
pub(crate) fn check_first_argument(
    argument: &OsStr,
    program: fn() -> clap::Command,
) -> Option<UsageError> {
    misspelt_command_error(argument, program)
        .or_else(|| dataset_as_archive_error(Path::new(argument)))
}

/// Returns an error with the command to use instead if the command is `show`, which an earlier version had and which is
/// now part of `check`.
pub(crate) fn removed_command_error(args: &[OsString]) -> Option<UsageError> {
    let rest = args.get(2..)?;
    if args[1] != "show" || Path::new("show").exists() {
        return None;
    }
    let words = rest
        .iter()
        .map(|word| quote_for_shell(&word.to_string_lossy()));
    let words: Vec<String> = words.map(|word| word.to_string()).collect();
    Some(UsageError::with_hint(
        "'show' is a part of 'check'",
        format!("robots-scan check {}", words.join(" ")),
    ))
}

/// Returns an error if an argument is similar to a command of the program and is not a file.
pub(crate) fn misspelt_command_error(
    argument: &OsStr,
    program: fn() -> clap::Command,
) -> Option<UsageError> {
    let word = argument.to_str()?;
    if Path::new(word).exists() {
        return None;
    }
    let program = program();
    let names = program.get_subcommands().map(clap::Command::get_name);
    find_nearest(word, names)?;
    Some(unknown_command_error(word, &program))
}

/// Returns the error for a word that is not a command, with the command that is most similar.
pub(crate) fn unknown_command_error(word: &str, program: &clap::Command) -> UsageError {
    let names = program.get_subcommands().map(clap::Command::get_name);
    let names: Vec<&str> = names.collect();
    let hint = match find_nearest(word, names.iter().copied()) {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => format!("the commands are {}", names.join(", ")),
    };
    UsageError::with_hint(format!("unknown command '{word}'"), hint)
}

/// Returns the name that is most similar to a word, if one begins with the other
/// (three letters or more), or if they differ by at most one typing error per four
/// letters.
pub(crate) fn find_nearest<'a>(
    word: &str,
    names: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let distance = |name: &str| {
        let is_prefix = word.len() >= 3 && (name.starts_with(word) || word.starts_with(name));
        if is_prefix {
            0
        } else {
            strsim::osa_distance(&word.to_lowercase(), name)
        }
    };
    let names = names.map(|name| (distance(name), name));
    let (distance, name) = names.min_by_key(|(distance, _)| *distance)?;
    let is_near = word.chars().all(char::is_alphabetic) && distance <= word.len().div_ceil(4);
    (is_near && word != name).then_some(name)
}

/// Returns an error if a path is a dataset, or a Parquet file.
pub(crate) fn dataset_as_archive_error(path: &Path) -> Option<UsageError> {
    let metadata = fs::metadata(path).ok()?;
    let is_dataset = path.join("_manifest.jsonl").is_file() || path.join(JOINED_FOLDER).is_dir();
    let is_parquet = metadata.is_file() && is_parquet_file(path);
    if !is_dataset && !is_parquet {
        return None;
    }
    let place = path.display();
    let (what, hint) = if is_dataset {
        ("a dataset", "use check, match, verify or duckdb")
    } else {
        ("a Parquet file", "use verify or duckdb")
    };
    Some(UsageError::with_hint(
        format!("'{place}' is {what}, not an archive"),
        hint,
    ))
}

/// Returns an error if a dataset does not exist. Without this check, the error would be that it has no manifest.
pub(crate) fn check_dataset_exists(path: &Path) -> Result<(), Error> {
    let found = fs::metadata(path).map_err(|error| Error::read(path, error));
    found.map(drop)
}

/// Returns true if a file begins with the magic bytes of Parquet.
fn is_parquet_file(path: &Path) -> bool {
    let mut head = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"PAR1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_words_are_misspelt_commands() {
        let names = ["scan", "check", "match", "verify", "completions", "help"];
        for (word, name) in [
            ("chekc", Some("check")),
            ("Check", Some("check")),
            ("chck", Some("check")),
            ("checks", Some("check")),
            ("ver", Some("verify")),
            ("scna", Some("scan")),
            ("mtach", Some("match")),
            ("check", None),
            ("crawl", None),
            ("news", None),
            ("ve", None),
            ("check.warc.gz", None),
            ("out", None),
            ("", None),
        ] {
            assert_eq!(find_nearest(word, names.into_iter()), name, "{word}");
        }
    }
}
