//! Inputs: which archives are read, what they are called, and to which crawl
//! and subset they belong.

use crate::error::{Error, ErrorKind};
use crate::stream::{PEEK_BYTES, Stream};
use crate::warc;
use std::collections::HashSet;
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
}

impl Origin {
    /// The origin that a path leads to. What is not there is taken for a file,
    /// which fails when it is opened.
    fn of(path: PathBuf) -> Self {
        match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
                Self::Stream(Stream::open(&path))
            }
            _ => Self::File(path),
        }
    }

    /// The path, or `standard input`, for messages.
    fn place(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Stream(stream) => stream.place(),
        }
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
}

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
/// [`ErrorKind::SameStream`], [`ErrorKind::StreamResume`], [`ErrorKind::StreamName`],
/// [`ErrorKind::BaseWithoutList`], [`ErrorKind::PartitionName`], and
/// [`ErrorKind::Read`] for what does not exist and for streams that cannot be read.
/// A file of the list that does not exist is an error of that input only,
/// when it is opened.
pub fn find(request: &Request) -> Result<Vec<Input>, Error> {
    let mut found: Vec<(Origin, String)> = Vec::new();
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
    name_streams(&mut found, request.name.as_deref())?;
    for (origin, _) in &found {
        if let Origin::Stream(stream) = origin
            && request.is_resumed
        {
            return Err(Error::new(ErrorKind::StreamResume, stream.place()));
        }
    }
    let mut names = HashSet::new();
    let mut inputs = Vec::with_capacity(found.len());
    for (origin, name) in found {
        if !names.insert(name.clone()) {
            return Err(Error::new(ErrorKind::SameName, name));
        }
        let path = match &origin {
            Origin::File(path) => path.to_string_lossy().into_owned(),
            Origin::Stream(stream) => stream.place().to_string_lossy().into_owned(),
        };
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
        };
        inputs.push(Input {
            origin,
            name,
            bytes,
            crawl: crawl.unwrap_or_else(|| UNKNOWN_CRAWL.to_owned()),
            subset: subset.unwrap_or_else(|| "warc".to_owned()),
        });
    }
    Ok(inputs)
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
fn detect(mut input: impl Read) -> io::Result<Result<warc::Container, warc::Error>> {
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

/// Names the streams: one with the name that was given for it, others that
/// have no name of their own by their number.
///
/// Descriptors such as `/dev/fd/63` are numbered by the shell, so they are no
/// names; the same command gives `stream-1`, `stream-2`, … in any shell.
fn name_streams(found: &mut [(Origin, String)], name: Option<&str>) -> Result<(), Error> {
    let is_stream = |(origin, _): &&mut (Origin, String)| matches!(origin, Origin::Stream(_));
    let mut streams: Vec<_> = found.iter_mut().filter(is_stream).collect();
    let mut identities = HashSet::new();
    for (origin, _) in &streams {
        if let Origin::Stream(stream) = origin
            && stream.identity().is_some_and(|it| !identities.insert(it))
        {
            return Err(Error::new(ErrorKind::SameStream, stream.place()));
        }
    }
    if let Some(name) = name {
        let [(_, own)] = streams.as_mut_slice() else {
            let streams = streams.len();
            return Err(Error::new(ErrorKind::StreamName { streams }, name));
        };
        name.clone_into(own);
        return Ok(());
    }
    let mut count = 0;
    for (origin, name) in streams {
        let place = origin.place();
        if STDIN_PATHS.iter().any(|path| place == Path::new(path)) {
            "-".clone_into(name);
        } else if DESCRIPTOR_FOLDERS
            .iter()
            .any(|folder| place.starts_with(folder))
        {
            count += 1;
            *name = format!("stream-{count}");
        }
    }
    Ok(())
}

/// Paths to standard input.
const STDIN_PATHS: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Folders of devices and descriptors, in which no name is that of an archive.
const DESCRIPTOR_FOLDERS: [&str; 2] = ["/dev", "/proc"];

/// The I-th of N runs of consecutive inputs, from 1.
pub fn shard(inputs: Vec<Input>, index: usize, count: usize) -> Vec<Input> {
    let from = inputs.len() * (index - 1) / count;
    let to = inputs.len() * index / count;
    inputs.into_iter().skip(from).take(to - from).collect()
}

fn expand(argument: &str, found: &mut Vec<(Origin, String)>) -> Result<(), Error> {
    if argument == "-" {
        found.push((Origin::Stream(Stream::stdin()), "-".to_owned()));
        return Ok(());
    }
    refuse_url(argument)?;
    let path = Path::new(argument);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let mut files = Vec::new();
            walk(path, &mut files)?;
            // A FIFO in a folder was not asked for: it may never have a writer.
            files.retain(|path| path.is_file());
            if files.is_empty() {
                return Err(Error::new(ErrorKind::NoInput, path));
            }
            found.extend(files.into_iter().map(with_name));
        }
        Ok(_) => found.push(with_name(path.to_owned())),
        Err(error) => {
            let paths = if argument.contains(['*', '?', '[']) {
                glob::glob(argument).ok()
            } else {
                None
            };
            let Some(paths) = paths else {
                return Err(Error::read(path, error));
            };
            let files: Vec<PathBuf> = paths
                .filter_map(Result::ok)
                .filter(|path| path.is_file())
                .collect();
            if files.is_empty() {
                return Err(Error::new(ErrorKind::NoInput, path));
            }
            found.extend(files.into_iter().map(with_name));
        }
    }
    Ok(())
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut paths: Vec<PathBuf> = entries
        .map_err(|error| Error::read(folder, error))?
        .iter()
        .map(fs::DirEntry::path)
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            walk(&path, files)?;
        } else if ENDINGS
            .iter()
            .any(|ending| path.to_string_lossy().ends_with(ending))
        {
            files.push(path);
        }
    }
    Ok(())
}

