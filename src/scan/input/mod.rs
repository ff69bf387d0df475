//! Inputs: which archives are read, what they are called, and to which crawl
//! and subset they belong.

mod names;
pub mod stream;

use crate::disk;
use crate::error::{Error, ErrorKind};
use crate::input::stream::{PEEK_BYTES, Stream};
pub use crate::tables::is_partition_name;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the bytes of an input come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A regular file, which can be opened more than once and read in slices.
    File(PathBuf),
    /// Anything else, which is opened once and read from its first byte to its last.
    Stream(Arc<Stream>),
    /// A file that is not there, which is a fault of the run.
    Missing(PathBuf),
}

impl Origin {
    /// The origin that a path leads to.
    ///
    /// # Errors
    ///
    /// The path leads to a folder, or what it leads to cannot be known.
    fn of(path: PathBuf) -> Result<Self, Error> {
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => Ok(Self::File(path)),
            Ok(metadata) if metadata.is_dir() => {
                Err(Error::read(path, io::ErrorKind::IsADirectory.into()))
            }
            Ok(_) => Ok(Self::Stream(Stream::open(&path))),
            Err(error) if is_missing(&error) => Ok(Self::Missing(path)),
            Err(error) => Err(Error::read(path, error)),
        }
    }

    /// The path, or `standard input`, for messages.
    fn place(&self) -> &Path {
        match self {
            Self::File(path) | Self::Missing(path) => path,
            Self::Stream(stream) => stream.place(),
        }
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// An input before its crawl and subset are known.
struct Found {
    origin: Origin,
    name: String,
    /// Whether it is a line of a list, which is its name.
    is_listed: bool,
}

impl Found {
    fn argument(path: PathBuf) -> Result<Self, Error> {
        Ok(Self {
            name: names::of_path(&path),
            origin: Origin::of(path)?,
            is_listed: false,
        })
    }
}

/// An archive to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where its bytes come from.
    pub origin: Origin,
    /// `warc_filename` in the tables.
    pub name: String,
    /// Its size; `None` where it cannot be known.
    pub bytes: Option<u64>,
    /// The crawl.
    pub crawl: String,
    /// The subset of the crawl.
    pub subset: String,
}

impl Input {
    /// Why not all of a file was read, if its reading ended at `position`: it
    /// has another size than it had, or its reading ended before its end.
    pub(crate) fn unread(&self, position: u64) -> Option<io::Error> {
        let (Origin::File(path), Some(before)) = (&self.origin, self.bytes) else {
            return None;
        };
        // One that is gone was open while it was read.
        let now = fs::metadata(path).map_or(before, |metadata| metadata.len());
        if now != before {
            let why =
                format!("it changed since the run began: it had {before} bytes and has {now}");
            return Some(io::Error::other(why));
        }
        // A kind of file that is not read has no position.
        let why = format!("only {position} of its {before} bytes were read");
        (position < before).then(|| io::Error::other(why))
    }
}

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Files, folders, globs, `-`.
    pub arguments: Vec<String>,
    /// A list of archives, one a line, perhaps gzip.
    pub paths: Option<PathBuf>,
    /// What is put before each line of the list.
    pub base: Option<String>,
    /// The crawl, whatever the archives say.
    pub crawl: Option<String>,
    /// The subset, whatever the archives say.
    pub subset: Option<String>,
    /// The name of the only stream among the inputs.
    pub name: Option<String>,
    /// Streams are not opened: their crawl and subset stay unknown unless the
    /// request or the path says them.
    pub is_dry_run: bool,
    /// Streams are refused, as a run that is resumed has read them already.
    pub is_resumed: bool,
    /// Files are named by their paths below this folder.
    pub relative_to: Option<PathBuf>,
    /// Files that are not there are faults of the run instead of an error.
    pub skips_missing: bool,
    /// The shard, from 1, and how many there are: inputs of others are not looked at.
    pub shard: Option<(usize, usize)>,
}

/// Missing inputs that an error names.
const MISSING_NAMED: usize = 10;

/// The crawl of archives that do not name one.
const UNKNOWN_CRAWL: &str = "unknown";

/// Endings of files that are taken out of a folder.
const ENDINGS: [&str; 5] = [
    ".warc",
    ".warc.gz",
    ".warc.zst",
    ".warc.gz.open",
    ".warc.open",
];

