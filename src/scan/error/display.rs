//! The messages of errors.

use super::{Error, ErrorKind};
use crate::capture::date::to_iso;
use std::fmt;

/// Writes the message of the error, without its cause and without advice. Control
/// characters in paths are not escaped.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_input(self, f)
    }
}

/// Writes the messages about inputs.
fn fmt_input(error: &Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let place = error.path().display();
    match error.kind() {
        ErrorKind::UrlInput => write!(f, "'{place}' is a URL, and URLs cannot be read yet"),
        ErrorKind::NoInput if error.path().as_os_str().is_empty() => {
            f.write_str("there are no inputs")
        }
        ErrorKind::NoInput => write!(f, "'{place}' names no archive"),
        ErrorKind::SameName { paths, .. } => write!(
            f,
            "two inputs have the name '{place}', and captures are identified by it: '{}' and '{}'",
            paths[0].display(),
            paths[1].display()
        ),
        ErrorKind::SameInput => write!(f, "'{place}' is given twice"),
        ErrorKind::NotBelow { folder } => {
            write!(f, "'{place}' does not lie below '{}'", folder.display())
        }
        ErrorKind::MissingInputs {
            first,
            missing,
            inputs,
        } => {
            let verb = if *missing == 1 { "does" } else { "do" };
            write!(f, "{missing} of {inputs} inputs {verb} not exist: ")?;
            for (i, path) in first.iter().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                write!(f, "{comma}'{}'", path.display())?;
            }
            match missing - first.len() {
                0 => Ok(()),
                more => write!(f, " and {more} more"),
            }
        }
        ErrorKind::SameStream => write!(
            f,
            "'{place}' is given twice, and a stream can be read only once"
        ),
        ErrorKind::StreamResume => write!(
            f,
            "'{place}' is a stream, which cannot be read twice, so the run cannot be resumed"
        ),
        ErrorKind::StreamName { streams } => write!(
            f,
            "the name '{place}' is for the only input that is a stream, and there are {streams} of them"
        ),
        ErrorKind::BaseWithoutList => {
            write!(f, "there is no list whose lines '{place}' could precede")
        }
        ErrorKind::PartitionName { key, value } => {
            write!(f, "the {key} '{value}' cannot name a folder")
        }
        ErrorKind::NotAnArchive(why) => write!(f, "'{place}': {why}"),
        ErrorKind::BadRegistry(why) => {
            write!(f, "'{place}' is not a registry of crawlers: {why}")
        }
        ErrorKind::FolderTooLarge { entries, depth } => write!(
            f,
            "'{place}' holds more than {entries} files or folders, or more than {depth} folders within each other"
        ),
        ErrorKind::NotAUrlList(why) => write!(f, "'{place}' is not a list of URLs: {why}"),
        ErrorKind::LargePage {
            row_group,
            bytes,
            bytes_max,
        } => write!(
            f,
            "cannot read '{place}': a page of row group {row_group} has {bytes} bytes, more than the {bytes_max} that memory allows"
        ),
        _ => fmt_output(error, f),
    }
}

/// Writes the messages about outputs.
fn fmt_output(error: &Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let place = error.path().display();
    match error.kind() {
        ErrorKind::OutputExists | ErrorKind::FileExists => {
            write!(f, "'{place}' exists already")
        }
        ErrorKind::OutputIsFolder => {
            write!(f, "'{place}' is a folder, and the output is one file")
        }
        ErrorKind::ForeignFile => {
            write!(
                f,
                "'{place}' was not made by robots-scan and is left as it is"
            )
        }
        ErrorKind::NothingToResume => write!(f, "'{place}' holds no run to resume"),
        ErrorKind::SingleFileResume => {
            write!(f, "'{place}' is a single file, which cannot be resumed")
        }
        ErrorKind::ResumeDiffers(difference) => write!(
            f,
            "'{place}' was begun differently and cannot be resumed: {difference}"
        ),
        ErrorKind::Busy => write!(f, "another run is writing to '{place}'"),
        ErrorKind::IsDataset => {
            write!(f, "'{place}' is a dataset, and the output is one file")
        }
        ErrorKind::IsSingleFile(table) => write!(
            f,
            "'{place}' is a file with the table '{table}', and the output is a dataset, which is a folder"
        ),
        ErrorKind::InsideDataset(dataset) => write!(
            f,
            "'{place}' lies inside the dataset '{}'",
            dataset.display()
        ),
        ErrorKind::StandardOutput => {
            write!(f, "tables cannot be written to standard output")
        }
        ErrorKind::UrlOutput => write!(
            f,
            "'{place}' is a URL, and tables are written to local files only"
        ),
        ErrorKind::WrongKind { is, needed } => write!(f, "'{place}' is {is}, not {needed}"),
        ErrorKind::NotListed => write!(
            f,
            "'{place}' has a name that the dataset needs, and the dataset does not list it"
        ),
        ErrorKind::BadManifest(what) => {
            write!(f, "the manifest '{place}' is damaged or changed: {what}")
        }
        _ => fmt_other(error, f),
    }
}

/// Writes all other messages.
fn fmt_other(error: &Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let place = error.path().display();
    match error.kind() {
        ErrorKind::Read => write!(f, "cannot read '{place}'"),
        ErrorKind::Write => write!(f, "cannot write '{place}'"),
        ErrorKind::Create => write!(f, "cannot make '{place}'"),
        ErrorKind::Threads(threads) => write!(f, "cannot start {threads} threads"),
        ErrorKind::MemoryTooSmall { least } => write!(
            f,
            "sorting needs {} MiB of memory or more",
            least.div_ceil(1 << 20)
        ),
        ErrorKind::TooFewOpenFiles { limit, needed } => write!(
            f,
            "too few open files are allowed: the limit is {limit}, and at least {needed} are needed"
        ),
        ErrorKind::NoCrawler => write!(f, "no crawler is named"),
        ErrorKind::NotADataset(why) => {
            write!(f, "'{place}' cannot be used as a dataset: {why}")
        }
        ErrorKind::MissingTable { table, .. } => {
            write!(f, "the dataset '{place}' has no table '{table}'")
        }
        ErrorKind::MissingCrawl { crawl, known } => write!(
            f,
            "the dataset '{place}' has no crawl '{crawl}'; it has {}",
            known.join(", ")
        ),
        ErrorKind::NoCapture {
            host, first_time, ..
        } => {
            write!(f, "'{place}' has no capture of a robots.txt of '{host}'")?;
            match first_time {
                Some(time) => write!(f, " at that time; first capture: {}", to_iso(*time)),
                None => Ok(()),
            }
        }
        ErrorKind::Abandoned => write!(f, "interrupted; '{place}' was not written"),
        ErrorKind::Interrupted => {
            write!(f, "interrupted; finished parts of '{place}' are kept")
        }
        // A kind without a message of its own.
        kind => write!(f, "{kind:?}: '{place}'"),
    }
}
