//! The manifest: what a dataset was made from, and which parts are whole.
//!
//! `_manifest.jsonl` begins with a line on the program and its options and a
//! line for each input; then follows a line for each part, written when all
//! its files stand under their names. A line that is cut, by a kill, counts
//! for nothing.

use crate::error::{Error, ErrorKind};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) const NAME: &str = "_manifest.jsonl";

/// The format of the manifest itself.
pub(crate) const FORMAT: u64 = 1;

/// What must be the same for a run to be resumed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// Options that change rows or files, with the versions of what is built in.
    pub(crate) options: Value,
    /// Names and sizes of the inputs.
    pub(crate) inputs: Vec<(String, Option<u64>)>,
}

/// The manifest of a run.
#[derive(Debug)]
pub(crate) struct Manifest {
    path: PathBuf,
    file: File,
    /// Lines of the parts that are whole.
    pub(crate) parts: Vec<Value>,
    /// Names and sizes of the inputs as they were when the run began: parts
    /// are cut by these.
    pub(crate) inputs: Vec<(String, Option<u64>)>,
}

impl Manifest {
    /// Begins a manifest, under its own name only when its head is whole.
    pub(crate) fn create(folder: &Path, plan: &Plan) -> Result<Self, Error> {
        let path = folder.join(NAME);
        let text = text_of(&plan.options, &plan.inputs, &[]);
        super::write_whole(&path, text.as_bytes())?;
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(|error| Error::write(&path, error))?;
        Ok(Self {
            path,
            file,
            parts: Vec::new(),
            inputs: plan.inputs.clone(),
        })
    }

    /// Leaves of a manifest, if there is one, only the line by which the folder
    /// is known as ours.
    pub(crate) fn forget(folder: &Path) -> Result<(), Error> {
        let path = folder.join(NAME);
        let Ok(text) = fs::read(&path) else {
            return Ok(());
        };
        let head = text.split_inclusive(|&byte| byte == b'\n').next();
        super::write_whole(&path, head.unwrap_or_default())
    }

    /// Whether there is one.
    pub(crate) fn stands(folder: &Path) -> bool {
        folder.join(NAME).exists()
    }

    /// Opens the manifest of a run that is to go on. A part counts for nothing
    /// if a file of it does not stand in its size.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NothingToResume`], and [`ErrorKind::ResumeDiffers`] with
    /// the first difference.
    pub(crate) fn resume(folder: &Path, plan: &Plan) -> Result<Self, Error> {
        let path = folder.join(NAME);
        let text = fs::read(&path).map_err(|_| Error::new(ErrorKind::NothingToResume, folder))?;
        let differs = |what: String| Error::new(ErrorKind::ResumeDiffers(what), folder);
        let (whole, lines) = read_lines(&text);
        let lines: Result<Vec<Value>, _> = lines.into_iter().map(|(_, line)| line).collect();
        let lines =
            lines.map_err(|error| differs(format!("its manifest cannot be read: {error}")))?;
        let mut lines = lines.into_iter();
        let head = lines
            .next()
            .ok_or_else(|| Error::new(ErrorKind::NothingToResume, folder))?;
        if head["robots_scan"] != env!("CARGO_PKG_VERSION") || head["format"] != FORMAT {
            return Err(differs(format!(
                "it is of version {}, this is {}",
                head["robots_scan"],
                env!("CARGO_PKG_VERSION")
            )));
        }
        let (mut inputs, mut parts) = (Vec::new(), Vec::new());
        for line in lines {
            match input_of(&line) {
                Some(input) => inputs.push(input),
                None => parts.push(line),
            }
        }
        if inputs.len() != plan.inputs.len() {
            return Err(differs(format!(
                "it had {} inputs, now there are {}",
                inputs.len(),
                plan.inputs.len()
            )));
        }
        for (old, new) in inputs.iter().zip(&plan.inputs) {
            // An input that was not there may have come.
            if old.0 != new.0 || (old.1.is_some() && old.1 != new.1) {
                let show = |(name, bytes): &(String, Option<u64>)| match bytes {
                    Some(bytes) => format!("{name} ({bytes} bytes)"),
                    None => name.clone(),
                };
                return Err(differs(format!(
                    "an input was {} and is {}",
                    show(old),
                    show(new)
                )));
            }
        }
        if let (Some(old), Some(new)) = (head["options"].as_object(), plan.options.as_object()) {
            for (name, value) in new {
                let before = old.get(name).unwrap_or(&Value::Null);
                if before != value {
                    return Err(differs(format!("{name} was {before} and is {value}")));
                }
            }
        }
        let count = parts.len();
        parts.retain(|part| stands(folder, part));
        if parts.len() < count {
            super::write_whole(&path, text_of(&plan.options, &inputs, &parts).as_bytes())?;
        }
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(|error| Error::write(&path, error))?;
        if parts.len() == count {
            file.set_len(whole as u64)
                .map_err(|error| Error::write(&path, error))?;
        }
        Ok(Self {
            path,
            file,
            parts,
            inputs,
        })
    }

