//! Lists of URLs: text, and tables in all formats of [`sources::table_file`].
//!
//! Standard input is opened only when the list is read, so that waiting for its first bytes can be interrupted.

use super::lookup::is_url_or_path;
use crate::error::AnswerErrorKind;
use errors::{Error, ErrorKind};
use sources::table_file::{
    ColumnNames, ExpectedContent, OpenedTable, RowStatus, TableLimits, TableReader,
    find_parquet_files,
};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The keys of the columns of a URL list whose names can be chosen (see [`ColumnNames`]).
pub const URL_COLUMN_KEYS: [&str; 2] = ["url", "time"];

/// The default name of the column with the URLs.
const URL_COLUMN: &str = "url";

/// The indexes of the columns with URLs and times among the columns that are read.
const URL_INDEX: usize = 0;
const TIME_INDEX: usize = 1;

/// The maximum length of a JSON line or a CSV record, in bytes.
const MAX_RECORD_BYTES: usize = 4 << 20;

/// The place that a URL list is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlListSource {
    /// Standard input.
    Stdin,
    /// A file, or a folder of Parquet files.
    File(PathBuf),
}

/// The options of reading a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UrlListOptions {
    /// The names of the columns of a table.
    pub(super) columns: ColumnNames,
    /// The maximum size of a page of a Parquet file, in bytes.
    pub(super) page_bytes_max: u64,
}

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

enum OpenedList {
    Stdin,
    File(OpenedTable),
    /// The Parquet files of a folder.
    Folder(Vec<PathBuf>),
}

impl UrlListReader {
    /// Opens a list and detects its format.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`]; [`SourceErrorKind::NotATable`](sources::error::SourceErrorKind::NotATable) for a folder
    /// without Parquet files, and for Parquet from a pipe.
    pub(super) fn open(source: &UrlListSource, options: UrlListOptions) -> Result<Self, Error> {
        let list = match source {
            UrlListSource::Stdin => OpenedList::Stdin,
            UrlListSource::File(path) => {
                let read_error = |error| Error::read(path, error);
                if fs::metadata(path).map_err(read_error)?.is_dir() {
                    OpenedList::Folder(find_parquet_files(path)?)
                } else {
                    OpenedList::File(open_file(path, options.kind())?)
                }
            }
        };
        Ok(Self { list, options })
    }

    /// Calls `each` for every row in order, with its trimmed URL and its time. The URL is empty if the row cannot be
    /// read or has no URL. Empty lines of a text list are skipped. Reading ends with an error once `stop` is set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`], [`ErrorKind::Abandoned`],
    /// [`SourceErrorKind::NotATable`](sources::error::SourceErrorKind::NotATable), and those of `each`.
    pub(super) fn read(
        self,
        stop: &Arc<AtomicBool>,
        each: &mut RowCallback<'_>,
    ) -> Result<(), Error> {
        let Self { list, options } = self;
        match list {
            OpenedList::Stdin => {
                let path = Path::new("standard input");
                let table = OpenedTable::open_stream(io::stdin(), path, options.kind(), stop)?;
                options.read_rows(table, path, stop, each)
            }
            OpenedList::File(table) => {
                let path = table.path().to_owned();
                options.read_rows(table.interruptible(stop), &path, stop, each)
            }
            OpenedList::Folder(paths) => paths.iter().try_for_each(|path| {
                let table = open_file(path, ExpectedContent::Table)?;
                options.read_rows(table, path, stop, each)
            }),
        }
    }
}

impl UrlListOptions {
    /// Returns the formats that a file may have: any table if the name of the URL column is given.
    fn kind(&self) -> ExpectedContent<'static> {
        if self.columns.has("url") {
            ExpectedContent::UrlTable
        } else {
            ExpectedContent::UrlList(URL_COLUMN)
        }
    }

    fn read_rows(
        &self,
        table: OpenedTable,
        path: &Path,
        stop: &AtomicBool,
        each: &mut RowCallback<'_>,
    ) -> Result<(), Error> {
        let columns = [
            self.columns.required("url", &[URL_COLUMN]).of_text(),
            self.columns.optional("time", &["fetch_time"]),
        ];
        let limits = TableLimits {
            row_bytes: MAX_RECORD_BYTES,
            page_bytes: self.page_bytes_max,
        };
        let mut rows = table.read(&columns, limits)?;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::new(ErrorKind::Abandoned, path));
            }
            match rows.advance()? {
                RowStatus::End => return Ok(()),
                RowStatus::Lost(error) => return Err(error),
                RowStatus::Malformed(_) => each(b"", RowTime::Missing)?,
                RowStatus::Row => {
                    let url = rows.value(URL_INDEX).text().unwrap_or_default();
                    each(url.trim_ascii(), row_time(&rows))?;
                }
            }
        }
    }
}

fn row_time(rows: &TableReader) -> RowTime {
    match rows.value(TIME_INDEX).time() {
        Ok(None) => RowTime::Missing,
        Ok(Some(time)) => RowTime::Time(time),
        Err(_) => RowTime::Malformed,
    }
}

