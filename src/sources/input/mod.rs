//! Inputs of a run: the archives that are read, with their names, sizes, crawls
//! and subsets.
//!
//! [`find_inputs`] expands the arguments and the list of paths of [`InputOptions`] into
//! [`Input`]s. `names.rs` gives each input the name that identifies its captures
//! (`warc_filename`), `list.rs` expands folders, globs and lists of paths,
//! `record_list.rs` and `body_tables.rs` find the inputs of lists of records and of tables of bodies, and
//! `partition.rs` and `warcinfo.rs` find the crawl and the subset in the path and in
//! the first record of an archive.

mod body_tables;
mod list;
mod names;
mod partition;
mod record_list;
mod warcinfo;

use crate::InputPlace;
use crate::error::SourceErrorKind;
use crate::place::{is_missing, parse_url};
use crate::reader::{Archive, Source, requested_ranges};
use crate::stream::PEEK_BYTES;
use crate::table_file::ColumnNames;
pub use body_tables::{BODY_COLUMN_KEYS, find_bodies};
use dataset::division::{Sample, Shard};
use disk::without_secrets;
use errors::Error;
use partition::{find_crawl_in_path, find_subset_in_path};
use process::open_files;
use process::start_thread_pool;
use rayon::prelude::*;
pub use record_list::{MAX_INPUT_RECORDS, RECORD_COLUMN_KEYS, find_records};
use remote::{Remote, RemoteUrl, has_scheme};
use std::fs;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
pub use tables::is_partition_name;
use warcinfo::Warcinfo;
use xxhash_rust::xxh3::Xxh3;

/// An input with a name, before its crawl and subset are known.
struct NamedInput {
    place: InputPlace,
    name: String,
    /// True if the input is a line of a list of paths. The line is its name.
    is_listed: bool,
}

impl NamedInput {
    fn from_url(url: RemoteUrl) -> Self {
        Self {
            name: names::name_from_path(url.display_path()),
            place: InputPlace::Remote(url),
            is_listed: false,
        }
    }

    fn from_path(path: PathBuf) -> Result<Self, Error> {
        Ok(Self {
            name: names::name_from_path(&path),
            place: InputPlace::from_path(path)?,
            is_listed: false,
        })
    }
}

/// An archive, or a table, to be read.
#[derive(Clone, Debug)]
pub struct Input {
    /// The index of the input among all inputs, including those of other shards. The first input has the index
    /// [`InputOptions::first_input`].
    pub index: u64,
    /// The source that is read: the archive, some of its records, or a table.
    pub source: Arc<dyn Source>,
    /// The name, `warc_filename` in the tables.
    pub name: String,
    /// The size in bytes of what is read; `None` if it cannot be known.
    pub bytes: Option<u64>,
    /// The crawl: the value of the partition column `crawl`.
    pub crawl: String,
    /// The subset of the crawl: the value of the partition column `subset`.
    pub subset: String,
}

impl Input {
    /// Returns the place of its bytes.
    pub fn place(&self) -> &InputPlace {
        self.source.place()
    }

    /// Returns the byte ranges that are requested from a server; `None` for the whole input.
    pub fn requested_ranges(&self) -> Option<Vec<Range<u64>>> {
        requested_ranges(&*self.source)
    }

    /// Returns an error if a file was not read completely although its reading
    /// ended at `position`: its size has changed, or reading ended before its end.
    pub fn check_fully_read(&self, position: u64) -> Option<io::Error> {
        let (InputPlace::File(path), Some(before)) = (self.place(), self.bytes) else {
            return None;
        };
        if !self.source.is_read_whole() {
            return None;
        }
        // A file that was removed while it was open could still be read to its end.
        let now = fs::metadata(path).map_or(before, |metadata| metadata.len());
        if now != before {
            let why =
                format!("it changed since the run began: it had {before} bytes and has {now}");
            return Some(io::Error::other(why));
        }
        // `position` is `u64::MAX` for a file that is not an archive.
        let why = format!("only {position} of its {before} bytes were read");
        (position < before).then(|| io::Error::other(why))
    }
}

