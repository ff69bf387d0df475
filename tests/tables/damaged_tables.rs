//! Tables that another program wrote or changed: each command that reads them ends with an error or
//! with the right answer, in bounded memory.

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::series::Series;
use support::{self, Folder, Ran, assert_refused, command, relative};
use xxhash_rust::xxh3::xxh3_64;

/// The tables that commands read.
const TABLES: [&str; 5] = ["robots_files", "groups", "rules", "verdicts", "anomalies"];

/// A dataset of one part, in a folder of datasets, and a list of URLs.
struct Tables {
    folder: Folder,
    sound: Vec<(PathBuf, Vec<u8>)>,
}

impl Tables {
    fn new() -> Self {
        let folder = Folder::new();
        let responses = [
            (
                "a",
                "200 OK",
                "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /x\nnonsense\n",
            ),
            (
                "b",
                "200 OK",
                "User-agent: CCBot\nUser-agent: a\nAllow: /y\nDisallow: /\n",
            ),
            ("c", "301 Moved\r\nLocation: https://a.test/robots.txt", ""),
            ("d", "404 Not Found", ""),
        ];
        let records = responses.map(|(host, head, body)| {
            let block = format!("HTTP/1.1 {head}\r\n\r\n{body}");
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{host}.test/robots.txt\r\n\
                 WARC-Date: 2026-01-05T00:00:00Z\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
                block.len()
            )
        });
        let archive = folder.write("a.warc", records.concat());
        folder.write(
            "urls",
            "https://a.test/x\nhttps://b.test/y\nhttps://c.test/\n",
        );
        let out = folder.arg("all/month");
        let ran = support::run([
            &archive,
            "-q",
            "-o",
            &out,
            "--crawl",
            "C",
            "--subset",
            "robotstxt",
        ]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let mut sound = Vec::new();
        for path in support::files_below(Path::new(&out)) {
            let bytes = fs::read(&path).unwrap();
            sound.push((path, bytes));
        }
        Self { folder, sound }
    }

    /// Returns the file of a table.
    fn file(&self, table: &str) -> PathBuf {
        let part = format!("all/month/{table}/crawl=C/subset=robotstxt/part-00000.parquet");
        let path = self.folder.path().join(part);
        assert!(path.exists(), "{}", path.display());
        path
    }

    /// Undoes all changes.
    fn restore(&self) {
        for (path, bytes) in &self.sound {
            fs::write(path, bytes).unwrap();
        }
    }

    /// Changes the rows of a table, and states its digest. Its values are stored as they are, or in dictionaries.
    fn rewrite(
        &self,
        table: &str,
        has_dictionaries: bool,
        change: impl FnOnce(RecordBatch) -> RecordBatch,
    ) {
        let path = self.file(table);
        let batches = support::columns(&path);
        let batch = change(concat_batches(&batches[0].schema(), &batches).unwrap());
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_enabled(has_dictionaries)
            .set_dictionary_page_size_limit(1 << 30)
            .build();
        let file = fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        self.state_digest(&path, batch.num_rows());
    }

    /// States the rows, the size and the digest of a file in the manifest, and the digest of the manifest.
    fn state_digest(&self, path: &Path, rows: usize) {
        let root = self.folder.path().join("all/month");
        let (name, bytes) = (relative(path, &root), fs::read(path).unwrap());
        let manifest = root.join("_manifest.jsonl");
        let text = fs::read_to_string(&manifest).unwrap();
        let lines = text.lines().map(|line| {
            let mut entry: Value = serde_json::from_str(line).unwrap();
            if entry["path"] == *name {
                entry["rows"] = json!(rows);
                entry["bytes"] = json!(bytes.len());
                entry["xxh3"] = json!(format!("{:016x}", xxh3_64(&bytes)));
            }
            format!("{entry}\n")
        });
        let text: String = lines.collect();
        let digest = format!("{:016x}\n", xxh3_64(text.as_bytes()));
        fs::write(manifest, text).unwrap();
        fs::write(root.join("_SUCCESS"), digest).unwrap();
    }

