//! The messages of errors.

use super::{Error, ErrorKind};
use crate::capture::date::to_iso;
use crate::input::MAX_INPUTS;
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
        ErrorKind::UrlInput => write!(f, "'{place}' is not the URL of an archive"),
        ErrorKind::UnknownCrawl => write!(
            f,
            "the URL '{place}' does not name the crawl and the subset of its archive"
        ),
        ErrorKind::UnsafeLine { line, reason } => {
            write!(
                f,
                "the list '{place}' has the line '{line}', which {reason}"
            )
        }
        ErrorKind::AccessDenied { .. } => write!(f, "access to '{place}' is denied"),
        ErrorKind::NoCertificate => write!(f, "'{place}' has no certificate in PEM"),
        ErrorKind::Store => write!(f, "'{place}' cannot be requested"),
        ErrorKind::NotS3 => write!(f, "'{place}' is not a prefix of S3"),
        ErrorKind::OtherDatasetThere => write!(f, "'{place}' has another dataset"),
        ErrorKind::OtherObjectsThere { path } => write!(
            f,
            "'{place}' has other objects, such as '{path}', which are left unchanged"
        ),
        ErrorKind::FileChanged { digest, written } => write!(
            f,
            "'{place}' is damaged or changed: its XXH3-64 is {digest}, and was {written} when it was written"
        ),
        ErrorKind::CopyChanged { path } => write!(
            f,
            "the object '{path}' at '{place}' is missing or has another size than was written; the copy is not complete"
        ),
        ErrorKind::CopyInterrupted => write!(f, "interrupted; '{place}' is not complete"),
        ErrorKind::NetworkStart => f.write_str("the network cannot be used"),
        ErrorKind::NoRemote => f.write_str(
            "this program was built without the feature `remote`, so it cannot read URLs",
        ),
        ErrorKind::NoInput if error.path().as_os_str().is_empty() => {
            f.write_str("there are no inputs")
        }
        ErrorKind::NoInput => write!(f, "'{place}' matches no archive"),
        ErrorKind::SameName { paths, .. } => write!(
            f,
            "two inputs have the name '{place}', and captures are identified by it: '{}' and '{}'",
            paths[0].display(),
            paths[1].display()
        ),
        ErrorKind::SameInput => write!(f, "'{place}' is given twice"),
        ErrorKind::NotBelow { folder } => {
            write!(f, "'{place}' is not below '{}'", folder.display())
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
            "the name '{place}' fits a single stream, but there are {streams}"
        ),
        ErrorKind::TooManyInputs {
            inputs,
            first_input,
        } => write!(
            f,
            "there are {inputs} inputs from index {first_input} on, but indexes must be below {MAX_INPUTS}"
        ),
        ErrorKind::BaseWithoutList => {
            write!(f, "the prefix '{place}' needs a list of archives")
        }
        ErrorKind::PartitionName { key, value } => {
            write!(
                f,
                "'{value}' is not a valid {key}, because it becomes the name of a folder"
            )
        }
        ErrorKind::NotAnArchive(why) => write!(f, "'{place}': {why}"),
        ErrorKind::BadRegistry(why) => {
            write!(f, "'{place}' is not a registry of crawlers: {why}")
        }
        ErrorKind::FolderTooLarge { entries, depth } => write!(
            f,
            "'{place}' has more than {entries} files and folders, or more than {depth} nested folders"
        ),
        _ => fmt_output(error, f),
    }
}

/// Writes the messages about outputs.
fn fmt_output(error: &Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let place = error.path().display();
    match error.kind() {
        ErrorKind::OutputExists | ErrorKind::FileExists => {
            write!(f, "'{place}' already exists")
        }
        ErrorKind::OutputIsFolder => {
            write!(f, "'{place}' is a folder, but the output must be a file")
        }
        ErrorKind::ForeignFile => {
            write!(
                f,
                "'{place}' was not written by robots-scan and is left unchanged"
            )
        }
        ErrorKind::SingleFileResume => {
            write!(f, "'{place}' is a single file, which cannot be resumed")
        }
        ErrorKind::ResumeDiffers {
            difference,
            is_finished: true,
        } => write!(
            f,
            "'{place}' is a finished dataset of other inputs or options and cannot be resumed: {difference}"
        ),
        ErrorKind::ResumeDiffers { difference, .. } => write!(
            f,
            "'{place}' was begun with other inputs or options and cannot be resumed: {difference}"
        ),
        ErrorKind::Busy => write!(f, "another run is writing to '{place}'"),
        ErrorKind::IsDataset => {
            write!(f, "'{place}' is a dataset, but the output must be a file")
        }
        ErrorKind::IsSingleFile(table) => write!(
            f,
            "'{place}' is a file with the table '{table}', but the output must be a folder for a dataset"
        ),
        ErrorKind::InsideDataset(dataset) => {
            write!(f, "'{place}' is inside the dataset '{}'", dataset.display())
        }
        ErrorKind::StandardOutput => {
            write!(f, "tables cannot be written to standard output")
        }
        ErrorKind::NotUtf8Output => write!(
            f,
            "the path of '{place}' is not UTF-8, so that no query could open the dataset"
        ),
        ErrorKind::UrlOutput => write!(
            f,
            "'{place}' is a URL, and tables are written to local files only"
        ),
        ErrorKind::WrongKind { is, needed } => write!(f, "'{place}' is {is}, not {needed}"),
        ErrorKind::NotListed => write!(
            f,
            "'{place}' is in the way: the dataset needs this name, but does not list the file"
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
        ErrorKind::Create => write!(f, "cannot create '{place}'"),
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
        ErrorKind::NotAUrlList(why) => write!(f, "'{place}' is not a URL list: {why}"),
        ErrorKind::LargePage {
            row_group,
            column,
            bytes,
            bytes_max,
        } => write!(
            f,
            "cannot read '{place}': a page of row group {row_group}, column `{column}`, has {bytes} bytes, more than the {bytes_max} that memory allows"
        ),
        ErrorKind::NoCrawler => write!(f, "no crawler is given"),
        ErrorKind::Unjoinable(why) => write!(f, "'{place}' cannot be joined: {why}"),
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
