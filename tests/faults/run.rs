//! Runs of the command into which faults are injected, and the assertions that hold after them.

use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::shim::Shim;
use support::{self, Ran};
use support::{assert_same, crawl};
use tempfile::TempDir;

/// A small crawl of several parts with a fault, and the dataset of an undisturbed run.
pub(crate) struct Bench {
    /// The folder of the inputs and outputs.
    pub(crate) folder: TempDir,
    /// The arguments that name the inputs.
    inputs: Vec<OsString>,
    undisturbed: PathBuf,
}

impl Bench {
    /// Returns a scan of archives.
    pub(crate) fn new(copies: usize) -> Self {
        let (folder, list) = crawl(copies);
        let mut inputs: Vec<OsString> = vec!["--paths".into(), list.into()];
        inputs.extend(["--base".into(), folder.path().into()]);
        inputs.extend(
            [
                "--crawl",
                "X",
                "--subset",
                "robotstxt",
                "--part-inputs",
                "1",
            ]
            .map(Into::into),
        );
        Self::with_inputs(folder, inputs)
    }

    /// Returns a run over the records of archives, each of which is a crawl. One address has no
    /// record.
    pub(crate) fn of_records(archives: usize) -> Self {
        let folder = TempDir::new().unwrap();
        let mut list = "warc_filename,warc_record_offset,warc_record_length,crawl\n".to_owned();
        for archive in 0..archives {
            let name = format!("{archive}.warc.gz");
            let path = folder.path().join(&name);
            fs::copy(support::archive("cc-robotstxt.warc.gz"), path).unwrap();
            for row in sample_captures(&folder) {
                let (offset, length) = (&row["warc_record_offset"], &row["warc_record_length"]);
                list.push_str(&format!("{name},{offset},{length},CRAWL-{archive}\n"));
            }
        }
        list.push_str("0.warc.gz,1,2,CRAWL-0\n");
        let path = folder.path().join("list.csv");
        fs::write(&path, list).unwrap();
        let inputs = [
            "records".into(),
            path.into(),
            "--base".into(),
            folder.path().into(),
        ];
        Self::with_inputs(folder, inputs.into())
    }

    /// Returns a run over tables of bodies, each of which is a crawl. One row of each has no URL.
    pub(crate) fn of_bodies(tables: usize) -> Self {
        let folder = TempDir::new().unwrap();
        let mut inputs: Vec<OsString> = vec!["bodies".into()];
        for table in 0..tables {
            let mut lines = json!({"url": null, "body": "", "crawl": "A"}).to_string();
            for row in sample_captures(&folder) {
                let body = format!(
                    "User-agent: a{table}\nDisallow: /\nSitemap: {}\n",
                    row["url"]
                );
                let line =
                    json!({"url": row["url"], "body": body, "crawl": format!("CRAWL-{table}")});
                lines.push_str(&format!("\n{line}"));
            }
            let path = folder.path().join(format!("{table}.jsonl"));
            fs::write(&path, lines).unwrap();
            inputs.push(path.into());
        }
        Self::with_inputs(folder, inputs)
    }