fn with_name(path: PathBuf) -> (Origin, String) {
    let text = path.to_string_lossy();
    let name = match text.find("crawl-data/") {
        Some(at) if at == 0 || text.as_bytes()[at - 1] == b'/' => text[at..].to_owned(),
        _ => path.file_name().map_or_else(
            || text.to_string(),
            |name| name.to_string_lossy().into_owned(),
        ),
    };
    (Origin::of(path), name)
}

fn read_list(
    list: &Path,
    base: Option<&str>,
    found: &mut Vec<(Origin, String)>,
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
        found.push((Origin::of(path.into()), line.to_owned()));
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

/// Whether a text can be the value of a partition column, as a folder's name.
pub fn is_partition_name(text: &str) -> bool {
    (1..=100).contains(&text.len())
        && !text.starts_with('.')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
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
        Origin::File(path) => {
            // A few kilobytes are enough nearly always, and there may be many files.
            let mut first = Vec::new();
            let read = fs::File::open(path)
                .and_then(|file| file.take(FIRST_BYTES).read_to_end(&mut first));
            let has_info = read.is_ok()
                && read_first(&mut reader, |it| {
                    it.open_stream(Box::new(io::Cursor::new(first)))
                });
            if !has_info && !read_first(&mut reader, |it| it.open_file(path, None)) {
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
        && reader.record().kind() == warc::Kind::Warcinfo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_path_below_crawl_data_or_the_base_name() {
        let name = |path: &str| with_name(path.into()).1;
        assert_eq!(
            name("/d/crawl-data/CC-MAIN-2025-38/x.warc.gz"),
            "crawl-data/CC-MAIN-2025-38/x.warc.gz"
        );
        assert_eq!(name("crawl-data/a/x.warc.gz"), "crawl-data/a/x.warc.gz");
        assert_eq!(name("/d/not-crawl-data/x.warc.gz"), "x.warc.gz");
    }

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
        let input = |n: usize| Input {
            origin: Origin::File(PathBuf::new()),
            name: n.to_string(),
            bytes: None,
            crawl: String::new(),
            subset: String::new(),
        };
        let all: Vec<Input> = (0..7).map(input).collect();
        let parts: Vec<Input> = (1..=3)
            .flat_map(|index| shard(all.clone(), index, 3))
            .collect();
        assert_eq!(parts, all);
    }
}
