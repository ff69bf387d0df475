//! Lists of URLs: text, CSV and Parquet.
//!
//! What a file is, its bytes say: Parquet begins with `PAR1`, gzip is unpacked,
//! and what is left is CSV if its name ends in `.csv` or `.csv.gz`, or if its
//! first line has a column `url`; else text. Standard input is text.

use super::stdin::Stdin;
use crate::date::parse_iso;
use crate::error::{Error, ErrorKind};
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Date32Type, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow::error::ArrowError;
use flate2::read::MultiGzDecoder;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A longer line is not read on: no URL is that long.
const LINE_BYTES_MAX: usize = super::URL_BYTES_MAX + 1;

/// Bytes of a record of CSV; a quote that is left open makes one of all that follows.
const RECORD_BYTES_MAX: usize = 4 << 20;

/// Bytes of the first line by which CSV is told from text.
const HEAD_BYTES_MAX: usize = 8 << 10;

/// Rows of a batch of Parquet.
const BATCH_ROWS: usize = 1024;

/// Where the URLs are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// The time for which a row asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// It does not say.
    Unsaid,
    /// Milliseconds since 1970.
    At(i64),
    /// It says something that is no time.
    Bad,
}

/// What is done with each row.
type Each<'e> = dyn FnMut(&[u8], Time) -> Result<(), Error> + 'e;

/// An open list.
pub(crate) enum Urls {
    Stdin,
    Text(Box<dyn BufRead>, PathBuf),
    Csv(Box<dyn BufRead>, PathBuf),
    Parquet(File, PathBuf),
}

impl Urls {
    /// Opens a list and finds out what it is.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`].
    pub(crate) fn open(list: &List) -> Result<Self, Error> {
        let path = match list {
            List::Stdin => return Ok(Self::Stdin),
            List::File(path) => path,
        };
        let unreadable = |error| Error::read(path, error);
        let mut file = File::open(path).map_err(unreadable)?;
        let mut magic = Vec::new();
        (&mut file)
            .take(4)
            .read_to_end(&mut magic)
            .map_err(unreadable)?;
        if magic == b"PAR1" {
            return Ok(Self::Parquet(file, path.clone()));
        }
        // What was read of a pipe cannot be read again.
        let is_gzip = magic.starts_with(b"\x1f\x8b");
        let source: Box<dyn Read> = match file.rewind() {
            Ok(()) => Box::new(file),
            Err(_) => Box::new(io::Cursor::new(magic).chain(file)),
        };
        let mut source: Box<dyn Read> = if is_gzip {
            Box::new(MultiGzDecoder::new(BufReader::new(source)))
        } else {
            source
        };
        let head = read_head(&mut source).map_err(unreadable)?;
        let is_csv = is_named_csv(path) || has_url_column(&head);
        let source: Box<dyn BufRead> =
            Box::new(BufReader::new(io::Cursor::new(head).chain(source)));
        Ok(match is_csv {
            true => Self::Csv(source, path.clone()),
            false => Self::Text(source, path.clone()),
        })
    }

    /// Gives each row in order: its URL, without blanks around it, and its
    /// time. Empty lines of text are none. While standard input is waited for,
    /// an error ends the wait once `is_stopped`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`], [`ErrorKind::Urls`], and what `each` gives.
    pub(crate) fn read(
        self,
        is_stopped: &dyn Fn() -> bool,
        each: &mut Each<'_>,
    ) -> Result<(), Error> {
        match self {
            Self::Stdin => {
                let mut source = BufReader::new(Stdin::open(is_stopped));
                read_text(&mut source, Path::new("standard input"), each)
            }
            Self::Text(mut source, path) => read_text(&mut source, &path, each),
            Self::Csv(source, path) => read_csv(source, &path, each),
            Self::Parquet(file, path) => read_parquet(file, &path, each),
        }
    }
}

