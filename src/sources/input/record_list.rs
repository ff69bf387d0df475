//! Lists of records by address: the inputs of a run that reads single records of archives.
//!
//! A list has the columns of the columnar index of Common Crawl, of the answers of its CDX server, or of the
//! table `robots_files`. Each archive becomes one or more inputs with the addresses of its records; the inputs are in
//! the order of crawl, subset and archive, whatever the order of the list.

use super::list::{FetchedList, check_remote_line, strip_query};
use super::names::name_from_line;
use super::{
    FoundInputs, Input, InputOptions, MAX_INPUTS, NamedInput, check_all_exist, complete_inputs,
    is_partition_name, list, parse_url,
};
use crate::InputPlace;
use crate::error::{SourceErrorKind, TableDefect, UnsafeLineReason};
use crate::reader::{MAX_GAP_BYTES, RecordAddress, RecordsOfArchive};
use crate::table_file::{ColumnNames, RowStatus, TableReader, Value, WantedColumn, shorten};
use disk::without_secrets;
use errors::Error;
use remote::{Scheme, has_scheme};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// The keys of the columns whose names the user can give.
pub const RECORD_COLUMN_KEYS: [&str; 5] = ["archive", "offset", "length", "crawl", "subset"];

/// The server of the archives of Common Crawl.
const COMMON_CRAWL_BASE: &str = "https://data.commoncrawl.org/";

/// The beginning of the names of archives of Common Crawl.
const COMMON_CRAWL_NAME_PREFIX: &str = "crawl-data/";

/// The most records of a run. They are held in memory, with 40 bytes each.
const MAX_LISTED_RECORDS: usize = 10_000_000;

/// The longest record in bytes that is read. A list with a longer one is refused.
const MAX_LISTED_RECORD_BYTES: i64 = 64 << 20;

/// The longest name of an archive in bytes: the longest path of Linux.
const MAX_ARCHIVE_NAME_BYTES: usize = 4096;

/// The most bytes of the names of archives that are held in memory. A name counts once for each input of its archive.
const MAX_NAMES_BYTES: u64 = 128 << 20;

/// The most bytes of names of archives for each byte of the lists, in addition to [`FREE_NAMES_BYTES`]. A
/// list in gzip with one record of each archive of Common Crawl has a ratio of 12.
const MAX_NAMES_RATIO: u64 = 64;
/// The bytes of names of archives that are allowed, however small the lists are.
const FREE_NAMES_BYTES: u64 = 16 << 20;

/// The most bytes of a list that is fetched, or read from standard input.
const MAX_RECORD_LIST_BYTES: u64 = 4 << 30;

/// The most records of an input, and the most records that are read for one part of the dataset.
pub const MAX_INPUT_RECORDS: usize = 100_000;

/// The most bytes that are fetched from a server for an input, unless it has only one record. All of them may be held
/// in memory.
const MAX_INPUT_BYTES: u64 = 16 << 20;

/// A record of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ListedRecord {
    /// The index of the name of the crawl in [`Records::partitions`].
    crawl: Option<u32>,
    /// The index of the name of the subset in [`Records::partitions`].
    subset: Option<u32>,
    /// The index in [`Records::archives`].
    archive: u32,
    address: RecordAddress,
}

/// The records of all lists, with the names of their archives, crawls and subsets.
#[derive(Default)]
struct Records {
    records: Vec<ListedRecord>,
    archives: NameInterner,
    /// The names of crawls and subsets.
    partitions: NameInterner,
    /// The most bytes that the names of archives in the lists so far may have.
    archive_bytes_max: u64,
    /// The size in bytes of the lists so far.
    list_bytes: u64,
}

/// Names without duplicates, each of which is held once.
#[derive(Default)]
struct NameInterner {
    texts: Vec<String>,
    /// The indexes in `texts` by the hash of the text. If another text has the same hash, the next free number is used.
    indexes: HashMap<u64, u32>,
    hasher: RandomState,
    /// The bytes of all texts.
    bytes: u64,
}