/// Finds all inputs, in order: arguments as given, folders and globs sorted,
/// then the list.
///
/// A stream whose crawl or subset is not known from its path or the request is
/// opened, and its first bytes are read. All other streams are opened when it is
/// their turn.
///
/// # Errors
///
/// [`ErrorKind::NoInput`], [`ErrorKind::UrlInput`], [`ErrorKind::SameName`],
/// [`ErrorKind::SameInput`], [`ErrorKind::NotBelow`], [`ErrorKind::MissingInputs`],
/// [`ErrorKind::SameStream`], [`ErrorKind::StreamResume`], [`ErrorKind::StreamName`],
/// [`ErrorKind::BaseWithoutList`], [`ErrorKind::PartitionName`], and
/// [`ErrorKind::Read`] for what does not exist and for streams that cannot be read.
pub fn find(request: &Request) -> Result<Vec<Input>, Error> {
    let mut found: Vec<Found> = Vec::new();
    for argument in &request.arguments {
        expand(argument, &mut found)?;
    }
    if let Some(list) = &request.paths {
        read_list(list, request.base.as_deref(), &mut found)?;
    } else if let Some(base) = &request.base {
        return Err(Error::new(ErrorKind::BaseWithoutList, base));
    }
    if found.is_empty() {
        let place = request
            .paths
            .clone()
            .unwrap_or_else(|| PathBuf::from("the command line"));
        return Err(Error::new(ErrorKind::NoInput, place));
    }
    for (key, value) in [("crawl", &request.crawl), ("subset", &request.subset)] {
        if let Some(value) = value.as_ref().filter(|value| !is_partition_name(value)) {
            let value = value.clone();
            return Err(Error::new(ErrorKind::PartitionName { key, value }, key));
        }
    }
    names::assign(&mut found, request)?;
    if let Some((index, count)) = request.shard {
        found = shard(found, index, count);
    }
    for input in &found {
        if let Origin::Stream(stream) = &input.origin
            && request.is_resumed
        {
            return Err(Error::new(ErrorKind::StreamResume, stream.place()));
        }
    }
    if !request.skips_missing {
        check_missing(&found, request)?;
    }
    let inputs = found.into_iter().map(|found| learn(found, request));
    inputs.collect()
}

/// Returns an error if files are not there.
fn check_missing(found: &[Found], request: &Request) -> Result<(), Error> {
    let is_missing = |input: &&Found| matches!(input.origin, Origin::Missing(_));
    let missing: Vec<&Found> = found.iter().filter(is_missing).collect();
    match missing.as_slice() {
        [] => Ok(()),
        [only] if !only.is_listed => {
            let path = only.origin.place();
            let error = fs::metadata(path).err();
            let error = error.unwrap_or_else(|| io::ErrorKind::NotFound.into());
            Err(Error::read(path, error))
        }
        _ => {
            let first = missing.iter().take(MISSING_NAMED);
            let kind = ErrorKind::MissingInputs {
                first: first.map(|input| input.origin.place().to_owned()).collect(),
                missing: missing.len(),
                inputs: found.len(),
            };
            Err(Error::new(kind, request.paths.clone().unwrap_or_default()))
        }
    }
}

/// Learns the crawl, the subset and the size of an input.
fn learn(found: Found, request: &Request) -> Result<Input, Error> {
    let Found { origin, name, .. } = found;
    let path = origin.place().to_string_lossy().into_owned();
    let mut crawl = request
        .crawl
        .clone()
        .or_else(|| crawl_of_path(&path))
        .or_else(|| crawl_of_path(&name));
    let mut subset = request
        .subset
        .clone()
        .or_else(|| subset_of_path(&path, &name));
    let is_known = crawl.is_some() && subset.is_some();
    if !(is_known || request.is_dry_run && matches!(origin, Origin::Stream(_))) {
        let info = read_info(&origin)?;
        crawl = crawl.or(info.crawl);
        subset = subset.or(info.subset);
    }
    let bytes = match &origin {
        Origin::File(path) => fs::metadata(path).ok().map(|metadata| metadata.len()),
        Origin::Stream(_) => None,
        Origin::Missing(_) => Some(0),
    };
    Ok(Input {
        origin,
        name,
        bytes,
        crawl: crawl.unwrap_or_else(|| UNKNOWN_CRAWL.to_owned()),
        subset: subset.unwrap_or_else(|| "warc".to_owned()),
    })
}

