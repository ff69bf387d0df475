//! Reads URL lists: text, CSV, Parquet, and folders of Parquet files.
//!
//! The format is detected: a file that begins with `PAR1` is Parquet. Anything
//! else is decompressed if it is gzip. It is CSV if its name ends in `.csv` or
//! `.csv.gz`, if a column is requested, or if its first line has a column `url`,
//! and text otherwise. Standard input is CSV if a column is requested, and text
//! otherwise.

mod byte_column;
mod csv_list;
mod folder;
mod interruptible_reader;
mod parquet_list;

use super::lookup::{MAX_URL_BYTES, is_url_or_path};
use crate::error::{ToolErrorKind, UrlListDefect};
use capture::date::parse_iso;
use disk::error::Error;
use flate2::read::MultiGzDecoder;
use interruptible_reader::InterruptibleReader;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

/// The bytes of a line that are kept: one more than the longest URL, so that a
/// longer line is recognized as malformed.
const MAX_KEPT_LINE_BYTES: usize = MAX_URL_BYTES + 1;

/// The longest line of a text list. A list with a longer one, such as `/dev/zero`, is refused.
const MAX_LINE_READ_BYTES: usize = 64 << 20;

/// The longest first line, in bytes, that is searched for a CSV header if the
/// file name does not end in `.csv`.
const MAX_HEAD_BYTES: usize = 1 << 20;

/// The default column of the URLs.
const URL_COLUMN: &str = "url";

/// The place that a URL list is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlListSource {
    Stdin,
    /// A file, or a folder of Parquet files.
    File(PathBuf),
}

/// The options of reading a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UrlListOptions {
    /// The column of a CSV or Parquet list that holds the URLs; `url` if `None`.
    pub(super) column: Option<String>,
    /// The column that holds the times; `fetch_time` if `None`.
    pub(super) time_column: Option<String>,
    /// The largest page of a Parquet file, in bytes.
    pub(super) page_bytes_max: u64,
}

/// The columns of a CSV or Parquet list that are read.
struct ListColumns<'a> {
    url: &'a str,
    /// The column of times; `None` for `fetch_time`, if there is one.
    time: Option<&'a str>,
}

impl ListColumns<'_> {
    /// Finds the column of times by a function that finds a column of this name. `None` if there is none, and
    /// none was named.
    fn find_time(
        &self,
        find: impl Fn(&str) -> Result<Option<usize>, Error>,
        missing: impl Fn(String) -> Error,
    ) -> Result<Option<usize>, Error> {
        let Some(name) = self.time else {
            return find("fetch_time");
        };
        find(name)?
            .map(Some)
            .ok_or_else(|| missing(name.to_owned()))
    }
}

/// The time of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowTime {
    /// The row has no time.
    Missing,
    /// Milliseconds since 1970.
    Time(i64),
    /// The field is not a time.
    Malformed,
}

/// A function that is called with the URL and the time of each row.
type RowCallback<'e> = dyn FnMut(&[u8], RowTime) -> Result<(), Error> + 'e;

/// An open URL list, and the options to read it with.
pub(super) struct UrlListReader {
    list: OpenedList,
    options: UrlListOptions,
}

/// An open list in its detected format.
enum OpenedList {
    Stdin,
    Text(Box<dyn Read + Send>, PathBuf),
    Csv(Box<dyn Read + Send>, PathBuf),
    Parquet(Vec<PathBuf>),
}

impl UrlListReader {
    /// Opens a list and detects its format.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](disk::error::ErrorKind::Read); [`ToolErrorKind::NotAUrlList`] for a folder without Parquet
    /// files, and for Parquet from a pipe.
    pub(super) fn open(source: &UrlListSource, options: UrlListOptions) -> Result<Self, Error> {
        let list = match source {
            UrlListSource::Stdin => OpenedList::Stdin,
            UrlListSource::File(path) => OpenedList::open(path, options.column.is_some())?,
        };
        Ok(Self { list, options })
    }