impl NameInterner {
    fn insert(&mut self, text: &str) -> u32 {
        let mut hash = self.hasher.hash_one(text);
        while let Some(&index) = self.indexes.get(&hash) {
            if self.texts[index as usize] == text {
                return index;
            }
            hash = hash.wrapping_add(1);
        }
        let index = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.bytes += text.len() as u64;
        self.indexes.insert(hash, index);
        index
    }
}

/// The path of a list, and the options for reading its rows.
#[derive(Clone, Copy)]
struct ListContext<'a> {
    path: &'a Path,
    /// The folder or URL that is put before the names of archives, if the user gives one.
    base: Option<&'a str>,
    columns: &'a ColumnNames,
    /// True if the list is at a URL. Then it must not refer to files of this machine.
    is_remote: bool,
}

/// Returns the inputs of some lists of records; `-` is standard input. Of the options, `base`, `columns`, `crawl`,
/// `subset`, `skips_missing`, `remote` and `threads` have an effect. Without a base, an archive whose name begins with
/// `crawl-data/` is at Common Crawl, and any other is a file in the working folder.
///
/// # Errors
///
/// [`ErrorKind::Read`](errors::ErrorKind::Read), [`SourceErrorKind::NotATable`]; [`SourceErrorKind::BadRow`] for a row
/// without an address, or with one that no record can have; [`SourceErrorKind::RepeatedRecord`],
/// [`SourceErrorKind::OverlappingRecords`], [`SourceErrorKind::TooManyRecords`], [`SourceErrorKind::LongNames`],
/// [`SourceErrorKind::UnsafeLine`] also for a file that a list at a URL names without a base, and those of
/// [`find_inputs`](super::find_inputs).
pub fn find_records(lists: &[String], options: &InputOptions) -> Result<FoundInputs, Error> {
    for (key, value) in [("crawl", &options.crawl), ("subset", &options.subset)] {
        if let Some(value) = value.as_ref().filter(|value| !is_partition_name(value)) {
            let value = value.clone();
            return Err(Error::new(
                SourceErrorKind::PartitionName { key, value },
                key,
            ));
        }
    }
    let mut records = Records::default();
    for list in lists {
        let (file, path) = open_list(list, options)?;
        let place = ListContext {
            path: &path,
            base: options.base.as_deref(),
            columns: &options.columns,
            is_remote: has_scheme(list),
        };
        read_list(file, place, MAX_LISTED_RECORDS, &mut records)?;
    }
    let list_path: PathBuf = match lists {
        [only] => without_secrets(only).into(),
        _ => "the lists".into(),
    };
    if records.records.is_empty() {
        let kind = SourceErrorKind::NotATable(TableDefect::other("it has no rows"));
        return Err(Error::new(kind, list_path));
    }
    let inputs = make_inputs(records, options, &list_path)?;
    let has_urls = inputs.iter().any(|input| input.place().url().is_some());
    Ok(FoundInputs {
        listed_inputs: inputs.len() as u64,
        list_digest: compute_digest(&inputs),
        inputs,
        has_urls,
    })
}

/// Returns a list as a regular file, with its path for messages. A list at a URL or on standard input is first
/// written to a temporary file.
fn open_list(list: &str, options: &InputOptions) -> Result<(File, PathBuf), Error> {
    let url = match list {
        "-" => None,
        _ => parse_url(list)?,
    };
    if let Some(url) = url {
        let path = url.display_path().to_owned();
        let remote = options.remote.as_deref();
        let mut fetched = FetchedList::fetch(&url, remote, MAX_RECORD_LIST_BYTES)?;
        let file = spool(&mut fetched, &path, MAX_RECORD_LIST_BYTES)?;
        return Ok((file, path));
    }
    let path = match list {
        "-" => Path::new("standard input"),
        _ => Path::new(list),
    };
    let read_error = |error| Error::read(path, error);
    let mut source: Box<dyn io::Read> = match list {
        "-" => Box::new(io::stdin()),
        _ => {
            let file = File::open(path).map_err(read_error)?;
            let metadata = file.metadata().map_err(read_error)?;
            if metadata.is_dir() {
                return Err(read_error(io::ErrorKind::IsADirectory.into()));
            }
            if metadata.is_file() {
                return Ok((file, path.to_owned()));
            }
            Box::new(file)
        }
    };
    let file = spool(source.as_mut(), path, MAX_RECORD_LIST_BYTES)?;
    Ok((file, path.to_owned()))
}