    /// Runs each command that reads tables. Returns their names and results.
    fn run_all(&self) -> Vec<(&'static str, Ran)> {
        let (dataset, all) = (self.folder.arg("all/month"), self.folder.arg("all"));
        let check = [
            "check", &dataset, "--host", "c.test", "-a", "GPTBot", "--json",
        ];
        vec![
            ("check", run(&check)),
            ("match", self.run_match()),
            ("verify", run(&["verify", &dataset])),
            ("join", self.run_join(&all)),
        ]
    }

    /// Runs `match`. Its output is the file that it writes.
    fn run_match(&self) -> Ran {
        let (dataset, urls) = (self.folder.arg("all/month"), self.folder.arg("urls"));
        let out = self.folder.arg("matches.csv");
        let mut ran = run(&[
            "match",
            &dataset,
            "-u",
            &urls,
            "--any-name",
            "-a",
            "GPTBot,a",
            "-o",
            &out,
        ]);
        ran.out = fs::read_to_string(&out).unwrap_or_default();
        let _ = fs::remove_file(&out);
        ran
    }

    /// Runs `join` again. Its output is the rows of the tables that it writes.
    fn run_join(&self, all: &str) -> Ran {
        let joined = self.folder.path().join("all/_joined");
        let _ = fs::remove_dir_all(&joined);
        let mut ran = run(&["join", all, "-q"]);
        for table in ["hosts", "host_verdicts"] {
            if ran.code == Some(0) {
                let rows = support::rows(&joined, table).into_iter();
                ran.out.extend(rows.map(|row| format!("{row}\n")));
            }
        }
        ran
    }
}

/// Runs a command with 2 GiB of address space and 60 seconds of CPU time.
fn run(args: &[&str]) -> Ran {
    let script = "ulimit -v 2097152 && ulimit -t 60 && exec \"$@\"";
    let program = command().get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(program).args(args);
    let output = shell.stdin(std::process::Stdio::null()).output();
    output.unwrap().into()
}

/// Asserts that a command gave the right answer, or an error.
#[track_caller]
fn assert_right_or_error(change: &str, ran: &[(&str, Ran)], sound: &[(&str, Ran)]) {
    for ((name, ran), (_, sound)) in ran.iter().zip(sound) {
        let is_error = matches!(ran.code, Some(2 | 3)) && ran.err.contains("error: ");
        // `verify` compares the digests, which are those of the changed files.
        let is_verified = *name == "verify" && ran.code == Some(0);
        let is_right = ran.code == sound.code && ran.out == sound.out;
        assert!(
            is_error || is_verified || is_right,
            "{name}, {change}: {:?}\n{}\n{}\ninstead of\n{}",
            ran.code,
            ran.err,
            ran.out,
            sound.out
        );
        assert!(
            !ran.err.contains("internal error"),
            "{name}, {change}: {}",
            ran.err
        );
    }
}

#[cfg(feature = "answers")]
#[test]
fn rows_that_are_repeated_or_out_of_order_are_an_error() {
    let tables = Tables::new();
    let sound = tables.run_all();
    assert!(
        sound.iter().all(|(_, ran)| !ran.out.is_empty()),
        "{sound:?}"
    );
    // A line may have the same anomaly twice, so that their rows have no keys.
    for table in ["robots_files", "groups", "rules", "verdicts"] {
        for (change, order) in [
            ("the first row twice", &|rows: u32| {
                [vec![0], (0..rows).collect()].concat()
            }),
            ("every row twice", &|rows| {
                (0..2 * rows).map(|row| row / 2).collect()
            }),
            ("all rows twice", &|rows| {
                (0..2 * rows).map(|row| row % rows).collect()
            }),
            ("backwards", &|rows| (0..rows).rev().collect()),
            ("the first row last", &|rows| {
                (0..rows).map(|row| (row + 1) % rows).collect()
            }),
        ] as [(&str, &dyn Fn(u32) -> Vec<u32>); 5]
        {
            tables.rewrite(table, true, |batch| {
                let rows = order(batch.num_rows() as u32);
                take_record_batch(&batch, &UInt32Array::from(rows)).unwrap()
            });
            let ran = tables.run_all();
            assert_right_or_error(&format!("{table}, {change}"), &ran, &sound);
            for (name, ran) in ran.iter().filter(|(_, ran)| !ran.err.is_empty()) {
                let is_named = ran.err.contains("part-00000.parquet");
                assert!(is_named, "{name}, {table}, {change}: {}", ran.err);
            }
            tables.restore();
        }
    }
}