    /// Calls `each` for every row in order, with its trimmed URL and its time.
    /// Empty lines of a text list are skipped. Reading text and CSV, or waiting
    /// for it, ends with an error once `is_stopped` returns true.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](disk::error::ErrorKind::Read), [`ToolErrorKind::NotAUrlList`], [`ToolErrorKind::LargePage`], and
    /// those of `each`.
    pub(super) fn read(
        self,
        is_stopped: &dyn Fn() -> bool,
        each: &mut RowCallback<'_>,
    ) -> Result<(), Error> {
        let column = self.options.column.as_deref();
        let columns = ListColumns {
            url: column.unwrap_or(URL_COLUMN),
            time: self.options.time_column.as_deref(),
        };
        match self.list {
            OpenedList::Stdin => {
                let path = Path::new("standard input");
                let source = InterruptibleReader::new(io::stdin(), is_stopped);
                match column {
                    None => read_text(&mut BufReader::new(source), path, each),
                    Some(_) => csv_list::read(source, path, &columns, each),
                }
            }
            OpenedList::Text(source, path) => {
                let source = InterruptibleReader::new(source, is_stopped);
                read_text(&mut BufReader::new(source), &path, each)
            }
            OpenedList::Csv(source, path) => {
                let source = InterruptibleReader::new(source, is_stopped);
                csv_list::read(source, &path, &columns, each)
            }
            OpenedList::Parquet(paths) => paths.iter().try_for_each(|path| {
                parquet_list::read(path, &columns, self.options.page_bytes_max, each)
            }),
        }
    }
}

impl OpenedList {
    fn open(path: &Path, has_column: bool) -> Result<Self, Error> {
        let read_error = |error| Error::read(path, error);
        let metadata = fs::metadata(path).map_err(read_error)?;
        if metadata.is_dir() {
            return folder::find_parquet_files(path).map(Self::Parquet);
        }
        let mut file = File::open(path).map_err(read_error)?;
        let mut magic = Vec::new();
        (&mut file)
            .take(4)
            .read_to_end(&mut magic)
            .map_err(read_error)?;
        if magic == b"PAR1" && !metadata.is_file() {
            let kind = ToolErrorKind::NotAUrlList(UrlListDefect::ParquetStream);
            return Err(Error::new(kind, path));
        }
        if magic == b"PAR1" {
            return Ok(Self::Parquet(vec![path.to_owned()]));
        }
        // A pipe cannot be rewound. The bytes that were read are put before the rest.
        let is_gzip = magic.starts_with(b"\x1f\x8b");
        let source: Box<dyn Read + Send> = match file.rewind() {
            Ok(()) => Box::new(file),
            Err(_) => Box::new(io::Cursor::new(magic).chain(file)),
        };
        let mut source: Box<dyn Read + Send> = if is_gzip {
            Box::new(MultiGzDecoder::new(BufReader::new(source)))
        } else {
            source
        };
        let head = read_head(&mut source).map_err(read_error)?;
        let is_csv = has_column || has_csv_name(path) || has_url_column(&head);
        let source: Box<dyn Read + Send> = Box::new(io::Cursor::new(head).chain(source));
        Ok(match is_csv {
            true => Self::Csv(source, path.to_owned()),
            false => Self::Text(source, path.to_owned()),
        })
    }
}

