//! Expansion of arguments, folders, globs and lists of paths into inputs.

use super::{InputOptions, MAX_INPUTS, NamedInput, is_missing, names, parse_url};
use crate::InputPlace;
use crate::error::{SourceErrorKind, UnsafeLineReason};
use crate::stream::Stream;
use disk::LineList;
use disk::without_secrets;
use errors::Error;
use flate2::bufread::MultiGzDecoder;
use remote::error::RemoteErrorKind;
use remote::{Remote, RemoteUrl, Scheme, has_scheme};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use warc::ArchiveFile;

/// The suffixes of archives. In folders, only files with these names are inputs.
const ARCHIVE_SUFFIXES: [&str; 5] = [
    ".warc",
    ".warc.gz",
    ".warc.zst",
    ".warc.gz.open",
    ".warc.open",
];

/// The largest list in bytes, also after unpacking. The list of a crawl has 10 MB, and a list of
/// [`MAX_INPUTS`] archives has 240 MB.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// Adds the inputs of an argument: a file, a folder, a glob, a URL or `-`.
pub(super) fn expand_argument(argument: &str, found: &mut Vec<NamedInput>) -> Result<(), Error> {
    if argument == "-" {
        found.push(NamedInput {
            place: InputPlace::Stream(Stream::stdin()),
            name: "-".to_owned(),
            is_listed: false,
        });
        return Ok(());
    }
    if let Some(url) = parse_url(argument)? {
        found.push(NamedInput::from_url(url));
        return Ok(());
    }
    let path = Path::new(argument);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let files = disk::walk(path, &is_archive_name)?;
            if files.is_empty() {
                return Err(Error::new(SourceErrorKind::NoInput, path));
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
            let files = find_glob_files(argument, &pattern)?;
            if files.is_empty() {
                return Err(Error::new(SourceErrorKind::NoInput, path));
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
fn find_glob_files(argument: &str, pattern: &glob::Pattern) -> Result<Vec<PathBuf>, Error> {
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
    ARCHIVE_SUFFIXES.iter().any(|suffix| path.ends_with(suffix))
}

/// Adds the inputs of a list of paths, plain or gzip. Empty lines and lines that
/// begin with `#` are ignored.
///
/// Without a prefix, the lines of a list at a URL are relative to the part of the URL before
/// `crawl-data/`, otherwise to its folder.
pub(super) fn read_paths(
    list: &Path,
    options: &InputOptions,
    found: &mut Vec<NamedInput>,
) -> Result<(), Error> {
    let url = parse_url(&list.to_string_lossy())?;
    let source: Box<dyn BufRead> = match (&url, &options.remote) {
        (None, _) => {
            let file = File::open(list).map_err(|error| Error::read(list, error))?;
            Box::new(BufReader::new(file))
        }
        (Some(url), remote) => {
            let fetched = FetchedList::fetch(url, remote.as_deref(), MAX_LIST_BYTES)?;
            Box::new(BufReader::new(fetched))
        }
    };
    let list = url.as_ref().map_or(list, |url| url.display_path());
    let read_error = |error| Error::read(list, error);
    let source = unpack_list(source).map_err(read_error)?;
    let base = options.base.clone();
    let base = base.or_else(|| url.as_ref().map(RemoteUrl::list_base));
    let mut lines = LineList::new(source, MAX_LIST_BYTES);
    while let Some(line) = lines.advance().map_err(read_error)? {
        let line = line.text;
        if url.is_some() {
            check_remote_line(line, url.as_ref()).map_err(|kind| Error::new(kind, list))?;
        }
        let path = join_base(base.as_deref(), line);
        if found.len() as u64 >= MAX_INPUTS {
            let kind = SourceErrorKind::TooManyInputs {
                inputs: found.len() + 1,
                first_input: options.first_input,
                limit: MAX_INPUTS,
            };
            return Err(Error::new(kind, list));
        }
        let place = InputPlace::from_path(path.into())?;
        if let (Some(url), Some(base)) = (place.url(), &base)
            && !has_scheme(line)
            && !url.is_below(base)
        {
            let kind = unsafe_line_error(line, UnsafeLineReason::ParentFolder);
            return Err(Error::new(kind, list));
        }
        // A slash at the start of a line is ignored if there is a prefix, so it is not part of the name.
        let line_name = |line: &str| {
            let line = base.as_ref().map_or(line, |_| line.trim_start_matches('/'));
            names::name_from_line(line, base.as_deref()).into_owned()
        };
        let name = match place.url() {
            // Neither a query nor user information is part of a name.
            Some(url) if has_scheme(line) => names::name_from_path(url.display_path()),
            Some(url) if url.scheme() != Scheme::S3 => line_name(strip_query(line)),
            _ => line_name(line),
        };
        found.push(NamedInput {
            place,
            name,
            is_listed: true,
        });
    }
    Ok(())
}

/// Puts a prefix before a line of a list, unless it is a URL.
pub(super) fn join_base(base: Option<&str>, line: &str) -> String {
    match base {
        Some(base) if !has_scheme(line) => format!(
            "{}/{}",
            base.trim_end_matches('/'),
            line.trim_start_matches('/')
        ),
        _ => line.to_owned(),
    }
}

/// Returns an error if a line of a list at a URL leads elsewhere than to its server: whoever can
/// change the list must not be able to make this machine read its own files, or send requests to other servers.
pub(super) fn check_remote_line(
    line: &str,
    list: Option<&RemoteUrl>,
) -> Result<(), SourceErrorKind> {
    let refuse = |reason| Err(unsafe_line_error(line, reason));
    if line.starts_with(['/', '\\']) {
        return refuse(UnsafeLineReason::AbsolutePath);
    }
    if decode_leniently(line)
        .split(['/', '\\'])
        .any(|part| part == "..")
    {
        return refuse(UnsafeLineReason::ParentFolder);
    }
    if !has_scheme(line) && !line.to_ascii_lowercase().starts_with("file:") {
        return Ok(());
    }
    match (RemoteUrl::parse(line), list) {
        (Ok(Some(url)), Some(list)) if url.has_same_server(list) => Ok(()),
        _ => refuse(UnsafeLineReason::OtherServer),
    }
}

fn unsafe_line_error(line: &str, reason: UnsafeLineReason) -> SourceErrorKind {
    SourceErrorKind::UnsafeLine {
        line: without_secrets(line),
        reason,
    }
}

/// Returns a line as the most lenient server may understand it: without the characters that are
/// removed from URLs, and percent-decoded as often as possible (`%252e` is `.`).
fn decode_leniently(line: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(line.len());
    for byte in line.bytes().filter(|byte| !b"\t\n\r".contains(byte)) {
        bytes.push(byte);
        // A byte may complete an escape, and the byte to which that decodes may complete another one.
        while let [.., b'%', high, low] = bytes.as_slice()
            && let Some(high) = char::from(*high).to_digit(16)
            && let Some(low) = char::from(*low).to_digit(16)
        {
            bytes.truncate(bytes.len() - 3);
            bytes.push((high * 16 + low) as u8);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn strip_query(line: &str) -> &str {
    line.split(['?', '#']).next().unwrap_or_default()
}

/// Reads a list that was fetched from a server. A long list is held in a temporary file, not in memory.
pub(super) struct FetchedList {
    file: ArchiveFile,
    offset: u64,
}

impl FetchedList {
    /// Fetches a list of at most `bytes_max` bytes.
    ///
    /// # Errors
    ///
    /// Those of [`Remote::fetch`]; [`RemoteErrorKind::NoRemote`] without a client.
    pub(super) fn fetch(
        url: &RemoteUrl,
        remote: Option<&Remote>,
        bytes_max: u64,
    ) -> Result<Self, Error> {
        let remote =
            remote.ok_or_else(|| Error::new(RemoteErrorKind::NoRemote, url.display_path()))?;
        let file = remote.fetch(url, None, bytes_max, &AtomicBool::new(false))?;
        Ok(Self { file, offset: 0 })
    }
}

impl Read for FetchedList {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read_bytes = self.file.read_at(self.offset, out)?;
        self.offset += read_bytes as u64;
        Ok(read_bytes)
    }
}

/// Returns a reader of the text of a list, which is decompressed if it is gzip.
fn unpack_list(mut source: Box<dyn BufRead>) -> io::Result<Box<dyn BufRead>> {
    let mut magic = Vec::new();
    source.by_ref().take(2).read_to_end(&mut magic)?;
    let is_gzip = magic == b"\x1f\x8b";
    let source = io::Cursor::new(magic).chain(source);
    Ok(if is_gzip {
        Box::new(BufReader::new(MultiGzDecoder::new(source)))
    } else {
        Box::new(source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_list_leads_only_to_its_own_server() {
        let list = RemoteUrl::parse("https://h/crawl-data/x.paths").unwrap();
        let check = |line| check_remote_line(line, list.as_ref());
        for line in [
            "crawl-data/a.warc.gz",
            "a",
            "https://h/a?b",
            "https://u@h:443/a",
            "a..b/c",
            "a%2fb%20c/%zz%",
            "%2e/a",
        ] {
            assert_eq!(check(line), Ok(()), "{line}");
        }
        for line in [
            "/etc/passwd",
            "//h/a",
            "\\\\server\\a",
            "../a",
            "a/../../b",
            "a\\..\\b",
            "%2e%2e/a",
            "a/.%2E/../b",
            "a/..%2fb",
            "..%5Ca",
            "%252e%252e%252fa",
            "%25252e./a",
            "%%32%65./a",
            ".\t./a",
            "https://h/%2e%2e/a",
            "https://h/../a",
            "file:///etc/passwd",
            "FILE:a",
            "http://h/a",
            "https://h:444/a",
            "https://other/a",
            "s3://h/a",
            "ftp://h/a",
        ] {
            assert!(check(line).is_err(), "{line}");
        }
    }
}