/// Writes a stream of at most `bytes_max` bytes to a temporary file. `path` is the name of the stream for messages.
fn spool(source: &mut dyn io::Read, path: &Path, bytes_max: u64) -> Result<File, Error> {
    let read_error = |error| Error::read(path, error);
    let temp_error = |error| Error::write(std::env::temp_dir(), error);
    let mut file = tempfile::tempfile().map_err(temp_error)?;
    let mut limited = io::Read::take(source, bytes_max + 1);
    let bytes = io::copy(&mut limited, &mut file).map_err(read_error)?;
    if bytes > bytes_max {
        let why = format!("it has more than {bytes_max} bytes");
        return Err(read_error(io::Error::other(why)));
    }
    Ok(file)
}

/// The columns of a list. Default names are those of the columnar index, then those of the CDX server.
fn list_columns(names: &ColumnNames) -> [WantedColumn; 5] {
    [
        names
            .required("archive", &["warc_filename", "filename"])
            .of_text(),
        names.required("offset", &["warc_record_offset", "offset"]),
        names.required("length", &["warc_record_length", "length"]),
        names.optional("crawl", &["crawl"]),
        names.optional("subset", &["subset"]),
    ]
}

fn read_list(
    file: File,
    place: ListContext<'_>,
    limit: usize,
    records: &mut Records,
) -> Result<(), Error> {
    let path = place.path;
    let metadata = file.metadata().map_err(|error| Error::read(path, error))?;
    records.count_list_bytes(metadata.len());
    let mut table = TableReader::open(file, path, &list_columns(place.columns), None)?;
    loop {
        let refuse = |row: u64, reason| Error::new(SourceErrorKind::BadRow { row, reason }, path);
        match table.advance()? {
            RowStatus::End => return Ok(()),
            RowStatus::Malformed(reason) => return Err(refuse(table.row_no(), reason)),
            RowStatus::Lost(error) => return Err(error),
            RowStatus::Row => {}
        }
        let row = table.row_no();
        if records.records.len() == limit {
            return Err(Error::new(SourceErrorKind::TooManyRecords { limit }, path));
        }
        let record =
            read_record(&table, place.base, records).map_err(|reason| refuse(row, reason))?;
        records.push(record, row, place)?;
    }
}

impl Records {
    /// Counts the bytes of a list, which increase the limit for the names of archives.
    fn count_list_bytes(&mut self, bytes: u64) {
        self.list_bytes = self.list_bytes.saturating_add(bytes);
        let paid = self.list_bytes.saturating_mul(MAX_NAMES_RATIO);
        let paid = paid.saturating_add(FREE_NAMES_BYTES);
        self.archive_bytes_max = paid.min(MAX_NAMES_BYTES);
    }

    /// Adds the record of a row, after checking the limits for names. The names of the row were inserted before.
    fn push(
        &mut self,
        record: ListedRecord,
        row: u64,
        place: ListContext<'_>,
    ) -> Result<(), Error> {
        let refuse = |kind| Err(Error::new(kind, place.path));
        let archives = self.archives.texts.len().max(self.partitions.texts.len());
        if archives as u64 > MAX_INPUTS {
            return refuse(SourceErrorKind::TooManyInputs {
                inputs: archives,
                first_input: 0,
                limit: MAX_INPUTS,
            });
        }
        if self.archives.bytes > self.archive_bytes_max {
            return refuse(SourceErrorKind::LongNames {
                row: Some(row),
                bytes_max: self.archive_bytes_max,
            });
        }
        let name = &self.archives.texts[record.archive as usize];
        if place.is_remote && archive_base(name, place.base).is_none() {
            return refuse(SourceErrorKind::UnsafeLine {
                line: without_secrets(name),
                reason: UnsafeLineReason::LocalFile,
            });
        }
        self.records.push(record);
        Ok(())
    }
}