/// Reads until the first line ends or [`MAX_HEAD_BYTES`] bytes were read. A pipe
/// may need several reads.
fn read_head(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let (mut head, mut chunk) = (Vec::new(), [0; 8 << 10]);
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return Ok(head),
            Ok(read) => {
                head.extend_from_slice(&chunk[..read]);
                if chunk[..read].contains(&b'\n') || head.len() >= MAX_HEAD_BYTES {
                    return Ok(head);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn has_csv_name(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".gz").unwrap_or(&name).ends_with(".csv")
}

/// Returns true if the first line is a CSV header with the column `url`. A line
/// with a URL is not a header.
fn has_url_column(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
    memchr::memmem::find(line, b"://").is_none()
        && strip_bom(line)
            .split(|&byte| byte == b',')
            .any(|field| trim_column_name(field).eq_ignore_ascii_case(URL_COLUMN.as_bytes()))
}

/// Finds a column by its exact name, or else the only column whose name differs
/// just in case.
fn find_column<'n>(
    names: impl Iterator<Item = &'n [u8]> + Clone,
    wanted: &str,
) -> Result<Option<usize>, UrlListDefect> {
    let wanted = wanted.as_bytes();
    if let Some(index) = names.clone().position(|name| name == wanted) {
        return Ok(Some(index));
    }
    let mut alike = names
        .enumerate()
        .filter(|(_, name)| name.eq_ignore_ascii_case(wanted));
    match (alike.next(), alike.next()) {
        (Some((_, first)), Some((_, second))) => Err(UrlListDefect::AmbiguousColumn {
            names: [first, second].map(|name| String::from_utf8_lossy(name).into_owned()),
        }),
        (found, _) => Ok(found.map(|(index, _)| index)),
    }
}

fn strip_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

fn trim_column_name(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    let inner = field
        .strip_prefix(b"\"")
        .and_then(|field| field.strip_suffix(b"\""));
    inner.unwrap_or(field).trim_ascii()
}

fn read_text(
    source: &mut dyn BufRead,
    path: &Path,
    each: &mut RowCallback<'_>,
) -> Result<(), Error> {
    let mut line = Vec::new();
    for line_no in 1.. {
        match read_line(source, &mut line).map_err(|error| Error::read(path, error))? {
            LineResult::Whole => {}
            LineResult::End => break,
            LineResult::TooLong => {
                let defect = UrlListDefect::LongLine {
                    line: line_no,
                    bytes_max: MAX_LINE_READ_BYTES,
                };
                return Err(Error::new(ToolErrorKind::NotAUrlList(defect), path));
            }
        }
        let url = match line_no {
            1 => strip_bom(&line),
            _ => &line,
        };
        let url = url.trim_ascii();
        if !url.is_empty() {
            each(url, RowTime::Missing)?;
        }
    }
    Ok(())
}

/// The result of reading a line.
enum LineResult {
    /// The line was read.
    Whole,
    /// The list has ended.
    End,
    /// The line is longer than [`MAX_LINE_READ_BYTES`].
    TooLong,
}

/// Reads a line and keeps at most [`MAX_KEPT_LINE_BYTES`] bytes of it.
fn read_line(source: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<LineResult> {
    line.clear();
    let mut bytes = 0;
    loop {
        let buffer = match source.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(match bytes {
                0 => LineResult::End,
                _ => LineResult::Whole,
            });
        }
        let end = memchr::memchr(b'\n', buffer);
        let text = &buffer[..end.unwrap_or(buffer.len())];
        let room = MAX_KEPT_LINE_BYTES.saturating_sub(line.len());
        line.extend_from_slice(&text[..text.len().min(room)]);
        let used = end.map_or(buffer.len(), |end| end + 1);
        source.consume(used);
        bytes += used;
        if end.is_some() {
            return Ok(LineResult::Whole);
        }
        if bytes > MAX_LINE_READ_BYTES {
            return Ok(LineResult::TooLong);
        }
    }
}

/// Parses the field `fetch_time` of a row.
fn parse_row_time(text: &str) -> RowTime {
    if text.trim().is_empty() {
        return RowTime::Missing;
    }
    parse_iso(text).map_or(RowTime::Malformed, RowTime::Time)
}

/// The most bytes of URLs that [`read_url_list`] holds.
const MAX_URLS_BYTES: usize = 64 << 20;

/// Reads the URLs and paths of a list into memory. Times are ignored.
///
/// # Errors
///
/// [`ErrorKind::Read`](disk::error::ErrorKind::Read); [`ToolErrorKind::NotAUrlList`] for a row that is neither a URL nor
/// a path, and for more than 64 MiB of URLs; [`ToolErrorKind::LargePage`].
pub fn read_url_list(source: &UrlListSource) -> Result<Vec<String>, Error> {
    let path = match source {
        UrlListSource::Stdin => Path::new("standard input"),
        UrlListSource::File(path) => path,
    };
    let refuse = |defect| Err(Error::new(ToolErrorKind::NotAUrlList(defect), path));
    let options = UrlListOptions {
        column: None,
        time_column: None,
        page_bytes_max: MAX_URLS_BYTES as u64,
    };
    let (mut urls, mut bytes) = (Vec::new(), 0);
    UrlListReader::open(source, options)?.read(&|| false, &mut |url, _| {
        bytes += url.len();
        if bytes > MAX_URLS_BYTES {
            return refuse(UrlListDefect::TooLarge {
                bytes_max: MAX_URLS_BYTES,
            });
        }
        match std::str::from_utf8(url) {
            Ok(text) if is_url_or_path(url) => urls.push(text.to_owned()),
            _ => {
                let text = String::from_utf8_lossy(&url[..url.len().min(200)]);
                return refuse(UrlListDefect::NotAUrl {
                    text: text.into_owned(),
                });
            }
        }
        Ok(())
    })?;
    Ok(urls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int32Type;
    use arrow_array::{
        Array, ArrayRef, BinaryArray, DictionaryArray, Int64Array, LargeStringArray, RecordBatch,
        StringArray, StringViewArray, TimestampMicrosecondArray, TimestampNanosecondArray,
        TimestampSecondArray,
    };
    use std::sync::Arc;

    const OPTIONS: UrlListOptions = UrlListOptions {
        column: None,
        time_column: None,
        page_bytes_max: 1 << 20,
    };

    fn read_rows(name: &str, bytes: &[u8]) -> Result<Vec<(String, RowTime)>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let mut rows = Vec::new();
        UrlListReader::open(&UrlListSource::File(path), OPTIONS)?.read(
            &|| false,
            &mut |url, time| {
                rows.push((String::from_utf8_lossy(url).into_owned(), time));
                Ok(())
            },
        )?;
        Ok(rows)
    }

    fn read_urls(name: &str, bytes: &[u8]) -> Vec<String> {
        read_rows(name, bytes)
            .unwrap()
            .into_iter()
            .map(|row| row.0)
            .collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::read::GzEncoder::new(bytes, flate2::Compression::fast());
        let mut out = Vec::new();
        encoder.read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn a_text_list_has_one_url_per_line() {
        let text = b"\xef\xbb\xbfhttp://a/\r\n\n  http://b/x y \n\t\nnone\nhttp://c/";
        let expected = ["http://a/", "http://b/x y", "none", "http://c/"];
        assert_eq!(read_urls("list.txt", text), expected);
        // Gzip may have several members, as in archives.
        let packed = [gzip(&text[..20]), gzip(&text[20..])].concat();
        assert_eq!(read_urls("list", &packed), expected);
        assert_eq!(read_urls("empty", b""), [""; 0]);
        let long = [&b"http://a/"[..], &vec![b'x'; 3 << 20], b"\nhttp://b/"].concat();
        let read = read_urls("long", &long);
        // One byte more than the longest URL marks the line as too long.
        assert_eq!(
            (read[0].len(), read[1].as_str()),
            (MAX_KEPT_LINE_BYTES, "http://b/")
        );
    }

    #[test]
    fn a_line_of_a_text_list_is_read_up_to_a_limit() {
        for (bytes, is_read) in [
            (MAX_LINE_READ_BYTES - 1, true),
            (MAX_LINE_READ_BYTES + 1, false),
        ] {
            let mut text = b"http://a/\n".to_vec();
            text.resize(text.len() + bytes, 0);
            let result = read_rows("list.txt", &text);
            assert_eq!(result.as_ref().is_ok_and(|rows| rows.len() == 2), is_read);
            if let Err(error) = result {
                let text = error.to_string();
                assert!(text.contains("list.txt' is not a URL list"), "{text}");
                assert!(text.contains("line 2"), "{text}");
            }
        }
    }

    #[test]
    fn csv_is_detected_by_its_name_or_its_header() {
        use RowTime::{Malformed, Missing, Time};
        let text = b"n,\"url\",fetch_time\n1,\"http://a/,b\",2024-03-01T12:00:00Z\n2, http://b/ ,\n3\n4,http://c/,soon\n";
        let expected = [
            ("http://a/,b", Time(1_709_294_400_000)),
            ("http://b/", Missing),
            ("", Missing),
            ("http://c/", Malformed),
        ];
        let expected = expected.map(|(url, time)| (url.to_owned(), time));
        for name in ["list.csv", "list.txt", "list"] {
            assert_eq!(read_rows(name, text).unwrap(), expected);
            assert_eq!(
                read_rows(&format!("{name}.gz"), &gzip(text)).unwrap(),
                expected
            );
        }
        assert_eq!(
            read_urls("x", b"\xef\xbb\xbfurl\r\nhttp://a/\r\n"),
            ["http://a/"]
        );
        let error = read_rows("list.csv", b"http://a/\n").unwrap_err();
        assert!(error.to_string().contains("no column 'url'"), "{error}");
        // A line with a URL is not a header, even with a field `url`.
        assert_eq!(read_urls("x", b"http://a/,url\n"), ["http://a/,url"]);
    }

    fn write_parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, true)),
        )
        .unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    #[test]
    fn parquet_columns_may_have_any_text_and_time_type() {
        let texts = [Some("http://a/"), None, Some("http://b/")];
        let kinds: [ArrayRef; 5] = [
            Arc::new(StringArray::from_iter(texts)),
            Arc::new(LargeStringArray::from_iter(texts)),
            Arc::new(StringViewArray::from_iter(texts)),
            Arc::new(DictionaryArray::<Int32Type>::from_iter(texts)),
            Arc::new(BinaryArray::from_iter(
                texts.map(|text| text.map(str::as_bytes)),
            )),
        ];
        for kind in kinds {
            let other: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
            let bytes = write_parquet(vec![("n", other), ("url", kind)]);
            assert_eq!(read_urls("list", &bytes), ["http://a/", "", "http://b/"]);
        }
        let url: ArrayRef = Arc::new(StringArray::from_iter_values(["u", "v"]));
        let zone: Arc<str> = "+02:00".into();
        let times: [ArrayRef; 5] = [
            Arc::new(TimestampSecondArray::from(vec![Some(-2), None])),
            Arc::new(TimestampMicrosecondArray::from(vec![
                Some(-1_999_001),
                None,
            ])),
            Arc::new(TimestampNanosecondArray::from(vec![
                Some(-1_999_000_001),
                None,
            ])),
            Arc::new(TimestampSecondArray::from(vec![Some(-2), None]).with_timezone(zone)),
            Arc::new(StringArray::from(vec![
                Some("1969-12-31 23:59:58"),
                Some(""),
            ])),
        ];
        for time in times {
            let kind = time.data_type().clone();
            let bytes = write_parquet(vec![("url", url.clone()), ("fetch_time", time)]);
            let times: Vec<RowTime> = read_rows("x", &bytes)
                .unwrap()
                .iter()
                .map(|row| row.1)
                .collect();
            assert_eq!(times, [RowTime::Time(-2000), RowTime::Missing], "{kind}");
        }
        let number: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        for columns in [
            vec![("n", number.clone())],
            vec![("url", number.clone())],
            vec![("url", url), ("fetch_time", number)],
        ] {
            let error = read_rows("x", &write_parquet(columns)).unwrap_err();
            assert!(
                matches!(error.kind(), Some(ToolErrorKind::NotAUrlList(_))),
                "{error}"
            );
        }
    }
}