/// Reads until a line has ended, or enough is there. A pipe gives what it has,
/// so it may take several times.
fn read_head(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let (mut head, mut len) = (vec![0; HEAD_BYTES_MAX], 0);
    while len < head.len() && !head[..len].contains(&b'\n') {
        match source.read(&mut head[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(len);
    Ok(head)
}

fn is_named_csv(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".gz").unwrap_or(&name).ends_with(".csv")
}

/// Whether the first line is a header of CSV; a URL would have a scheme.
fn has_url_column(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
    memchr::memmem::find(line, b"://").is_none()
        && without_mark(line)
            .split(|&byte| byte == b',')
            .any(|field| column_name(field) == b"url")
}

fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

fn column_name(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    let inner = field
        .strip_prefix(b"\"")
        .and_then(|it| it.strip_suffix(b"\""));
    inner.unwrap_or(field).trim_ascii()
}

fn read_text(source: &mut dyn BufRead, path: &Path, each: &mut Each<'_>) -> Result<(), Error> {
    let (mut line, mut is_first) = (Vec::new(), true);
    while read_line(source, &mut line).map_err(|error| Error::read(path, error))? {
        let mut url = line.as_slice();
        if std::mem::take(&mut is_first) {
            url = without_mark(url);
        }
        let url = url.trim_ascii();
        if !url.is_empty() {
            each(url, Time::Unsaid)?;
        }
    }
    Ok(())
}

/// Reads a line, of which no more than [`LINE_BYTES_MAX`] are kept; `false` at
/// the end.
fn read_line(source: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut is_there = false;
    loop {
        let held = match source.fill_buf() {
            Ok(held) => held,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if held.is_empty() {
            return Ok(is_there);
        }
        is_there = true;
        let end = memchr::memchr(b'\n', held);
        let text = &held[..end.unwrap_or(held.len())];
        let room = LINE_BYTES_MAX.saturating_sub(line.len());
        line.extend_from_slice(&text[..text.len().min(room)]);
        let used = end.map_or(held.len(), |end| end + 1);
        source.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

fn read_csv(source: Box<dyn BufRead>, path: &Path, each: &mut Each<'_>) -> Result<(), Error> {
    let refuse = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => Error::read(path, error),
        other => Error::new(ErrorKind::Urls(format!("{other:?}")), path),
    };
    // What a record may still take; the reader holds some more beforehand.
    let left = Rc::new(Cell::new(RECORD_BYTES_MAX));
    let source = Bounded {
        source,
        left: Rc::clone(&left),
    };
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(source);
    let header = reader.byte_headers().map_err(refuse)?.clone();
    let column = |name: &[u8]| {
        header
            .iter()
            .position(|field| column_name(without_mark(field)) == name)
    };
    let Some(url) = column(b"url") else {
        let why = "its first line has no column `url`".to_owned();
        return Err(Error::new(ErrorKind::Urls(why), path));
    };
    let fetch_time = column(b"fetch_time");
    let mut record = csv::ByteRecord::new();
    loop {
        left.set(RECORD_BYTES_MAX);
        let line = reader.position().line();
        let is_there = reader.read_byte_record(&mut record);
        if left.get() == 0 {
            let why = format!(
                "the record that begins at line {line} has more than {RECORD_BYTES_MAX} bytes: is a quote left open?"
            );
            return Err(Error::new(ErrorKind::Urls(why), path));
        }
        if !is_there.map_err(refuse)? {
            return Ok(());
        }
        let time = fetch_time.and_then(|at| record.get(at)).unwrap_or_default();
        let time = std::str::from_utf8(time).map_or(Time::Bad, time_of_text);
        each(record.get(url).unwrap_or_default().trim_ascii(), time)?;
    }
}

/// A source that fails once what is left is used up.
struct Bounded<R> {
    source: R,
    left: Rc<Cell<usize>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let room = out.len().min(self.left.get());
        if room == 0 && !out.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let read = self.source.read(&mut out[..room])?;
        self.left.set(self.left.get() - read);
        Ok(read)
    }
}

fn time_of_text(text: &str) -> Time {
    if text.trim().is_empty() {
        return Time::Unsaid;
    }
    parse_iso(text).map_or(Time::Bad, Time::At)
}

fn read_parquet(file: File, path: &Path, each: &mut Each<'_>) -> Result<(), Error> {
    let refuse = |why: String| Error::new(ErrorKind::Urls(why), path);
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|error| Error::with_source(ErrorKind::Read, path, error))?;
    let fields = builder.schema().fields();
    let has = |name: &str| fields.iter().any(|field| field.name() == name);
    if !has("url") {
        return Err(refuse("it has no column `url`".to_owned()));
    }
    let mask = ProjectionMask::columns(builder.parquet_schema(), ["url", "fetch_time"]);
    let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS);
    let reader = reader
        .build()
        .map_err(|error| Error::with_source(ErrorKind::Read, path, error))?;
    for batch in reader {
        let batch = batch.map_err(|error| Error::with_source(ErrorKind::Read, path, error))?;
        let (urls, times) = columns(&batch).map_err(|error| refuse(error.to_string()))?;
        let urls = urls.as_binary::<i64>();
        for row in 0..batch.num_rows() {
            let url: &[u8] = if urls.is_valid(row) {
                urls.value(row)
            } else {
                b""
            };
            let time = match &times {
                None => Time::Unsaid,
                Some(times) => time_of_row(times, row),
            };
            each(url.trim_ascii(), time)?;
        }
    }
    Ok(())
}

/// The URLs as bytes, and the times as they are, or as texts.
fn columns(batch: &RecordBatch) -> Result<(ArrayRef, Option<ArrayRef>), ArrowError> {
    let wrong = |name: &str, array: &ArrayRef| {
        let kind = array.data_type();
        ArrowError::SchemaError(format!("its column `{name}` is of the type {kind}"))
    };
    let by_name = |name: &str| batch.column_by_name(name);
    let urls = by_name("url").ok_or_else(|| ArrowError::SchemaError("no `url`".to_owned()))?;
    let urls = match urls.data_type() {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Ok(urls.clone()),
        _ if is_text(urls.data_type()) => cast(urls, &DataType::LargeUtf8),
        _ => Err(wrong("url", urls)),
    }?;
    let urls = cast(&urls, &DataType::LargeBinary)?;
    let Some(times) = by_name("fetch_time") else {
        return Ok((urls, None));
    };
    let times = match times.data_type() {
        DataType::Timestamp(..) | DataType::Date32 => times.clone(),
        kind if is_text(kind) => cast(times, &DataType::LargeUtf8)?,
        _ => return Err(wrong("fetch_time", times)),
    };
    Ok((urls, Some(times)))
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// An instant is the same in every zone, and one without a zone is taken as
/// UTC. What is finer than a millisecond is cut, as it is for captures.
fn time_of_row(times: &ArrayRef, row: usize) -> Time {
    if times.is_null(row) {
        return Time::Unsaid;
    }
    let millis = match times.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => times
            .as_primitive::<TimestampSecondType>()
            .value(row)
            .checked_mul(1000),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            Some(times.as_primitive::<TimestampMillisecondType>().value(row))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            let micros = times.as_primitive::<TimestampMicrosecondType>().value(row);
            Some(micros.div_euclid(1000))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            let nanos = times.as_primitive::<TimestampNanosecondType>().value(row);
            Some(nanos.div_euclid(1_000_000))
        }
        DataType::Date32 => {
            let days = times.as_primitive::<Date32Type>().value(row);
            Some(i64::from(days) * 86_400_000)
        }
        _ => return time_of_text(times.as_string::<i64>().value(row)),
    };
    millis.map_or(Time::Bad, Time::At)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{
        BinaryArray, DictionaryArray, Int64Array, LargeStringArray, StringArray, StringViewArray,
        TimestampMicrosecondArray, TimestampNanosecondArray, TimestampSecondArray,
    };
    use arrow::datatypes::Int32Type;
    use std::sync::Arc;

    fn rows(name: &str, bytes: &[u8]) -> Result<Vec<(String, Time)>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let mut rows = Vec::new();
        Urls::open(&List::File(path))?.read(&|| false, &mut |url, time| {
            rows.push((String::from_utf8_lossy(url).into_owned(), time));
            Ok(())
        })?;
        Ok(rows)
    }

    fn urls(name: &str, bytes: &[u8]) -> Vec<String> {
        rows(name, bytes)
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
    fn text_has_a_url_a_line() {
        let text = b"\xef\xbb\xbfhttp://a/\r\n\n  http://b/x y \n\t\nnone\nhttp://c/";
        let expected = ["http://a/", "http://b/x y", "none", "http://c/"];
        assert_eq!(urls("list.txt", text), expected);
        // Several members of gzip follow one another, as in archives.
        let packed = [gzip(&text[..20]), gzip(&text[20..])].concat();
        assert_eq!(urls("list", &packed), expected);
        assert_eq!(urls("empty", b""), [""; 0]);
        let long = [&b"http://a/"[..], &vec![b'x'; 3 << 20], b"\nhttp://b/"].concat();
        let read = urls("long", &long);
        // One octet more than a URL may have shows that it was cut.
        assert_eq!(
            (read[0].len(), read[1].as_str()),
            (LINE_BYTES_MAX, "http://b/")
        );
    }

    #[test]
    fn csv_is_told_by_its_name_or_its_header() {
        use Time::{At, Bad, Unsaid};
        let text = b"n,\"url\",fetch_time\n1,\"http://a/,b\",2024-03-01T12:00:00Z\n2, http://b/ ,\n3\n4,http://c/,soon\n";
        let expected = [
            ("http://a/,b", At(1_709_294_400_000)),
            ("http://b/", Unsaid),
            ("", Unsaid),
            ("http://c/", Bad),
        ];
        let expected = expected.map(|(url, time)| (url.to_owned(), time));
        for name in ["list.csv", "list.txt", "list"] {
            assert_eq!(rows(name, text).unwrap(), expected);
            assert_eq!(rows(&format!("{name}.gz"), &gzip(text)).unwrap(), expected);
        }
        assert_eq!(
            urls("x", b"\xef\xbb\xbfurl\r\nhttp://a/\r\n"),
            ["http://a/"]
        );
        let error = rows("list.csv", b"http://a/\n").unwrap_err();
        assert!(error.to_string().contains("no column `url`"), "{error}");
        // A line of text that has a comma and the word is none.
        assert_eq!(urls("x", b"http://a/,url\n"), ["http://a/,url"]);
    }

    fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
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
    fn parquet_may_have_any_type_of_text_and_of_time() {
        let texts = [Some("http://a/"), None, Some("http://b/")];
        let kinds: [ArrayRef; 5] = [
            Arc::new(StringArray::from_iter(texts)),
            Arc::new(LargeStringArray::from_iter(texts)),
            Arc::new(StringViewArray::from_iter(texts)),
            Arc::new(DictionaryArray::<Int32Type>::from_iter(texts)),
            Arc::new(BinaryArray::from_iter(
                texts.map(|it| it.map(str::as_bytes)),
            )),
        ];
        for kind in kinds {
            let other: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
            let bytes = parquet(vec![("n", other), ("url", kind)]);
            assert_eq!(urls("list", &bytes), ["http://a/", "", "http://b/"]);
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
            let bytes = parquet(vec![("url", url.clone()), ("fetch_time", time)]);
            let times: Vec<Time> = rows("x", &bytes).unwrap().iter().map(|row| row.1).collect();
            assert_eq!(times, [Time::At(-2000), Time::Unsaid], "{kind}");
        }
        let number: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        for columns in [
            vec![("n", number.clone())],
            vec![("url", number.clone())],
            vec![("url", url), ("fetch_time", number)],
        ] {
            let error = rows("x", &parquet(columns)).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Urls(_)), "{error}");
        }
    }
}
