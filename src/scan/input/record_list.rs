//! Lists of records by address: the inputs of a run that reads single records of archives.
//!
//! A list has the columns of the columnar index of Common Crawl, of the answers of its CDX server, or of the
//! table `robots_files`. Each archive becomes an input with the addresses of its records; the inputs are in the
//! order of crawl, subset and archive, whatever the order of the list.

use super::list::check_remote_line;
use super::selection::{MAX_GAP_BYTES, RecordAddress, Selection};
use super::{
    FoundInputs, Input, InputOptions, InputSource, MAX_INPUTS, NamedInput, check_all_exist,
    complete_inputs, is_partition_name, list, parse_url,
};
use crate::error::{ScanErrorKind, TableDefect};
use crate::table_file::{ColumnNames, RowStatus, TableReader, Value, WantedColumn, shorten};
use disk::error::Error;
use remote::error::RemoteErrorKind;
use remote::without_secrets;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The keys of the columns that can be named.
pub const RECORD_COLUMN_KEYS: [&str; 5] = ["archive", "offset", "length", "crawl", "subset"];

/// The server of the archives of Common Crawl.
const COMMON_CRAWL_BASE: &str = "https://data.commoncrawl.org/";

/// The beginning of the names of these archives.
const COMMON_CRAWL_NAME_PREFIX: &str = "crawl-data/";

/// The most records of a run. They are held in memory, with 40 bytes each.
const MAX_LISTED_RECORDS: usize = 10_000_000;

/// The longest record that is read. A longer one is an error of the list.
const MAX_LISTED_RECORD_BYTES: i64 = 64 << 20;

/// The longest name of an archive in bytes: the longest path of Linux.
const MAX_ARCHIVE_NAME_BYTES: usize = 4096;

/// The most bytes of a list that is fetched, or read from standard input.
const MAX_RECORD_LIST_BYTES: u64 = 4 << 30;

/// The most records of an input, and the number of records of a part.
pub const MAX_INPUT_RECORDS: usize = 100_000;

/// The most bytes that are fetched for an input, unless it has one record only. They may all be held in memory.
const MAX_INPUT_BYTES: u64 = 16 << 20;

/// A record of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ListedRecord {
    /// Places in the table of names.
    crawl: Option<u32>,
    subset: Option<u32>,
    archive: u32,
    address: RecordAddress,
}

/// The names of crawls, subsets and archives.
#[derive(Default)]
struct Names {
    texts: Vec<String>,
    indexes: HashMap<String, u32>,
}

impl Names {
    fn insert(&mut self, text: &str) -> u32 {
        if let Some(index) = self.indexes.get(text) {
            return *index;
        }
        let index = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.indexes.insert(text.to_owned(), index);
        index
    }
}

/// Returns the inputs of some lists of records; `-` is standard input. Of the options, `base`, `columns`, `crawl`,
/// `subset`, `skips_missing`, `remote` and `threads` count. Without a base, archives whose names begin with
/// `crawl-data/` are those of Common Crawl, and others are files in the working folder.
///
/// # Errors
///
/// [`ErrorKind::Read`](disk::error::ErrorKind::Read), [`ScanErrorKind::NotATable`]; [`ScanErrorKind::BadRecordList`] for a row
/// without an address, with an address that no record can have, and for a record that is listed twice or
/// overlaps another one; [`ScanErrorKind::TooManyRecords`], and those of [`find`](super::find).
pub fn find_records(lists: &[String], options: &InputOptions) -> Result<FoundInputs, Error> {
    for (key, value) in [("crawl", &options.crawl), ("subset", &options.subset)] {
        if let Some(value) = value.as_ref().filter(|value| !is_partition_name(value)) {
            let value = value.clone();
            return Err(Error::new(ScanErrorKind::PartitionName { key, value }, key));
        }
    }
    let mut names = Names::default();
    let mut records = Vec::new();
    for list in lists {
        let (file, path) = open_list(list, options)?;
        let columns = &options.columns;
        read_list(
            file,
            &path,
            columns,
            MAX_LISTED_RECORDS,
            &mut names,
            &mut records,
        )?;
    }
    let list_path: PathBuf = match lists {
        [only] => without_secrets(only).into(),
        _ => "the lists".into(),
    };
    if records.is_empty() {
        let kind = ScanErrorKind::NotATable(TableDefect::Empty);
        return Err(Error::new(kind, list_path));
    }
    let inputs = make_inputs(&names, records, options, &list_path)?;
    let has_urls = inputs
        .iter()
        .any(|input| matches!(input.source, InputSource::Remote(_)));
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
        let remote = options.remote.as_ref();
        let remote = remote.ok_or_else(|| Error::new(RemoteErrorKind::NoRemote, &path))?;
        let bytes = remote.read(&url, MAX_RECORD_LIST_BYTES)?;
        let file = spool(&mut bytes.as_slice(), &path, MAX_RECORD_LIST_BYTES)?;
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

/// Writes a stream of at most `bytes_max` to a temporary file. `path` is the stream, for errors.
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
    path: &Path,
    columns: &ColumnNames,
    limit: usize,
    names: &mut Names,
    records: &mut Vec<ListedRecord>,
) -> Result<(), Error> {
    let mut table = TableReader::open(file, path, &list_columns(columns), None)?;
    loop {
        let refuse = |row: u64, reason: String| {
            Error::new(ScanErrorKind::BadRecordList { row, reason }, path)
        };
        match table.advance()? {
            RowStatus::End => return Ok(()),
            RowStatus::Malformed(reason) => return Err(refuse(table.row_no(), reason)),
            RowStatus::Lost(error) => return Err(error),
            RowStatus::Row => {}
        }
        if records.len() == limit {
            return Err(Error::new(ScanErrorKind::TooManyRecords { limit }, path));
        }
        let record = read_record(&table, names);
        records.push(record.map_err(|reason| refuse(table.row_no(), reason))?);
    }
}