#[test]
fn changed_bytes_of_tables_end_no_command() {
    let tables = Tables::new();
    let series = Series::new();
    let random = &mut series.random(1);
    for table in TABLES {
        for i in 0..series.count(100) {
            let path = tables.file(table);
            let mut bytes = fs::read(&path).unwrap();
            if i == 0 {
                bytes.truncate(random.below(bytes.len()));
            } else {
                // Most of the flips are in the footer, which is the larger part of a small file.
                for _ in 0..(i * i).min(100) {
                    let place = random.below(bytes.len());
                    bytes[place] ^= 1 << random.below(8);
                }
            }
            fs::write(&path, bytes).unwrap();
            for (name, ran) in tables.run_all() {
                assert!(
                    matches!(ran.code, Some(0..=3)),
                    "{name}, {table}, {i}: {:?} {}",
                    ran.code,
                    ran.err
                );
            }
            tables.restore();
        }
    }
}

/// Replaces texts of a column.
fn with_texts(batch: &RecordBatch, name: &str, texts: impl Iterator<Item = String>) -> RecordBatch {
    let index = batch.schema().index_of(name).unwrap();
    let mut columns = batch.columns().to_vec();
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    columns[index] = texts;
    RecordBatch::try_new(batch.schema(), columns).unwrap()
}

/// Returns the texts of a column.
fn texts(batch: &RecordBatch, name: &str) -> Vec<String> {
    let column = batch.column_by_name(name).unwrap();
    let column = column.as_any().downcast_ref::<StringArray>().unwrap();
    let text = |row| {
        if column.is_valid(row) {
            column.value(row)
        } else {
            ""
        }
    };
    (0..column.len()).map(|row| text(row).to_owned()).collect()
}

#[cfg(feature = "answers")]
#[test]
fn a_page_of_a_table_has_a_limit() {
    let tables = Tables::new();
    for (table, column, commands) in [
        ("robots_files", "url", &["check", "match", "join"][..]),
        ("verdicts", "agent", &["join"]),
        ("rules", "path", &["check", "match"]),
    ] {
        tables.rewrite(table, false, |batch| {
            let mut values = texts(&batch, column);
            values[0] = "z".repeat(17 << 20);
            with_texts(&batch, column, values.into_iter())
        });
        let place = format!("row group 0, column `{column}`: ");
        let is_expected = |text: &str| text.contains(&place) && text.contains("a page has 178");
        for (name, ran) in tables.run_all() {
            if commands.contains(&name) {
                assert!(is_expected(&ran.err), "{name}: {}", ran.err);
                assert!(matches!(ran.code, Some(2 | 3)), "{name}: {:?}", ran.code);
            }
        }
        let file = tables.file(table);
        let ran = run(&["verify", file.to_str().unwrap()]);
        let words = ["row group 0 cannot be decoded", "a page has 178"];
        assert!(
            words.iter().all(|word| ran.out.contains(word)),
            "{}",
            ran.out
        );
        tables.restore();
    }
}

/// `match` merges the tables in the order of their rows, so it would miss lines.
#[test]
fn match_refuses_tables_without_the_rows_of_a_capture() {
    let tables = Tables::new();
    let refused = |words: &[&str]| {
        let ran = tables.run_match();
        assert_refused(&ran, &[&["part-00000.parquet", "`rules`"], words].concat());
        tables.restore();
    };
    tables.rewrite("rules", true, |batch| batch.slice(0, 0));
    refused(&[]);
    // A scan that was killed may have left files of some tables of a part.
    fs::remove_file(tables.file("rules")).unwrap();
    refused(&["no file of the table", "--resume"]);
}