    /// Whether a part is whole.
    pub(crate) fn has_part(&self, part: u32) -> bool {
        self.parts.iter().any(|line| line["part"] == part)
    }

    /// Notes a part whose files all stand, and brings the note to the disk.
    pub(crate) fn add(&mut self, line: Value) -> Result<(), Error> {
        let text = format!("{line}\n");
        let result = self
            .file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data());
        result.map_err(|error| Error::write(&self.path, error))?;
        self.parts.push(line);
        Ok(())
    }

    /// Puts the parts in their order, once all are there: that one was tried
    /// again leaves no trace.
    pub(crate) fn sort(&mut self, options: &Value) -> Result<(), Error> {
        if self.parts.is_sorted_by_key(|line| line["part"].as_u64()) {
            return Ok(());
        }
        self.parts.sort_by_key(|line| line["part"].as_u64());
        let text = text_of(options, &self.inputs, &self.parts);
        super::write_whole(&self.path, text.as_bytes())
    }
}

/// Whether the files of a part stand, in their sizes.
fn stands(folder: &Path, part: &Value) -> bool {
    let files = part["files"].as_array();
    files.is_some_and(|files| {
        files.iter().all(|file| {
            let bytes = file["path"]
                .as_str()
                .map(|path| fs::metadata(folder.join(path)));
            bytes.is_some_and(|it| it.is_ok_and(|it| Some(it.len()) == file["bytes"].as_u64()))
        })
    })
}

/// A manifest as it is written.
fn text_of(options: &Value, inputs: &[(String, Option<u64>)], parts: &[Value]) -> String {
    let mut text = head(options, inputs);
    for line in parts {
        text.push_str(&format!("{line}\n"));
    }
    text
}

/// The lines of a manifest, each with its number, and how many of its bytes
/// they are: a last line without its end was cut and is none.
pub(crate) fn read_lines(text: &[u8]) -> (usize, Vec<(usize, serde_json::Result<Value>)>) {
    let end = text.iter().rposition(|&byte| byte == b'\n');
    let whole = end.map_or(0, |at| at + 1);
    let lines = (1..).zip(text[..whole].split(|&byte| byte == b'\n'));
    let lines = lines.filter(|(_, line)| !line.is_empty());
    let read = |(no, line)| (no, serde_json::from_slice(line));
    (whole, lines.map(read).collect())
}

/// The name and the size of an input, if a line is one.
pub(crate) fn input_of(line: &Value) -> Option<(String, Option<u64>)> {
    let name = line["input"].as_str()?;
    Some((name.to_owned(), line["bytes"].as_u64()))
}

/// The lines before those of the parts.
fn head(options: &Value, inputs: &[(String, Option<u64>)]) -> String {
    let mut text = format!(
        "{}\n",
        json!({"robots_scan": env!("CARGO_PKG_VERSION"), "format": FORMAT, "options": options})
    );
    for (name, bytes) in inputs {
        text.push_str(&format!("{}\n", json!({"input": name, "bytes": bytes})));
    }
    text
}