/// Reads the record of a row.
///
/// # Errors
///
/// The reason why the row is refused.
fn read_record(
    table: &TableReader,
    base: Option<&str>,
    records: &mut Records,
) -> Result<ListedRecord, String> {
    let text = |column: usize| match table.value(column) {
        Value::Text(text) => std::str::from_utf8(text).map(str::trim).ok(),
        _ => None,
    };
    let archive = text(0).map(|name| name_from_line(name, base));
    let archive = archive.filter(|name| !name.is_empty());
    let archive = archive.ok_or("it has no name of an archive")?;
    if archive.len() > MAX_ARCHIVE_NAME_BYTES {
        return Err(format!(
            "its name of an archive has {} bytes",
            archive.len()
        ));
    }
    let number = |column: usize, name: &str, range: std::ops::RangeInclusive<i64>| {
        let value = table.value(column).number();
        let value =
            value.map_err(|value| format!("the {name} is {value}, which is not a number"))?;
        let value = value.ok_or_else(|| format!("it has no {name}"))?;
        if range.contains(&value) {
            Ok(value.cast_unsigned())
        } else {
            Err(format!(
                "the {name} is {value}; it must be from {} to {}",
                range.start(),
                range.end()
            ))
        }
    };
    let address = RecordAddress {
        offset: number(1, "offset", 0..=i64::MAX - MAX_LISTED_RECORD_BYTES)?,
        length: number(2, "length", 1..=MAX_LISTED_RECORD_BYTES)?,
    };
    let mut partition = |column: usize, name: &str| {
        let Some(value) = text(column).filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        if is_partition_name(value) {
            Ok(Some(records.partitions.insert(value)))
        } else {
            Err(format!(
                "{} is not a valid name of a {name}; give --{name}",
                shorten(value.as_bytes())
            ))
        }
    };
    Ok(ListedRecord {
        crawl: partition(3, "crawl")?,
        subset: partition(4, "subset")?,
        archive: records.archives.insert(&archive),
        address,
    })
}

/// The records of one archive for which the lists state the same crawl and subset.
struct ArchiveRecords {
    /// The index of the name of the archive in [`Records::archives`].
    archive: u32,
    crawl: Option<String>,
    subset: Option<String>,
    addresses: Vec<RecordAddress>,
}

/// Returns the inputs of the records, in the order of crawl, subset and archive.
fn make_inputs(listed: Records, options: &InputOptions, list: &Path) -> Result<Vec<Input>, Error> {
    let Records {
        mut records,
        archives: NameInterner { mut texts, .. },
        partitions,
        ..
    } = listed;
    records.sort_unstable_by_key(|record| (record.archive, record.address));
    for two in records.windows(2) {
        if two[0].archive == two[1].archive && two[0].address.range().end > two[1].address.offset {
            let archive = mem::take(&mut texts[two[0].archive as usize]);
            let base = archive_base(&archive, options.base.as_deref());
            let archive = if base.is_some_and(has_scheme) {
                without_secrets(&archive)
            } else {
                archive
            };
            return Err(overlap_error(archive, two[0], two[1], list));
        }
    }
    // An archive may have records of several crawls, each of which has an input.
    records.sort_by_key(|record| (record.archive, record.crawl, record.subset));
    let partition = |index: Option<u32>| index.map(|i| partitions.texts[i as usize].clone());
    let (mut archives, mut named) = (Vec::new(), Vec::new());
    let mut groups = records
        .chunk_by(|a, b| (a.archive, a.crawl, a.subset) == (b.archive, b.crawl, b.subset))
        .peekable();
    while let Some(group) = groups.next() {
        let first = group[0];
        let text = &mut texts[first.archive as usize];
        let is_used_again = groups
            .peek()
            .is_some_and(|next| next[0].archive == first.archive);
        let name = if is_used_again {
            text.clone()
        } else {
            mem::take(text)
        };
        named.push((0, find_archive(name, options, list)?));
        archives.push(ArchiveRecords {
            archive: first.archive,
            crawl: partition(first.crawl),
            subset: partition(first.subset),
            addresses: group.iter().map(|record| record.address).collect(),
        });
    }
    drop(records);
    check_names(&named, &archives)?;
    check_input_limits(&named, &archives, list)?;
    if !options.skips_missing {
        check_all_exist(&named, options)?;
    }
    let completed = complete_listed(named, &archives, options)?;
    let mut inputs: Vec<Input> = Vec::new();
    for (input, archive) in completed.into_iter().zip(archives) {
        let is_remote = input.place().url().is_some();
        for addresses in divide_addresses(&archive.addresses, is_remote) {
            inputs.push(Input {
                bytes: Some(addresses.iter().map(|address| address.length).sum()),
                source: Arc::new(RecordsOfArchive {
                    place: input.place().clone(),
                    addresses: addresses.into(),
                }),
                ..input.clone()
            });
        }
    }
    // The sort is stable, so the records of an archive stay sorted by offset.
    inputs.sort_by(|a, b| (&a.crawl, &a.subset, &a.name).cmp(&(&b.crawl, &b.subset, &b.name)));
    for (index, input) in (0..).zip(&mut inputs) {
        input.index = index;
    }
    Ok(inputs)
}