/// The choice of inputs, with the options that determine their names.
#[derive(Clone, Debug, Default)]
pub struct InputOptions {
    /// The names of the columns of a list of records.
    pub columns: ColumnNames,
    /// Files, folders, globs and URLs; `-` for standard input.
    pub arguments: Vec<String>,
    /// The path or URL of a list of archives: a text, plain or gzip, with one path or URL per line.
    pub paths: Option<PathBuf>,
    /// The prefix for each line of the list: a folder, or a URL.
    pub base: Option<String>,
    /// The crawl of all inputs. It takes precedence over paths and archives.
    pub crawl: Option<String>,
    /// The subset of all inputs. It takes precedence over paths and archives.
    pub subset: Option<String>,
    /// The name of the only stream among the inputs; `None` for its default name.
    pub name: Option<String>,
    /// If true, streams are not opened. Their crawl and subset stay unknown unless
    /// the options or their paths contain them.
    pub is_dry_run: bool,
    /// If true, streams are an error, since the run that is resumed has already
    /// consumed them.
    pub is_resumed: bool,
    /// The folder to which the names of files are relative; `None` for the default names.
    pub relative_to: Option<PathBuf>,
    /// If true, each file that does not exist becomes a fault. If false, such files are an error.
    pub skips_missing: bool,
    /// The index of the first input of the list.
    pub first_input: u64,
    /// The sample that is read; `None` reads all inputs.
    pub sample: Option<Sample>,
    /// The shard that is read; `None` reads all shards.
    pub shard: Option<Shard>,
    /// The client that reads a list at a URL. If it is `None`, a list at a URL is an error.
    pub remote: Option<Arc<Remote>>,
    /// The number of threads that read the first records of archives; at least one is used.
    pub threads: usize,
}

impl InputOptions {
    /// Returns the path or URL of the list of archives for messages, without secrets; empty if there is no list.
    fn printable_list(&self) -> PathBuf {
        let list = self.paths.clone().unwrap_or_default();
        if has_scheme(&list.to_string_lossy()) {
            without_secrets(&list.to_string_lossy()).into()
        } else {
            list
        }
    }
}

/// The inputs of a run.
#[derive(Clone, Debug, Default)]
pub struct FoundInputs {
    /// The inputs that are read.
    pub inputs: Vec<Input>,
    /// The number of all inputs, also of those that are not in the sample or in the shard.
    pub listed_inputs: u64,
    /// The XXH3-64 of the names of all inputs of the sample, also of those of other shards, in
    /// hexadecimal.
    pub list_digest: String,
    /// True if any input of the sample, also of other shards, is on a server.
    pub has_urls: bool,
}

/// The limit of the index of an input, which must be lower: `robots_id` has 53 bits, of which 32 number the captures of
/// an input.
pub const MAX_INPUTS: u64 = 1 << 21;

/// The least number of archives whose first records are read by one reader.
const MIN_INPUTS_PER_READER: usize = 16;

/// The number of missing inputs that an error lists. Any further ones are only counted.
const LISTED_MISSING_INPUTS: usize = 10;

/// The crawl of archives without any information about their crawl.
const UNKNOWN_CRAWL: &str = "unknown";