fn open_file(path: &Path, kind: ExpectedContent<'_>) -> Result<OpenedTable, Error> {
    let file = File::open(path).map_err(|error| Error::read(path, error))?;
    OpenedTable::open(file, path, kind)
}

/// The maximum number of bytes of URLs that [`read_url_list`] returns.
const MAX_URLS_BYTES: usize = 64 << 20;

/// Reads the URLs and paths of a list into memory. Times are ignored.
///
/// # Errors
///
/// [`ErrorKind::Read`]; [`SourceErrorKind::NotATable`](sources::error::SourceErrorKind::NotATable);
/// [`AnswerErrorKind::NotAUrlList`] for a row that is neither a URL nor a path, and for more than 64 MiB of URLs.
pub fn read_url_list(source: &UrlListSource) -> Result<Vec<String>, Error> {
    let path = match source {
        UrlListSource::Stdin => Path::new("standard input"),
        UrlListSource::File(path) => path,
    };
    let refuse = |defect| Err(Error::new(AnswerErrorKind::NotAUrlList(defect), path));
    let options = UrlListOptions {
        columns: ColumnNames::default(),
        page_bytes_max: MAX_URLS_BYTES as u64,
    };
    let (mut urls, mut bytes) = (Vec::new(), 0);
    let stop = Arc::new(AtomicBool::new(false));
    UrlListReader::open(source, options)?.read(&stop, &mut |url, _| {
        bytes += url.len();
        if bytes > MAX_URLS_BYTES {
            return refuse(format!("it has more than {MAX_URLS_BYTES} bytes of URLs"));
        }
        match std::str::from_utf8(url) {
            Ok(text) if is_url_or_path(url) => urls.push(text.to_owned()),
            _ => {
                let text = String::from_utf8_lossy(&url[..url.len().min(200)]);
                return refuse(format!("'{text}' is neither an absolute URL nor a path"));
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
        StringArray, StringViewArray, TimestampMicrosecondArray, TimestampMillisecondArray,
        TimestampNanosecondArray,
    };
    use sources::error::SourceErrorKind;
    use sources::table_file::MAX_KEPT_LINE_BYTES;
    use std::io::Read;

    fn read_rows(name: &str, bytes: &[u8]) -> Result<Vec<(String, RowTime)>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let mut rows = Vec::new();
        let options = UrlListOptions {
            columns: ColumnNames::default(),
            page_bytes_max: 1 << 20,
        };
        let stop = Arc::default();
        UrlListReader::open(&UrlListSource::File(path), options)?.read(
            &stop,
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
        for (bytes, is_read) in [((64 << 20) - 1, true), ((64 << 20) + 1, false)] {
            let mut text = b"http://a/\n".to_vec();
            text.resize(text.len() + bytes, 0);
            let result = read_rows("list.txt", &text);
            assert_eq!(result.as_ref().is_ok_and(|rows| rows.len() == 2), is_read);
            if let Err(error) = result {
                let text = error.to_string();
                assert!(text.contains("list.txt'"), "{text}");
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
        // Parquet has no times in seconds.
        let times: [ArrayRef; 5] = [
            Arc::new(TimestampMillisecondArray::from(vec![Some(-2000), None])),
            Arc::new(TimestampMicrosecondArray::from(vec![
                Some(-1_999_001),
                None,
            ])),
            Arc::new(TimestampNanosecondArray::from(vec![
                Some(-1_999_000_001),
                None,
            ])),
            Arc::new(TimestampMillisecondArray::from(vec![Some(-2000), None]).with_timezone(zone)),
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
            vec![("URL", url.clone()), ("Url", url)],
        ] {
            let error = read_rows("x", &write_parquet(columns)).unwrap_err();
            assert!(
                matches!(error.kind(), Some(SourceErrorKind::NotATable(_))),
                "{error}"
            );
        }
    }

    #[test]
    fn json_lines_and_cdxj_are_detected() {
        let time = RowTime::Time(1_709_294_400_000);
        let json = br#"{"url": "http://a/{", "fetch_time": "2024-03-01T12:00:00Z"}
            {"url": "http://b/"}
            {"url": 5}
            {"url": "#;
        let cdxj = br#"!OpenWayback-CDXJ 1.0
com,a)/ 20240301120000 {"url": "http://a/{", "fetch_time": "20240301120000"}
com,b)/ 20240301120000 {"url": "http://b/", "x": [{}]}
com,b)/ 20240301120000 {"url": {}}
com,b)/"#;
        let expected = [
            ("http://a/{", time),
            ("http://b/", RowTime::Missing),
            ("", RowTime::Missing),
            ("", RowTime::Missing),
        ];
        let expected = expected.map(|(url, time)| (url.to_owned(), time));
        for bytes in [&json[..], cdxj] {
            assert_eq!(read_rows("list", bytes).unwrap(), expected);
            assert_eq!(read_rows("list.gz", &gzip(bytes)).unwrap(), expected);
        }
        // A URL may have braces, too.
        let text = b"http://a/{}\nhttp://b/{\"url\": 1}\n";
        assert_eq!(
            read_urls("x", text),
            ["http://a/{}", "http://b/{\"url\": 1}"]
        );
        assert_eq!(read_urls("x", b"a {b\n"), ["a {b"]);
    }
}
