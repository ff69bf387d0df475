//! Expansion of arguments, folders, globs and lists of paths into inputs.

use super::stream::Stream;
use super::{InputSource, NamedInput, is_missing};
use crate::disk;
use crate::error::{Error, ErrorKind};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The suffixes of archives. In folders, only files with these names are inputs.
const SUFFIXES: [&str; 5] = [
    ".warc",
    ".warc.gz",
    ".warc.zst",
    ".warc.gz.open",
    ".warc.open",
];

/// Adds the inputs that an argument stands for: a file, a folder, a glob or `-`.
pub(super) fn expand_argument(argument: &str, found: &mut Vec<NamedInput>) -> Result<(), Error> {
    if argument == "-" {
        found.push(NamedInput {
            source: InputSource::Stream(Stream::stdin()),
            name: "-".to_owned(),
            is_listed: false,
        });
        return Ok(());
    }
    refuse_url(argument)?;
    let path = Path::new(argument);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let files = disk::walk(path, &is_archive_name)?;
            if files.is_empty() {
                return Err(Error::new(ErrorKind::NoInput, path));
            }
            add_files(files, found)?;
        }
        Ok(_) => found.push(NamedInput::from_path(path.to_owned())?),
        Err(error) => {
            let pattern = glob::Pattern::new(argument).ok();
            let pattern = pattern.filter(|_| argument.contains(['*', '?', '[']));
            let Some(pattern) = pattern else {
                if !is_missing(&error) {
                    return Err(Error::read(path, error));
                }
                found.push(NamedInput::from_path(path.to_owned())?);
                return Ok(());
            };
            let files = glob_files(argument, &pattern)?;
            if files.is_empty() {
                return Err(Error::new(ErrorKind::NoInput, path));
            }
            add_files(files, found)?;
        }
    }
    Ok(())
}

fn add_files(files: Vec<PathBuf>, found: &mut Vec<NamedInput>) -> Result<(), Error> {
    for file in files {
        found.push(NamedInput::from_path(file)?);
    }
    Ok(())
}

/// Returns the files that a glob matches, sorted by path. A glob with `**` is
/// expanded by [`disk::walk`], which searches each folder once even if symbolic
/// links form a cycle.
fn glob_files(argument: &str, pattern: &glob::Pattern) -> Result<Vec<PathBuf>, Error> {
    let parts = argument.split('/');
    if !parts.clone().any(|part| part == "**") {
        let paths = glob::glob(argument).into_iter().flatten();
        return Ok(paths.flatten().filter(|path| path.is_file()).collect());
    }
    let fixed: Vec<&str> = parts
        .take_while(|part| !part.contains(['*', '?', '[']))
        .collect();
    let folder = match (fixed.join("/"), argument.starts_with('/')) {
        (folder, true) => format!("{folder}/"),
        (folder, false) if folder.is_empty() => ".".to_owned(),
        (folder, false) => folder,
    };
    let options = glob::MatchOptions {
        require_literal_separator: true,
        ..glob::MatchOptions::new()
    };
    let is_wanted = |path: &Path| {
        let path = path.strip_prefix("./").unwrap_or(path);
        pattern.matches_path_with(path, options) && path.is_file()
    };
    disk::walk(Path::new(&folder), &is_wanted)
}

/// Returns true if a file in a folder is an archive according to its name.
fn is_archive_name(path: &Path) -> bool {
    let path = path.to_string_lossy();
    SUFFIXES.iter().any(|suffix| path.ends_with(suffix))
}

/// Adds the inputs of a list of paths, plain or gzip. Empty lines and lines that
/// begin with `#` are ignored.
pub(super) fn read_paths(
    list: &Path,
    base: Option<&str>,
    found: &mut Vec<NamedInput>,
) -> Result<(), Error> {
    refuse_url(&list.to_string_lossy())?;
    if let Some(base) = base {
        refuse_url(base)?;
    }
    let mut bytes = fs::read(list).map_err(|error| Error::read(list, error))?;
    if bytes.starts_with(b"\x1f\x8b") {
        let mut text = Vec::new();
        let result = flate2::bufread::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text);
        result.map_err(|error| Error::read(list, error))?;
        bytes = text;
    }
    let text = String::from_utf8_lossy(&bytes);
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        refuse_url(line)?;
        let path = match base {
            Some(base) => format!(
                "{}/{}",
                base.trim_end_matches('/'),
                line.trim_start_matches('/')
            ),
            None => line.to_owned(),
        };
        found.push(NamedInput {
            source: InputSource::of(path.into())?,
            name: line.to_owned(),
            is_listed: true,
        });
    }
    Ok(())
}

/// Returns an error if an argument or a line of a list is a URL.
fn refuse_url(text: &str) -> Result<(), Error> {
    let scheme = text.split("://").next().unwrap_or_default();
    let is_url = text.contains("://")
        && !scheme.is_empty()
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_url {
        Err(Error::new(ErrorKind::UrlInput, text))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_refused_and_windows_paths_are_not() {
        assert!(refuse_url("s3://commoncrawl/x").is_err() && refuse_url("https://h/x").is_err());
        assert!(refuse_url("a/b.warc.gz").is_ok());
    }
}