/// Checks that no two archives have the same name. Names omit queries, so two URLs may have the same name.
fn check_names(named: &[(u64, NamedInput)], archives: &[ArchiveRecords]) -> Result<(), Error> {
    let pairs = named.iter().zip(archives);
    let pairs = pairs.map(|((_, input), archive)| (&input.name, archive.archive, &input.place));
    let mut names: Vec<(&String, u32, &InputPlace)> = pairs.collect();
    names.sort_unstable_by_key(|(name, archive, _)| (*name, *archive));
    let mut neighbours = names.windows(2);
    match neighbours.find(|two| two[0].0 == two[1].0 && two[0].1 != two[1].1) {
        Some(two) => Err(Error::new(
            SourceErrorKind::SameInput,
            two[0].2.display_path(),
        )),
        None => Ok(()),
    }
}

/// Checks that the records result neither in too many inputs, nor in names of inputs with too many bytes in total.
fn check_input_limits(
    named: &[(u64, NamedInput)],
    archives: &[ArchiveRecords],
    list: &Path,
) -> Result<(), Error> {
    let (mut inputs, mut bytes) = (0, 0);
    for ((_, input), archive) in named.iter().zip(archives) {
        let is_remote = input.place.url().is_some();
        let divisions = divide_addresses(&archive.addresses, is_remote).len();
        inputs += divisions;
        bytes += divisions as u64 * input.name.len() as u64;
    }
    if inputs as u64 > MAX_INPUTS {
        let kind = SourceErrorKind::TooManyInputs {
            inputs,
            first_input: 0,
            limit: MAX_INPUTS,
        };
        return Err(Error::new(kind, list));
    }
    if bytes > MAX_NAMES_BYTES {
        let kind = SourceErrorKind::LongNames {
            row: None,
            bytes_max: MAX_NAMES_BYTES,
        };
        return Err(Error::new(kind, list));
    }
    Ok(())
}

/// Determines the crawls and subsets of archives. They are returned as whole inputs, in the same order. An option takes
/// precedence over the list.
fn complete_listed(
    named: Vec<(u64, NamedInput)>,
    archives: &[ArchiveRecords],
    options: &InputOptions,
) -> Result<Vec<Input>, Error> {
    let mut completed = Vec::new();
    // Consecutive archives with the same crawl and subset in the list are completed together, on all threads.
    let mut rest = named;
    let mut start = 0;
    for group in archives.chunk_by(|a, b| (&a.crawl, &a.subset) == (&b.crawl, &b.subset)) {
        let others = rest.split_off(group.len());
        let crawl = options.crawl.as_ref().or(archives[start].crawl.as_ref());
        let subset = options.subset.as_ref().or(archives[start].subset.as_ref());
        let options = InputOptions {
            crawl: crawl.cloned(),
            subset: subset.cloned(),
            ..options.clone()
        };
        completed.extend(complete_inputs(rest, &options)?);
        (rest, start) = (others, start + group.len());
    }
    Ok(completed)
}

