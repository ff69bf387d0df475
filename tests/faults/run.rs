//! Runs of the command into which faults are injected, and the assertions that hold after them.

use super::shim::Shim;
use crate::output::{assert_same, crawl};
use crate::util::{self, Ran};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A small crawl of several parts, with the dataset of an undisturbed run.
pub(crate) struct Bench {
    /// The folder of the archives, their list, and the outputs.
    pub(crate) folder: TempDir,
    list: PathBuf,
    undisturbed: PathBuf,
}

impl Bench {
    pub(crate) fn new(copies: usize) -> Self {
        let (folder, list) = crawl(copies);
        let undisturbed = folder.path().join("undisturbed");
        let bench = Self {
            list,
            undisturbed: undisturbed.clone(),
            folder,
        };
        let ran = bench.run(&undisturbed, None, &[]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        bench
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Returns the command that scans all archives.
    pub(crate) fn command(&self, out: &Path, shim: Option<Shim<'_>>, more: &[&str]) -> Command {
        let mut command = util::command();
        command
            .arg("--paths")
            .arg(&self.list)
            .arg("--base")
            .arg(self.folder.path())
            .arg("-o")
            .arg(out)
            .args(["--crawl", "X", "--subset", "robotstxt"])
            .args(["--part-inputs", "1", "--threads", "2"])
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

    /// Asserts that every file under its final name is complete.
    pub(crate) fn assert_finals(&self) {
        let files = util::files_below(&self.out());
        let is_table = |path: &&PathBuf| {
            path.extension()
                .is_some_and(|extension| extension == "parquet")
        };
        for path in files.iter().filter(is_table) {
            let name = util::relative(path, &self.out());
            let whole = self.undisturbed.join(&name);
            assert!(
                fs::read(path).unwrap() == fs::read(whole).unwrap(),
                "{name} is not whole"
            );
        }
        let success = self.out().join("_SUCCESS");
        assert!(!success.exists() || self.is_same());
    }

    fn is_same(&self) -> bool {
        crate::output::contents(&self.out()) == crate::output::contents(&self.undisturbed)
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