/// Reads the record of a row.
///
/// # Errors
///
/// The reason why the row is refused.
fn read_record(table: &TableReader, names: &mut Names) -> Result<ListedRecord, String> {
    let text = |column: usize| match table.value(column) {
        Value::Text(text) => std::str::from_utf8(text).map(str::trim).ok(),
        _ => None,
    };
    let archive = text(0).filter(|name| !name.is_empty());
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
        match range.contains(&value) {
            true => Ok(value.cast_unsigned()),
            false => Err(format!(
                "the {name} is {value}; it must be from {} to {}",
                range.start(),
                range.end()
            )),
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
        match is_partition_name(value) {
            true => Ok(Some(names.insert(value))),
            false => Err(format!(
                "{} is not a valid {name}, because it becomes the name of a folder",
                shorten(value.as_bytes())
            )),
        }
    };
    Ok(ListedRecord {
        crawl: partition(3, "crawl")?,
        subset: partition(4, "subset")?,
        archive: names.insert(archive),
        address,
    })
}

/// The records of one archive, and what the list says of their crawl.
struct ArchiveRecords<'a> {
    crawl: Option<&'a str>,
    subset: Option<&'a str>,
    name: &'a str,
    addresses: Vec<RecordAddress>,
}

/// Returns the inputs of the records, in the order of crawl, subset and archive.
fn make_inputs(
    names: &Names,
    mut records: Vec<ListedRecord>,
    options: &InputOptions,
    list: &Path,
) -> Result<Vec<Input>, Error> {
    records.sort_unstable_by_key(|record| (record.archive, record.address));
    for two in records.windows(2) {
        if two[0].archive == two[1].archive && two[0].address.range().end > two[1].address.offset {
            return Err(overlap_error(names, two[0], two[1], list));
        }
    }
    // An archive may have records of several crawls, each of which has an input.
    records.sort_by_key(|record| (record.archive, record.crawl, record.subset));
    let name = |index: u32| names.texts[index as usize].as_str();
    let mut archives: Vec<ArchiveRecords<'_>> = Vec::new();
    for group in
        records.chunk_by(|a, b| (a.archive, a.crawl, a.subset) == (b.archive, b.crawl, b.subset))
    {
        let first = group[0];
        archives.push(ArchiveRecords {
            crawl: first.crawl.map(name),
            subset: first.subset.map(name),
            name: name(first.archive),
            addresses: group.iter().map(|record| record.address).collect(),
        });
    }
    drop(records);
    let mut named = Vec::new();
    for archive in &archives {
        named.push((0, find_archive(archive.name, options, list)?));
    }
    if !options.skips_missing {
        check_all_exist(&named, options)?;
    }
    let completed = complete_listed(named, &archives, options)?;
    let mut inputs: Vec<Input> = Vec::new();
    for (input, archive) in completed.into_iter().zip(archives) {
        let is_remote = matches!(input.source, InputSource::Remote(_));
        for addresses in divide_addresses(&archive.addresses, is_remote) {
            inputs.push(Input {
                bytes: Some(addresses.iter().map(|address| address.length).sum()),
                selection: Selection::Records(addresses.into()),
                ..input.clone()
            });
        }
    }
    // The records of an archive remain in order.
    inputs.sort_by(|a, b| (&a.crawl, &a.subset, &a.name).cmp(&(&b.crawl, &b.subset, &b.name)));
    if inputs.len() as u64 > MAX_INPUTS {
        let kind = ScanErrorKind::TooManyInputs {
            inputs: inputs.len(),
            first_input: 0,
            limit: MAX_INPUTS,
        };
        return Err(Error::new(kind, list));
    }
    for (index, input) in (0..).zip(&mut inputs) {
        input.index = index;
    }
    Ok(inputs)
}