/// Returns the archive with this name in a list of records as an input.
///
/// # Errors
///
/// [`SourceErrorKind::UnsafeLine`] for a name that leads out of the base; [`SourceErrorKind::UrlInput`].
fn find_archive(name: String, options: &InputOptions, list: &Path) -> Result<NamedInput, Error> {
    check_remote_line(&name, None).map_err(|kind| Error::new(kind, list))?;
    let path = list::join_base(archive_base(&name, options.base.as_deref()), &name);
    let place = InputPlace::from_path(path.into())?;
    if let InputPlace::Stream(stream) = &place {
        let why = io::Error::other("records are only read from regular files");
        return Err(Error::read(stream.display_path(), why));
    }
    // A query may be secret.
    let name = match place.url() {
        Some(url) if url.scheme() != Scheme::S3 => strip_query(&name).to_owned(),
        _ => name,
    };
    Ok(NamedInput {
        place,
        name,
        is_listed: true,
    })
}

/// Returns the folder or URL that is put before the name of an archive; `None` for a file in the working folder. `base`
/// is the one that the user gives.
fn archive_base<'a>(name: &str, base: Option<&'a str>) -> Option<&'a str> {
    let is_of_common_crawl = name.starts_with(COMMON_CRAWL_NAME_PREFIX);
    base.or(is_of_common_crawl.then_some(COMMON_CRAWL_BASE))
}

/// Divides the records of an archive into inputs, by the limits [`MAX_INPUT_RECORDS`] and, for an archive on a server,
/// [`MAX_INPUT_BYTES`].
fn divide_addresses(addresses: &[RecordAddress], is_remote: bool) -> Vec<&[RecordAddress]> {
    let (mut inputs, mut start) = (Vec::new(), 0);
    let (mut bytes, mut end) = (0, 0);
    for (i, address) in addresses.iter().enumerate() {
        // Short gaps between records are also fetched.
        let gap = address.offset.saturating_sub(end);
        let gap = if gap <= MAX_GAP_BYTES { gap } else { 0 };
        let has_room = i - start < MAX_INPUT_RECORDS
            && (!is_remote || i == start || bytes + gap + address.length <= MAX_INPUT_BYTES);
        if !has_room {
            inputs.push(&addresses[start..i]);
            (start, bytes) = (i, 0);
        }
        bytes += address.length + if i == start { 0 } else { gap };
        end = address.range().end;
    }
    inputs.push(&addresses[start..]);
    inputs
}

/// Returns the error of a record that is listed twice, or that overlaps the one before it.
fn overlap_error(archive: String, first: ListedRecord, second: ListedRecord, list: &Path) -> Error {
    let [first, second] = [first, second].map(|record| record.address);
    let kind = if first.offset == second.offset {
        SourceErrorKind::RepeatedRecord {
            archive,
            offset: first.offset,
        }
    } else {
        SourceErrorKind::OverlappingRecords {
            archive,
            offset: first.offset,
            length: first.length,
            next: second.offset,
        }
    };
    Error::new(kind, list)
}

/// Returns the XXH3-64 of the crawls, subsets, names and addresses of all inputs, in hexadecimal.
fn compute_digest(inputs: &[Input]) -> String {
    let mut hasher = Xxh3::new();
    for input in inputs {
        for text in [&input.crawl, &input.subset, &input.name] {
            hasher.update(text.as_bytes());
            hasher.update(b"\n");
        }
        for address in input.source.addresses() {
            hasher.update(&address.offset.to_le_bytes());
            hasher.update(&address.length.to_le_bytes());
        }
    }
    format!("{:016x}", hasher.digest())
}

#[cfg(test)]
mod tests;
