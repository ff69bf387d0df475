//! Helpers of all tests: paths, the command, reading of tables, and series of random cases.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

pub mod series;
pub mod shim;
pub mod test_capture;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
pub use checks::random::Random;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Returns the folder of the project.
pub fn project() -> &'static Path {
    let below = Path::new(env!("CARGO_MANIFEST_DIR"));
    below.ancestors().nth(2).expect("tests/support is in it")
}

/// Returns the folder of the samples.
pub fn samples() -> PathBuf {
    project().join("data-samples")
}

/// Returns the path of a sample archive as an argument.
pub fn archive(name: &str) -> String {
    let path = samples().join("warc").join(name);
    path.to_str().unwrap().to_owned()
}

/// Returns the folder of data that is not part of the project, if it exists.
pub fn shared_data() -> Option<PathBuf> {
    let path = project().join("../shared/data");
    if !path.is_dir() {
        println!("skipped: ../shared/data is not there");
        return None;
    }
    Some(path)
}

/// Decodes base64 with or without padding.
pub fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut bit_count) = (Vec::new(), 0u32, 0);
    for &byte in text.trim_end_matches('=').as_bytes() {
        let digit = DIGITS.iter().position(|&digit| digit == byte);
        bits = bits << 6 | digit.expect("a digit of base64") as u32;
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            out.push((bits >> bit_count) as u8);
            bits &= (1 << bit_count) - 1;
        }
    }
    out
}

/// Returns all batches of a Parquet file.
pub fn columns(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    reader.build().unwrap().map(Result::unwrap).collect()
}

/// Returns the rows of a table of a dataset as JSON objects, in the order of its files.
pub fn rows(dataset: &Path, table: &str) -> Vec<Value> {
    let files = files_below(&dataset.join(table));
    files.iter().flat_map(|path| rows_of_file(path)).collect()
}

/// Returns the rows of a Parquet file as JSON objects.
pub fn rows_of_file(path: &Path) -> Vec<Value> {
    let mut rows = Vec::new();
    for batch in columns(path) {
        for row in 0..batch.num_rows() {
            let mut object = serde_json::Map::new();
            for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
                object.insert(field.name().clone(), value(column.as_ref(), row));
            }
            rows.push(Value::Object(object));
        }
    }
    rows
}

fn value(column: &dyn Array, row: usize) -> Value {
    if column.is_null(row) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Utf8 => json!(column.as_string::<i32>().value(row)),
        DataType::Boolean => json!(column.as_boolean().value(row)),
        DataType::Int16 => json!(column.as_primitive::<Int16Type>().value(row)),
        DataType::Int32 => json!(column.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(column.as_primitive::<Int64Type>().value(row)),
        // No test needs the values of other types.
        other => json!(format!("{other}")),
    }
}

/// Returns all files below a folder, sorted; none if the folder does not exist.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).into_iter().flatten();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Returns a path relative to a folder, with slashes.
pub fn relative(path: &Path, folder: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap();
    path.to_str().unwrap().replace('\\', "/")
}

/// Returns the path of the program, which is beside the folder of the running tests.
pub fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.ancestors().nth(2).expect("it is in `deps`");
    let name = format!("robots-scan{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join(name);
    assert!(path.exists(), "there is no {}: cargo build", path.display());
    path
}

/// Returns the command with an empty standard input.
pub fn command() -> Command {
    let mut command = Command::new(program());
    command.stdin(Stdio::null());
    command
}

/// The result of running the command.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` if a signal ended the command.
    pub code: Option<i32>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs the command.
pub fn run<I: AsRef<OsStr>>(args: impl IntoIterator<Item = I>) -> Ran {
    command().args(args).output().unwrap().into()
}

/// Waits for a command to end, and kills it if it seems to wait forever.
pub fn wait(mut child: Child) -> Ran {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("the command hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap().into()
}

/// A temporary folder, and paths in it as arguments.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn arg(&self, name: &str) -> String {
        self.path().join(name).to_str().unwrap().to_owned()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        self.arg(name)
    }

    /// Copies a sample into the folder under a name.
    pub fn put(&self, sample: &str, name: &str) -> String {
        self.write(name, fs::read(archive(sample)).unwrap())
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }
}

/// Asserts that a command ended before a run began, and that its messages contain all
/// of these words.
#[track_caller]
pub fn assert_refused(ran: &Ran, words: &[&str]) {
    for word in words {
        assert!(ran.err.contains(word), "`{word}` is not in: {}", ran.err);
    }
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
}

/// Returns all files of a dataset except the log, which holds times, and the views, which hold the
/// path of the dataset.
pub fn contents(dataset: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = files_below(dataset);
    let named = files.iter().map(|path| (relative(path, dataset), path));
    named
        .filter(|(name, _)| name != "_log.jsonl" && name != "views.sql")
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

pub fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (contents(a), contents(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(bytes == &b[name], "{name} differs");
    }
}

/// Returns a folder with copies of samples under many names, and the list of these copies.
pub fn crawl(copies: usize) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let names = [
        "cc-robotstxt.warc.gz",
        "whole-file.warc.gz",
        "frames.warc.zst",
        "plain.warc",
        "damaged-checksum.warc.gz",
    ];
    let mut list = String::new();
    for copy in 0..copies {
        for sample in names
            .iter()
            .filter(|sample| samples().join("warc").join(sample).exists())
        {
            let name = format!("{copy:03}-{sample}");
            fs::copy(
                samples().join("warc").join(sample),
                folder.path().join(&name),
            )
            .unwrap();
            list.push_str(&format!("{name}\n"));
        }
    }
    let path = folder.path().join("list");
    fs::write(&path, list).unwrap();
    (folder, path)
}

/// Encodes bytes in base32, without padding.
pub fn base32(bytes: &[u8]) -> String {
    let bit = |i: usize| bytes[i / 8] >> (7 - i % 8) & 1;
    let letter = |i: usize| (0..5).fold(0, |value, j| value << 1 | bit(5 * i + j));
    (0..bytes.len() * 8 / 5)
        .map(|i| char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[usize::from(letter(i))]))
        .collect()
}

#[test]
fn base64_is_read_with_and_without_padding() {
    for (text, bytes) in [
        ("", &b""[..]),
        ("YQ==", b"a"),
        ("YWI", b"ab"),
        ("YWJj/+8=", b"abc\xff\xef"),
    ] {
        assert_eq!(base64(text), bytes, "{text}");
    }
}