/// Determines the crawls and subsets of archives. An option takes precedence over the list.
fn complete_listed(
    named: Vec<(u64, NamedInput)>,
    archives: &[ArchiveRecords<'_>],
    options: &InputOptions,
) -> Result<Vec<Input>, Error> {
    let mut completed = Vec::new();
    // Archives of which the list says the same are completed together, on all threads.
    let mut rest = named;
    let mut start = 0;
    for group in archives.chunk_by(|a, b| (a.crawl, a.subset) == (b.crawl, b.subset)) {
        let others = rest.split_off(group.len());
        let options = InputOptions {
            crawl: options
                .crawl
                .clone()
                .or(archives[start].crawl.map(str::to_owned)),
            subset: options
                .subset
                .clone()
                .or(archives[start].subset.map(str::to_owned)),
            ..options.clone()
        };
        completed.extend(complete_inputs(rest, &options)?);
        (rest, start) = (others, start + group.len());
    }
    Ok(completed)
}

/// Returns the place of an archive.
///
/// # Errors
///
/// [`ScanErrorKind::UnsafeLine`] for a name that leads out of the base; [`ScanErrorKind::UrlInput`].
fn find_archive(name: &str, options: &InputOptions, list: &Path) -> Result<NamedInput, Error> {
    check_remote_line(name, None).map_err(|kind| Error::new(kind, list))?;
    let base = match &options.base {
        Some(base) => Some(base.as_str()),
        None if name.starts_with(COMMON_CRAWL_NAME_PREFIX) => Some(COMMON_CRAWL_BASE),
        None => None,
    };
    let path = list::join_base(base, name);
    let source = InputSource::from_path(path.into())?;
    if let InputSource::Stream(stream) = &source {
        let why = io::Error::other("records are only read from regular files");
        return Err(Error::read(stream.display_path(), why));
    }
    Ok(NamedInput {
        source,
        name: name.to_owned(),
        is_listed: true,
    })
}

/// Divides the records of an archive into those of its inputs.
fn divide_addresses(addresses: &[RecordAddress], is_remote: bool) -> Vec<&[RecordAddress]> {
    let (mut inputs, mut start) = (Vec::new(), 0);
    let (mut bytes, mut end) = (0, 0);
    for (i, address) in addresses.iter().enumerate() {
        // Gaps between neighbours are also fetched.
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
fn overlap_error(names: &Names, first: ListedRecord, second: ListedRecord, list: &Path) -> Error {
    let archive = names.texts[first.archive as usize].clone();
    let [first, second] = [first, second].map(|record| record.address);
    let kind = match first.offset == second.offset {
        true => ScanErrorKind::RepeatedRecord {
            archive,
            offset: first.offset,
        },
        false => ScanErrorKind::OverlappingRecords {
            archive,
            offset: first.offset,
            length: first.length,
            next: second.offset,
        },
    };
    Error::new(kind, list)
}

/// Returns the XXH3-64 of all addresses, in hexadecimal.
fn compute_digest(inputs: &[Input]) -> String {
    let mut hasher = Xxh3::new();
    for input in inputs {
        for text in [&input.crawl, &input.subset, &input.name] {
            hasher.update(text.as_bytes());
            hasher.update(b"\n");
        }
        if let Selection::Records(addresses) = &input.selection {
            for address in addresses.iter() {
                hasher.update(&address.offset.to_le_bytes());
                hasher.update(&address.length.to_le_bytes());
            }
        }
    }
    format!("{:016x}", hasher.digest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Returns the inputs of a list, as crawl, name and offsets, with a limit of records.
    fn find(text: &str, limit: usize) -> Result<Vec<(String, String, Vec<u64>)>, Error> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let (mut names, mut records) = (Names::default(), Vec::new());
        let path = Path::new("list");
        let columns = ColumnNames::default();
        read_list(file, path, &columns, limit, &mut names, &mut records)?;
        let options = InputOptions {
            base: Some("https://localhost/".to_owned()),
            ..InputOptions::default()
        };
        let inputs = make_inputs(&names, records, &options, path)?;
        let inputs = inputs.into_iter().map(|input| {
            let Selection::Records(addresses) = input.selection else {
                panic!("records are selected");
            };
            let offsets = addresses.iter().map(|address| address.offset).collect();
            (input.crawl, input.name, offsets)
        });
        Ok(inputs.collect())
    }

    const ARCHIVE: &str = "crawl-data/CC-MAIN-2024-10/segments/1/robotstxt/a.warc.gz";

    #[test]
    fn inputs_are_in_the_order_of_crawl_archive_and_offset() {
        let text = format!(
            "url,filename,offset,length,crawl,subset\n\
             x,{ARCHIVE},900,10,,\n\
             x,other/b.warc.gz,5,1,CC-MAIN-2023-50,robotstxt\n\
             x,{ARCHIVE},100,800,,\n\
             x,other/a.warc.gz,5,1,CC-MAIN-2023-50,robotstxt\n"
        );
        let expected = [
            ("CC-MAIN-2023-50", "other/a.warc.gz", vec![5]),
            ("CC-MAIN-2023-50", "other/b.warc.gz", vec![5]),
            ("CC-MAIN-2024-10", ARCHIVE, vec![100, 900]),
        ];
        let expected =
            expected.map(|(crawl, name, offsets)| (crawl.to_owned(), name.to_owned(), offsets));
        assert_eq!(find(&text, 4).unwrap(), expected);
        let error = find(&text, 3).unwrap_err();
        let limit = ScanErrorKind::TooManyRecords { limit: 3 };
        assert_eq!(error.kind(), Some(&limit));
    }

    #[test]
    fn an_address_that_no_record_can_have_is_an_error_of_its_row() {
        for (address, reason) in [
            ("-1,5", "the offset is -1"),
            ("9223372036854775807,5", "the offset is 9223372036854775807"),
            ("5,0", "the length is 0"),
            ("5,1152921504606846976", "the length is 1152921504606846976"),
            ("5,-5", "the length is -5"),
            ("x,5", "the offset is 'x', which is not a number"),
            ("5,", "it has no length"),
        ] {
            let text = format!("filename,offset,length\n{ARCHIVE},1,1\n{ARCHIVE},{address}\n");
            let error = find(&text, 9).unwrap_err().to_string();
            assert!(error.contains("row 1 (counted from 0)"), "{error}");
            assert!(error.contains(reason), "{error}");
        }
        let long = "x".repeat(MAX_ARCHIVE_NAME_BYTES + 1);
        for name in [
            &long,
            "",
            "../a.warc.gz",
            "/etc/passwd",
            "https://other/a.warc.gz",
        ] {
            assert!(
                find(&format!("filename,offset,length\n{name},1,1\n"), 9).is_err(),
                "{name}"
            );
        }
    }

    #[test]
    fn a_list_from_a_pipe_has_a_limit() {
        let mut pipe = &b"filename,offset,length"[..];
        assert!(spool(&mut pipe, Path::new("-"), 22).is_ok());
        let mut pipe = &b"filename,offset,length\n"[..];
        let error = spool(&mut pipe, Path::new("-"), 22).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("more than 22 bytes"), "{cause}");
    }

    #[test]
    fn a_record_is_listed_once() {
        for (second, reason) in [("5,5", "twice"), ("9,5", "overlap")] {
            let text = format!("filename,offset,length\n{ARCHIVE},5,5\n{ARCHIVE},{second}\n");
            let error = find(&text, 9).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn the_records_of_an_archive_are_divided_into_inputs() {
        let addresses = |count: usize, length: u64| -> Vec<RecordAddress> {
            let address = |i: u64| RecordAddress {
                offset: i * length,
                length,
            };
            (0..count as u64).map(address).collect()
        };
        let sizes = |addresses: &[RecordAddress], is_remote| -> Vec<usize> {
            let inputs = divide_addresses(addresses, is_remote);
            inputs.iter().map(|input| input.len()).collect()
        };
        let many = addresses(MAX_INPUT_RECORDS + 1, 1);
        assert_eq!(sizes(&many, false), [MAX_INPUT_RECORDS, 1]);
        let large = addresses(3, MAX_INPUT_BYTES / 2 + 1);
        assert_eq!(sizes(&large, true), [1, 1, 1]);
        assert_eq!(sizes(&large, false), [3]);
        let fitting = addresses(4, MAX_INPUT_BYTES / 2);
        assert_eq!(sizes(&fitting, true), [2, 2]);
    }
}