/// Returns the inputs in their order: first the arguments as given, with the
/// files of folders and globs sorted by path, then the lines of the list.
///
/// A stream is opened here, and its first bytes are read, if its crawl or subset
/// follows neither from the options nor from its path. Other streams are opened
/// when the run reads them.
///
/// # Errors
///
/// [`SourceErrorKind::NoInput`], [`SourceErrorKind::UrlInput`], [`SourceErrorKind::SameName`],
/// [`SourceErrorKind::SameInput`], [`SourceErrorKind::NotBelow`], [`SourceErrorKind::MissingInputs`],
/// [`SourceErrorKind::SameStream`], [`SourceErrorKind::StreamResume`], [`SourceErrorKind::StreamName`],
/// [`SourceErrorKind::BaseWithoutList`], [`SourceErrorKind::PartitionName`],
/// [`SourceErrorKind::TooManyInputs`],
/// [`SourceErrorKind::UnknownCrawl`], [`SourceErrorKind::UnsafeLine`], [`RemoteErrorKind::AccessDenied`](remote::error::RemoteErrorKind::AccessDenied),
/// [`ErrorKind::Threads`](errors::ErrorKind::Threads), and
/// [`ErrorKind::Read`](errors::ErrorKind::Read) for a path or list that does not exist or cannot be read.
pub fn find_inputs(options: &InputOptions) -> Result<FoundInputs, Error> {
    let mut found: Vec<NamedInput> = Vec::new();
    for argument in &options.arguments {
        list::expand_argument(argument, &mut found)?;
    }
    if let Some(list) = &options.paths {
        list::read_paths(list, options, &mut found)?;
    } else if let Some(base) = &options.base {
        return Err(Error::new(
            SourceErrorKind::BaseWithoutList,
            without_secrets(base),
        ));
    }
    if found.is_empty() {
        let path = options.printable_list();
        return Err(Error::new(SourceErrorKind::NoInput, path));
    }
    for (key, value) in [("crawl", &options.crawl), ("subset", &options.subset)] {
        if let Some(value) = value.as_ref().filter(|value| !is_partition_name(value)) {
            let value = value.clone();
            return Err(Error::new(
                SourceErrorKind::PartitionName { key, value },
                key,
            ));
        }
    }
    names::assign_names(&mut found, options)?;
    let end = options.first_input.saturating_add(found.len() as u64);
    if end > MAX_INPUTS {
        let kind = SourceErrorKind::TooManyInputs {
            inputs: found.len(),
            first_input: options.first_input,
            limit: MAX_INPUTS,
        };
        return Err(Error::new(kind, options.printable_list()));
    }
    let listed_inputs = found.len();
    let mut found: Vec<(u64, NamedInput)> = (options.first_input..).zip(found).collect();
    if let Some(sample) = options.sample {
        let names = found.iter().map(|(_, input)| input.name.as_str());
        let mut chosen = sample.choose_indexes(names).into_iter().peekable();
        let mut index = 0;
        found.retain(|_| {
            index += 1;
            chosen.next_if_eq(&(index - 1)).is_some()
        });
    }
    let is_url = |(_, input): &(u64, NamedInput)| input.place.url().is_some();
    let has_urls = found.iter().any(is_url);
    let mut hasher = Xxh3::new();
    for (_, input) in &found {
        hasher.update(input.name.as_bytes());
        hasher.update(b"\n");
    }
    let list_digest = format!("{:016x}", hasher.digest());
    if let Some(shard) = options.shard {
        let range = shard.range(found.len());
        found.truncate(range.end);
        found.drain(..range.start);
    }
    for (_, input) in &found {
        if let InputPlace::Stream(stream) = &input.place
            && options.is_resumed
        {
            return Err(Error::new(
                SourceErrorKind::StreamResume,
                stream.display_path(),
            ));
        }
    }
    if !options.skips_missing {
        check_all_exist(&found, options)?;
    }
    Ok(FoundInputs {
        listed_inputs: listed_inputs as u64,
        list_digest,
        has_urls,
        inputs: complete_inputs(found, options)?,
    })
}

/// Determines the crawls, the subsets and the sizes of inputs. There may be many archives, so they
/// are opened on all threads. Streams are opened in their order: opening a FIFO may wait for a writer
/// that waits until the one before was read.
fn complete_inputs(
    found: Vec<(u64, NamedInput)>,
    options: &InputOptions,
) -> Result<Vec<Input>, Error> {
    let new_reader = || warc::Reader::new(warc::Limits::default());
    let is_stream = |(_, input): &(u64, NamedInput)| input.place.is_stream();
    // A thread may have two archives open, because it opens the next one before it closes the previous one.
    let threads = options.threads.min(open_files::count_free() / 2).max(1);
    if threads == 1 || found.len() <= MIN_INPUTS_PER_READER || found.iter().any(is_stream) {
        let mut reader = new_reader();
        let inputs = found.into_iter();
        return inputs
            .map(|(index, input)| complete_input(index, input, options, &mut reader))
            .collect();
    }
    let pool = start_thread_pool(threads, options.printable_list())?;
    let inputs: Vec<Result<Input, Error>> = pool.install(|| {
        let inputs = found.into_par_iter().with_min_len(MIN_INPUTS_PER_READER);
        inputs
            .map_init(new_reader, |reader, (index, input)| {
                complete_input(index, input, options, reader)
            })
            .collect()
    });
    inputs.into_iter().collect()
}