/// Checks that at least one input is an archive that can be read. Those that
/// are not are faults of a run, but a run over nothing else is a mistake.
///
/// # Errors
///
/// [`ErrorKind::NotAnArchive`] for the first input, if it holds for all, and
/// [`ErrorKind::Read`] for a stream that cannot be read.
pub fn check_kinds(inputs: &[Input]) -> Result<(), Error> {
    let mut first = None;
    for (i, input) in inputs.iter().enumerate() {
        let detected = match &input.origin {
            Origin::File(path) => match fs::File::open(path) {
                Ok(file) => detect(file),
                Err(_) => return Ok(()),
            },
            Origin::Missing(_) => continue,
            // To open one that is not the first could wait for a writer that
            // itself waits until the first was read.
            Origin::Stream(stream) if i > 0 && !stream.is_opened() => return Ok(()),
            Origin::Stream(stream) => {
                let detected = detect(stream.peek());
                if let Some(error) = stream.take_error() {
                    return Err(Error::read(stream.place(), error));
                }
                detected
            }
        };
        match detected {
            Ok(Err(error)) => {
                first.get_or_insert((input.origin.place(), error.kind().to_string()));
            }
            _ => return Ok(()),
        }
    }
    first.map_or(Ok(()), |(path, why)| {
        Err(Error::new(ErrorKind::NotAnArchive(why), path))
    })
}

/// Tells the kind of an archive from its first bytes, and reads more of it only
/// if they do not suffice.
fn detect(mut input: impl Read) -> io::Result<Result<warc::Compression, warc::Error>> {
    const HEAD_BYTES: u64 = 4096;
    let mut head = Vec::new();
    input.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    let detected = warc::detect(&head);
    if detected.is_ok() {
        return Ok(detected);
    }
    let most = PEEK_BYTES as u64 - HEAD_BYTES;
    input.take(most).read_to_end(&mut head)?;
    Ok(warc::detect(&head))
}

/// The I-th of N runs of consecutive inputs, from 1.
fn shard<T>(inputs: Vec<T>, index: usize, count: usize) -> Vec<T> {
    let from = inputs.len() * (index - 1) / count;
    let to = inputs.len() * index / count;
    inputs.into_iter().skip(from).take(to - from).collect()
}

