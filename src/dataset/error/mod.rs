//! The kinds of errors about datasets and registries of crawlers.

mod join_defect;
mod reason;

pub use join_defect::{JoinDefect, REGISTRY, SUFFIX_LIST};
pub use reason::{DatasetDefect, InputIdentity, ManifestDefect};

use capture::date::format_iso;
use disk::FileKind;
use std::path::PathBuf;

errors::kinds! {
    /// The kind of an error about a dataset or a registry of crawlers.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum DatasetErrorKind at place {
        /// The registry of crawlers is malformed, for this reason.
        BadRegistry(why: String) => "'{place}' is not a registry of crawlers: {why}";
        /// The output is a dataset that exists already, and the run may not replace or continue it.
        OutputExists => "'{place}' already exists";
            -> "--resume continues it, --overwrite replaces it; or choose another -o";
        /// The output exists already and may not be replaced. It is not a dataset, so it cannot be continued
        /// either.
        FileExists => "'{place}' already exists";
            -> "--overwrite replaces it; or choose another -o";
        /// The output is a folder, but one file is to be written.
        OutputIsFolder => "'{place}' is a folder, but the output must be a file";
            -> "name a file, such as -o matches.parquet";
        /// The output is a single file, which cannot be resumed.
        SingleFileResume => "'{place}' is a single file, which cannot be resumed";
            -> "leave out --resume; --overwrite replaces the file";
        /// The run to resume had other inputs or options.
        ResumeDiffers {
            /// The first difference.
            difference: String,
            /// True if that run was finished, so that the dataset is complete.
            is_finished: bool,
        } => "'{place}' {} and cannot be resumed: {difference}",
            if *is_finished { "is a finished dataset of other inputs or options" } else { "was begun with other inputs or options" };
            -> "{}", if *is_finished {
                "--overwrite instead of --resume replaces it; or choose another -o"
            } else {
                "run it as before, replace the dataset with --overwrite, or choose another -o"
            };
        /// The datasets in a folder cannot be joined, for this reason.
        Unjoinable(why: JoinDefect) => "'{place}' cannot be joined: {why}";
            -> { why.hint(place) };
        /// A path is not a dataset, or the dataset is damaged.
        NotADataset(why: DatasetDefect) => "'{place}' cannot be used as a dataset: {why}";
            -> { why.hint(place) };
        /// The dataset lacks a table.
        MissingTable {
            table: &'static str,
            /// All tables that the command needs.
            needed: Vec<&'static str>,
        } => "the dataset '{place}' has no table '{table}'";
            -> "scan again without --tables, or with --tables {}", needed.join(",");
        /// The dataset lacks a crawl.
        MissingCrawl {
            crawl: String,
            /// The crawls of the dataset.
            known: Vec<String>,
        } => "the dataset '{place}' has no crawl '{crawl}'; it has {}", known.join(", ");
        /// The output is a dataset, but one file is to be written.
        IsDataset => "'{place}' is a dataset, but the output must be a file";
            -> "'-o {place}/ --overwrite' writes a dataset in its place; or choose another -o";
        /// The output is a folder of this kind, but a dataset is to be written.
        OutputIsOfKind(kind: String) => "'{place}' is a {kind}, but the output must be a dataset of scans";
            -> "choose another -o";
        /// The output exists and is a file with this table, but a dataset is to be written.
        IsSingleFile(table: String) => "'{place}' is a file with the table '{table}', but the output must be a folder for a dataset";
            -> "'--tables {table} --overwrite' replaces it by one table; for a dataset choose another -o";
        /// The output is inside the dataset at this path.
        InsideDataset(dataset: PathBuf) => "'{place}' is inside the dataset '{}'", dataset.display();
            -> "choose an -o outside it";
        /// The output is standard output, but must be a path.
        StandardOutput => "tables cannot be written to standard output";
            -> "name a folder or a file, such as -o out.parquet";
        /// The output is a URL, but must be a path.
        UrlOutput => "'{place}' is a URL, and tables are written to local files only";
            -> "write to a local path, and copy it from there";
        /// The absolute path of a dataset is not UTF-8, so that `views.sql` cannot contain it.
        NotUtf8Output => "the path of '{place}' is not UTF-8, so that no query could open the dataset";
            -> "choose another -o, or another folder";
        /// A file has the wrong type.
        WrongKind {
            /// The type that it has.
            found: FileKind,
            /// The type that is needed.
            needed: FileKind,
        } => "'{place}' is {found}, not {needed}";
            -> "links are not followed here; move it away, or replace it by its target";
        /// A file has a name that the run needs, but the manifest does not list the file.
        NotListed => "'{place}' is in the way: the dataset needs this name, but does not list the file";
            -> "move it out of the dataset, then run this again";
        /// A manifest is damaged or was changed.
        BadManifest(what: ManifestDefect) => "the manifest '{place}' is damaged or changed: {what}";
            -> "restore it from a copy, or write the dataset again with --overwrite";
        /// The memory for sorting is less than the minimum.
        MemoryTooSmall {
            /// The minimum, in bytes.
            least: u64,
        } => "sorting needs {} MiB of memory or more", least.div_ceil(1 << 20);
            -> "give --memory {}MiB or more", least >> 20;
        /// A host has no capture, or none at the requested time.
        NoCapture {
            host: String,
            /// The time of the first capture of the host, in milliseconds since 1970; `None` if it has
            /// no captures.
            first_time: Option<i64>,
            /// Hosts with captures and a similar name.
            similar: Vec<String>,
        } => "'{place}' has no capture of a robots.txt of '{host}'{}",
            first_time.map_or(String::new(), |time| format!(" at that time; first capture: {}", format_iso(time)));
            -> { no_capture_hint(*first_time, similar) };
    }
}

impl errors::Kind for DatasetErrorKind {}

fn no_capture_hint(first_time: Option<i64>, similar: &[String]) -> Option<String> {
    if first_time.is_some() {
        Some("give a later --at, or none for the newest capture".to_owned())
    } else if similar.is_empty() {
        None
    } else {
        Some(format!("there are captures of '{}'", similar.join("', '")))
    }
}
