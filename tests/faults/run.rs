//! Runs of the command that faults are put into, and what must hold behind them.

use super::shim::Shim;
use crate::output::{assert_same, crawl};
use crate::util::{self, Ran};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A small crawl of several parts, and the dataset of an undisturbed run.
pub(crate) struct Bench {
    /// Archives, their list, and outputs.
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

    /// The run over all archives.
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
            .args(["--part-bytes", "130KiB", "--threads", "2"])
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

    /// Begins a run whose renames wait so many milliseconds, and waits for its manifest.
    pub(crate) fn begin_slow(&self, milliseconds: u32) -> Child {
        let out = self.out();
        let slow = Shim {
            path: out.to_str().unwrap(),
            calls: "rename",
            at: 1,
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

    /// How many of these calls an undisturbed run makes.
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

    /// No file that has its name is less than whole.
    pub(crate) fn assert_finals(&self) {
        let files = util::files_below(&self.out());
        let is_table = |path: &&PathBuf| path.extension().is_some_and(|it| it == "parquet");
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

    /// A rerun finishes the work: with `--resume` if anything was begun.
    pub(crate) fn assert_resumes(&self) {
        let is_begun = self.out().exists();
        let more = if is_begun { &["--resume"][..] } else { &[] };
        let ran = self.run(&self.out(), None, more);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert_same(&self.undisturbed, &self.out());
    }

    /// Folders for temporary files, and files in them.
    pub(crate) fn temporary(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.out()).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        let is_temporary = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("_tmp-") || name.ends_with(".tmp")
        };
        paths.filter(is_temporary).collect()
    }

    /// The dataset of an undisturbed run.
    pub(crate) fn undisturbed(&self) -> &Path {
        &self.undisturbed
    }
}