fn expand(argument: &str, found: &mut Vec<Found>) -> Result<(), Error> {
    if argument == "-" {
        found.push(Found {
            origin: Origin::Stream(Stream::stdin()),
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
        Ok(_) => found.push(Found::argument(path.to_owned())?),
        Err(error) => {
            let pattern = glob::Pattern::new(argument).ok();
            let pattern = pattern.filter(|_| argument.contains(['*', '?', '[']));
            let Some(pattern) = pattern else {
                if !is_missing(&error) {
                    return Err(Error::read(path, error));
                }
                found.push(Found::argument(path.to_owned())?);
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

fn add_files(files: Vec<PathBuf>, found: &mut Vec<Found>) -> Result<(), Error> {
    for file in files {
        found.push(Found::argument(file)?);
    }
    Ok(())
}

/// Returns the files that a glob matches, sorted. With `**` its folder is
/// searched as a folder that is named is, so each folder once.
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

/// Returns true if a file that is found in a folder is taken for an archive.
fn is_archive_name(path: &Path) -> bool {
    let path = path.to_string_lossy();
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

fn read_list(list: &Path, base: Option<&str>, found: &mut Vec<Found>) -> Result<(), Error> {
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
        found.push(Found {
            origin: Origin::of(path.into())?,
            name: line.to_owned(),
            is_listed: true,
        });
    }
    Ok(())
}

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

/// The folder below `crawl-data`, or one named like a crawl.
fn crawl_of_path(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let below = parts
        .iter()
        .position(|part| *part == "crawl-data")
        .and_then(|at| parts.get(at + 1));
    let is_below_last = below.is_some_and(|part| parts.last() == Some(part));
    let folders = &parts[..parts.len() - 1];
    below
        .filter(|_| !is_below_last)
        .or_else(|| folders.iter().find(|part| looks_like_crawl(part)))
        .filter(|part| is_partition_name(part))
        .map(|part| (*part).to_owned())
}

/// `CC-MAIN-2025-38`, `CC-NEWS-2024-05`.
fn looks_like_crawl(part: &str) -> bool {
    let mut words = part.split('-');
    words.next() == Some("CC")
        && words.next().is_some_and(|word| {
            word.bytes().all(|byte| byte.is_ascii_uppercase()) && !word.is_empty()
        })
        && words
            .next()
            .is_some_and(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
        && words
            .next()
            .is_some_and(|word| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit()))
        && words.next().is_none()
}

/// A folder named as Common Crawl names subsets. `warc` is too common a name
/// to mean that anywhere but in Common Crawl's own tree.
fn subset_of_path(path: &str, name: &str) -> Option<String> {
    let has = |path: &str, subset: &str| {
        let mut folders = path.split('/').rev().skip(1);
        folders.any(|part| part == subset)
    };
    for subset in ["robotstxt", "crawldiagnostics"] {
        if has(path, subset) || has(name, subset) {
            return Some(subset.to_owned());
        }
    }
    let is_tree = name.contains("crawl-data/") || crawl_of_path(name).is_some();
    (is_tree && has(name, "warc")).then(|| "warc".to_owned())
}

/// What the first warcinfo record of an archive says.
#[derive(Debug, Default)]
struct Info {
    crawl: Option<String>,
    subset: Option<String>,
}

/// Bytes of a file that are read to find its warcinfo, at first.
const FIRST_BYTES: u64 = 16 << 10;

fn read_info(origin: &Origin) -> Result<Info, Error> {
    let mut reader = warc::Reader::new(warc::Limits::default());
    match origin {
        Origin::Missing(_) => return Ok(Info::default()),
        Origin::File(path) => {
            // A few kilobytes are enough nearly always, and there may be many files.
            let mut first = Vec::new();
            let read = fs::File::open(path)
                .and_then(|file| file.take(FIRST_BYTES).read_to_end(&mut first));
            let has_info = read.is_ok()
                && read_first(&mut reader, |it| {
                    it.open_stream(Box::new(io::Cursor::new(first)))
                });
            if !has_info && !read_first(&mut reader, |it| it.open_file(path)) {
                return Ok(Info::default());
            }
        }
        Origin::Stream(stream) => {
            let head = Box::new(stream.peek());
            let has_info = read_first(&mut reader, |reader| reader.open_stream(head));
            if let Some(error) = stream.take_error() {
                return Err(Error::read(stream.place(), error));
            }
            if !has_info {
                return Ok(Info::default());
            }
        }
    }
    let record = reader.record();
    let mut info = Info::default();
    for line in record.block().split(|&byte| byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim();
        let slot = match name.trim().to_ascii_lowercase().as_str() {
            "ispartof" => &mut info.crawl,
            "subset" => &mut info.subset,
            _ => continue,
        };
        // Folders are named after it: what could leave the output is no name.
        if slot.is_none() && is_partition_name(value) {
            *slot = Some(value.to_owned());
        }
    }
    Ok(info)
}

/// Opens an archive and reads its first record: whether it is a warcinfo. What
/// is wrong with an archive is said when it is read.
fn read_first(
    reader: &mut warc::Reader,
    open: impl FnOnce(&mut warc::Reader) -> Result<(), warc::Error>,
) -> bool {
    open(reader).is_ok()
        && matches!(reader.read_record(), Ok(true))
        && reader.record().record_type() == warc::RecordType::Warcinfo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawl_and_subset_come_from_the_path() {
        let path = "crawl-data/CC-MAIN-2025-38/segments/1/robotstxt/CC-MAIN-1.warc.gz";
        assert_eq!(crawl_of_path(path).as_deref(), Some("CC-MAIN-2025-38"));
        assert_eq!(subset_of_path(path, path).as_deref(), Some("robotstxt"));
        assert_eq!(
            crawl_of_path("/d/CC-NEWS-2024-05/x.warc.gz").as_deref(),
            Some("CC-NEWS-2024-05")
        );
        assert_eq!(crawl_of_path("/d/warc/x.warc.gz"), None);
        assert_eq!(crawl_of_path("crawl-data/x.warc.gz"), None);
        assert_eq!(subset_of_path("/d/warc/x.warc.gz", "x.warc.gz"), None);
        assert_eq!(
            subset_of_path("", "crawl-data/C/segments/1/warc/x").as_deref(),
            Some("warc")
        );
    }

    #[test]
    fn only_harmless_names_make_folders() {
        assert!(is_partition_name("CC-MAIN-2025-38") && is_partition_name("a.b_c"));
        for name in ["", "..", ".x", "a/b", "a=b'", "a b", "ä"] {
            assert!(!is_partition_name(name), "{name}");
        }
    }

    #[test]
    fn urls_are_refused_and_windows_paths_are_not() {
        assert!(refuse_url("s3://commoncrawl/x").is_err() && refuse_url("https://h/x").is_err());
        assert!(refuse_url("a/b.warc.gz").is_ok());
    }

    #[test]
    fn shards_are_runs_that_together_are_all() {
        let all: Vec<usize> = (0..7).collect();
        let parts: Vec<usize> = (1..=3)
            .flat_map(|index| shard(all.clone(), index, 3))
            .collect();
        assert_eq!(parts, all);
    }
}