/// Returns an error if any file does not exist.
fn check_all_exist(found: &[(u64, NamedInput)], options: &InputOptions) -> Result<(), Error> {
    let is_missing = |input: &&NamedInput| matches!(input.place, InputPlace::Missing(_));
    let inputs = found.iter().map(|(_, input)| input);
    let missing: Vec<&NamedInput> = inputs.filter(is_missing).collect();
    match missing.as_slice() {
        [] => Ok(()),
        [only] if !only.is_listed => {
            let path = only.place.display_path();
            let error = fs::metadata(path).err();
            let error = error.unwrap_or_else(|| io::ErrorKind::NotFound.into());
            Err(Error::read(path, error))
        }
        _ => {
            let first = missing.iter().take(LISTED_MISSING_INPUTS);
            let kind = SourceErrorKind::MissingInputs {
                first: first
                    .map(|input| input.place.display_path().to_owned())
                    .collect(),
                missing: missing.len(),
                inputs: found.len(),
            };
            Err(Error::new(kind, options.printable_list()))
        }
    }
}

/// Determines the crawl, the subset and the size of an input.
fn complete_input(
    index: u64,
    input: NamedInput,
    options: &InputOptions,
    reader: &mut warc::Reader,
) -> Result<Input, Error> {
    let NamedInput { place, name, .. } = input;
    let path = place.display_path().to_string_lossy().into_owned();
    let mut crawl = options
        .crawl
        .clone()
        .or_else(|| find_crawl_in_path(&path))
        .or_else(|| find_crawl_in_path(&name));
    let mut subset = options
        .subset
        .clone()
        .or_else(|| find_subset_in_path(&path, &name));
    let is_known = crawl.is_some() && subset.is_some();
    if let Some(url) = place.url().filter(|_| !is_known) {
        return Err(Error::new(
            SourceErrorKind::UnknownCrawl,
            url.display_path(),
        ));
    }
    if !(is_known || options.is_dry_run && place.is_stream()) {
        let warcinfo = Warcinfo::read(&place, reader)?;
        crawl = crawl.or(warcinfo.crawl);
        subset = subset.or(warcinfo.subset);
    }
    let bytes = match &place {
        InputPlace::File(path) => fs::metadata(path).ok().map(|metadata| metadata.len()),
        InputPlace::Stream(_) | InputPlace::Remote(_) => None,
        InputPlace::Missing(_) => Some(0),
    };
    Ok(Input {
        index,
        source: Arc::new(Archive { place }),
        name,
        bytes,
        crawl: crawl.unwrap_or_else(|| UNKNOWN_CRAWL.to_owned()),
        subset: subset.unwrap_or_else(|| "warc".to_owned()),
    })
}

/// Checks that at least one input is an archive that can be read. A run reports
/// each input that is not an archive as a fault, but a run without any archive is an error.
///
/// # Errors
///
/// [`SourceErrorKind::NotAnArchive`] for the first input, if no input is an archive;
/// [`ErrorKind::Read`](errors::ErrorKind::Read) for a stream that cannot be read.
pub fn check_archives(inputs: &[Input]) -> Result<(), Error> {
    let mut first = None;
    for (i, input) in inputs.iter().enumerate() {
        // Another kind of source finds out itself whether it can read the input.
        if !input.source.is_read_whole() {
            return Ok(());
        }
        let detected = match input.place() {
            InputPlace::File(path) => match fs::File::open(path) {
                Ok(file) => detect_compression(file),
                Err(_) => return Ok(()),
            },
            InputPlace::Missing(_) => continue,
            InputPlace::Remote(_) => return Ok(()),
            // Opening a later FIFO could wait for a writer that itself waits until
            // the first input has been read.
            InputPlace::Stream(stream) if i > 0 && !stream.is_opened() => return Ok(()),
            InputPlace::Stream(stream) => {
                let detected = detect_compression(stream.peek());
                if let Some(error) = stream.take_error() {
                    return Err(Error::read(stream.display_path(), error));
                }
                detected
            }
        };
        match detected {
            Ok(Err(error)) => {
                first.get_or_insert((input.place().display_path(), error.kind()));
            }
            _ => return Ok(()),
        }
    }
    first.map_or(Ok(()), |(path, kind)| {
        Err(Error::new(SourceErrorKind::NotAnArchive(kind), path))
    })
}

/// Detects the compression of an archive from its first bytes. Reads more bytes
/// only if the first are not sufficient.
fn detect_compression(mut input: impl Read) -> io::Result<Result<warc::Compression, warc::Error>> {
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