    fn with_inputs(folder: TempDir, inputs: Vec<OsString>) -> Self {
        let undisturbed = folder.path().join("undisturbed");
        let bench = Self {
            inputs,
            undisturbed: undisturbed.clone(),
            folder,
        };
        let ran = bench.run(&undisturbed, None, &[]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let parts = manifest_lines(&undisturbed);
        let parts = parts.iter().filter(|line| line["part"].is_u64()).count();
        assert!(parts > 1, "the crawl has one part");
        bench
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Returns the command that reads all inputs.
    pub(crate) fn command(&self, out: &Path, shim: Option<Shim<'_>>, more: &[&str]) -> Command {
        let mut command = support::command();
        command
            .args(&self.inputs)
            .arg("-o")
            .arg(out)
            .args(["--threads", "2"])
            .args(more);
        if let Some(shim) = shim {
            shim.load(&mut command);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, out: &Path, shim: Option<Shim<'_>>, more: &[&str]) -> Ran {
        let ran: Ran = self.command(out, shim, more).output().unwrap().into();
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// Starts a run whose renames wait `milliseconds` each, and waits for its manifest.
    pub(crate) fn begin_slow(&self, milliseconds: u32) -> Child {
        let out = self.out();
        let slow = Shim {
            path: out.to_str().unwrap(),
            calls: "rename",
            call: 1,
            what: "sleep",
        };
        let mut command = self.command(&out, Some(slow), &[]);
        command.env("FAULT_MS", milliseconds.to_string());
        let child = command.spawn().unwrap();
        while !out.join("_manifest.jsonl").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child
    }

    /// Returns the number of these system calls in an undisturbed run.
    pub(crate) fn count(&self, shim: Shim<'_>) -> usize {
        self.clear();
        let out = self.out();
        let path = self.folder.path().join("count");
        let mut command = self.command(&out, Some(shim), &[]);
        command.env("FAULT_COUNT", &path);
        let ran: Ran = command.output().unwrap().into();
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        self.clear();
        fs::read_to_string(path).unwrap().parse().unwrap()
    }

    pub(crate) fn clear(&self) {
        let _ = fs::remove_dir_all(self.out());
    }

    /// Asserts that every file under its final name is complete: it is the file of an undisturbed
    /// run, or it has the row groups of its parts.
    pub(crate) fn assert_finals(&self) {
        let lines = manifest_lines(&self.out());
        let files = support::files_below(&self.out());
        let is_table = |path: &&PathBuf| {
            path.extension()
                .is_some_and(|extension| extension == "parquet")
        };
        for path in files.iter().filter(is_table) {
            let name = support::relative(path, &self.out());
            let bytes = fs::read(path).unwrap();
            if fs::read(self.undisturbed.join(&name)).is_ok_and(|whole| whole == bytes) {
                continue;
            }
            let table = name.trim_start_matches("_parts/").split('/').next();
            let number = name.rsplit("part-").next().unwrap();
            let parts = if name.starts_with("_parts/") {
                vec![number.trim_end_matches(".parquet").parse().unwrap()]
            } else {
                let mut lines = lines.iter().rev();
                let line = lines.find(|line| line["path"] == name && line["parts"].is_array());
                let line = line.unwrap_or_else(|| panic!("{name} is not whole"));
                let parts = line["parts"].as_array().unwrap().iter();
                parts.map(|part| part.as_u64().unwrap()).collect()
            };
            let rows = parts.iter();
            let rows = rows.flat_map(|part| self.row_groups(table.unwrap(), *part));
            let expected: Vec<u8> = b"PAR1".iter().copied().chain(rows).collect();
            assert!(
                bytes.starts_with(&expected) && bytes.ends_with(b"PAR1"),
                "{name} is not whole"
            );
        }
        let success = self.out().join("_SUCCESS");
        assert!(!success.exists() || self.is_same());
    }

    /// Returns the bytes of the row groups of a part in the undisturbed dataset.
    fn row_groups(&self, table: &str, part: u64) -> Vec<u8> {
        let lines = manifest_lines(&self.undisturbed);
        let of_part = |part: &Value| {
            let line = lines.iter().find(|line| line["part"] == *part).unwrap();
            let mut tables = line["tables"].as_array().unwrap().iter();
            let of_table = tables.find(|of_part| of_part["table"] == table).unwrap();
            of_table["bytes"].as_u64().unwrap() as usize
        };
        let has_part = |line: &&Value| {
            let mut parts = line["parts"].as_array().into_iter().flatten();
            line["table"] == table && parts.any(|other| *other == part)
        };
        let file = lines.iter().find(has_part).unwrap();
        let parts = file["parts"].as_array().unwrap().iter();
        let before = parts.take_while(|other| **other != part);
        let first = "PAR1".len() + before.map(of_part).sum::<usize>();
        let path = self.undisturbed.join(file["path"].as_str().unwrap());
        fs::read(path).unwrap()[first..][..of_part(&part.into())].to_vec()
    }

    fn is_same(&self) -> bool {
        support::contents(&self.out()) == support::contents(&self.undisturbed)
    }

    /// Asserts that the next run finishes the work, with `--resume` if the dataset was begun.
    pub(crate) fn assert_resumes(&self) {
        let is_begun = self.out().exists();
        let more = if is_begun { &["--resume"][..] } else { &[] };
        let ran = self.run(&self.out(), None, more);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert_same(&self.undisturbed, &self.out());
    }

    /// Returns the folders for temporary files and the files in them.
    pub(crate) fn temporary(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.out()).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        let is_temporary = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("_tmp-") || name.ends_with(".tmp")
        };
        paths.filter(is_temporary).collect()
    }

    /// Returns the dataset of an undisturbed run.
    pub(crate) fn undisturbed(&self) -> &Path {
        &self.undisturbed
    }
}

/// Returns the rows of `robots_files` of a sample, which is scanned into the folder once.
fn sample_captures(folder: &TempDir) -> Vec<Value> {
    let out = folder.path().join("captures.parquet");
    if !out.exists() {
        let sample = support::archive("cc-robotstxt.warc.gz");
        let ran = support::run([
            &sample,
            "--tables",
            "robots_files",
            "-o",
            out.to_str().unwrap(),
        ]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    support::rows_of_file(&out)
}

/// Returns the lines of a manifest that are whole; none if it does not exist.
fn manifest_lines(dataset: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dataset.join("_manifest.jsonl")).unwrap_or_default();
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
