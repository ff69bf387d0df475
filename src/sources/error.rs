//! The kinds of errors of this package.

use errors::Place;
use escapes::quote_for_shell;
use std::path::{Path, PathBuf};

errors::kinds! {
    /// The kinds of errors with the inputs of a run.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum SourceErrorKind at place {
        /// A URL is not the URL of an object, or its protocol is not https, http or S3.
        UrlInput => "'{place}' is not the URL of an archive";
            -> "give the URL of one archive, as https://HOST/PATH or s3://BUCKET/KEY; others can be piped in: curl URL | robots-scan - -o OUT";
        /// The URL of an archive does not contain its crawl or its subset, and no option states them.
        UnknownCrawl => "the URL '{place}' does not name the crawl and the subset of its archive";
            -> "give --crawl and --subset, for example --subset robotstxt";
        /// A line of a list, which may be from somebody else, leads to a file or a server that it must not reach.
        UnsafeLine {
            /// The line, without secrets.
            line: String,
            /// The reason why the line is refused.
            reason: UnsafeLineReason,
        } => "the list '{place}' has the line '{line}', which {reason}";
            -> { Some(unsafe_line_hint(*reason, place).to_owned()) };
        /// An argument, or a list of paths, matches no archive. The path is empty if there
        /// are no arguments.
        NoInput => "{}", no_input_message(place);
            -> "give files, folders, globs, '-' or --paths LIST";
        /// Two inputs have the same name.
        SameName {
            /// The paths of the two inputs, in their order.
            paths: [PathBuf; 2],
            /// The deepest folder that contains all files: names relative to it would differ. `None` if the two inputs
            /// cannot have such names, as lines of a list.
            folder: Option<PathBuf>,
        } => "two inputs have the name '{place}', and captures are identified by it: '{}' and '{}'", paths[0].display(), paths[1].display();
            -> { Some(same_name_hint(paths, folder.as_deref())) };
        /// An input is given twice.
        SameInput => "'{place}' is given twice";
            -> "leave one out";
        /// An input is not below the folder to which names are relative.
        NotBelow {
            /// The folder of [`InputOptions::relative_to`](crate::input::InputOptions::relative_to).
            folder: PathBuf,
        } => "'{place}' is not below '{}'", folder.display();
            -> "give --relative-to a folder that holds all inputs";
        /// Inputs do not exist.
        MissingInputs {
            /// The first missing inputs, at most 10.
            first: Vec<PathBuf>,
            /// The number of missing inputs.
            missing: usize,
            /// The number of all inputs.
            inputs: usize,
        } => "{missing} of {inputs} inputs {}", missing_message(first, *missing);
            -> "correct the list or --base, or continue without them: --missing skip";
        /// Two inputs are the same stream, which can be read only once.
        SameStream => "'{place}' is given twice, and a stream can be read only once";
            -> "leave one out";
        /// A run over a stream cannot be resumed.
        StreamResume => "'{place}' is a stream, which cannot be read twice, so the run cannot be resumed";
            -> "leave out --resume; --overwrite starts again";
        /// A name is given for the only stream, but the number of streams is not one.
        StreamName {
            /// The number of streams.
            streams: usize,
        } => "the name '{place}' fits a single stream, but there are {streams}";
            -> "leave out --name";
        /// The inputs have indexes that are too large for keys of captures.
        TooManyInputs {
            /// The number of inputs.
            inputs: usize,
            /// The index of the first input.
            first_input: u64,
            /// The limit of indexes, [`MAX_INPUTS`](crate::input::MAX_INPUTS).
            limit: u64,
        } => "there are {inputs} inputs from index {first_input} on, but indexes must be below {limit}";
            -> "scan them in several datasets, or lower --first-input";
        /// A prefix for the lines of a list is given without a list.
        BaseWithoutList => "the prefix '{place}' needs a list of archives";
            -> "--base is a prefix of each line of the list that --paths names";
        /// A text cannot be the name of a partition folder.
        PartitionName {
            /// The partition column: `crawl` or `subset`.
            key: &'static str,
            /// The text, which [`is_partition_name`](tables::is_partition_name) refuses.
            value: String,
        } => "'{value}' is not a valid name of a {key}";
            -> "give --{key} a name that begins with a letter, has letters, digits, '-', '_' and '.', at most 100, and is not a word such as true or null: folders have this name";
        /// An input is not an archive that can be read.
        NotAnArchive(why: warc::ErrorKind) => "'{place}': {why}";
        /// A file is not a table that can be read.
        NotATable(defect: TableDefect) => "'{place}' is not a table to be read: {defect}";
            -> { errors::Message::hint(defect, place) };
        /// A list of records, or a table of bodies, has a row that is refused.
        BadRow {
            /// The number of the row, from 0.
            row: u64,
            /// The reason why the row is refused.
            reason: String,
        } => "'{place}', row {row} (counted from 0): {reason}";
            -> "correct or leave out the row, or name another column; in a list, a CDX server without captures answers with a message, which `curl -f` leaves out";
        /// A list has a record twice.
        RepeatedRecord {
            archive: String,
            /// The offset of the record.
            offset: u64,
        } => "'{place}' has the record at {offset} of '{archive}' twice";
            -> "leave one out: SELECT DISTINCT, or `sort -u`";
        /// A record of a list ends after the next one begins.
        OverlappingRecords {
            archive: String,
            /// The offset of the record.
            offset: u64,
            /// The length of the record in bytes.
            length: u64,
            /// The offset of the next record.
            next: u64,
        } => "in '{place}', records of '{archive}' overlap: that at {offset} has {length} bytes, and the next one begins at {next}";
            -> "correct the list: the offsets and lengths must be those of an index";
        /// A list of records has more records than the limit.
        TooManyRecords { limit: usize } => "'{place}' has more than {limit} records";
            -> "divide the list, for example by crawls, and join the datasets";
        /// The names of archives in lists of records have too many bytes in total.
        LongNames {
            /// The number of the row, from 0, up to which the names of different archives are counted; `None` if the name
            /// of each input is counted, of which an archive may have several.
            row: Option<u64>,
            /// The limit in bytes.
            bytes_max: u64,
        } => "{}", long_names_message(place, *row, *bytes_max);
            -> "divide the list, for example by crawls, and join the datasets";
    }
}

impl errors::Kind for SourceErrorKind {}

fn no_input_message(place: Place<'_>) -> String {
    if place.as_os_str().is_empty() {
        "there are no inputs".to_owned()
    } else {
        format!("'{place}' matches no archive")
    }
}

fn missing_message(first: &[PathBuf], missing: usize) -> String {
    let verb = if missing == 1 { "does" } else { "do" };
    let shown: Vec<String> = first
        .iter()
        .map(|path| format!("'{}'", path.display()))
        .collect();
    let more = match missing - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{verb} not exist: {}{more}", shown.join(", "))
}

fn long_names_message(place: Place<'_>, row: Option<u64>, bytes_max: u64) -> String {
    match row {
        Some(row) => format!(
            "'{place}', row {row} (counted from 0): the names of archives up to it have more than {bytes_max} bytes together"
        ),
        None => format!(
            "'{place}': the names of archives have more than {bytes_max} bytes together, once for each request or record"
        ),
    }
}

fn same_name_hint([a, b]: &[PathBuf; 2], folder: Option<&Path>) -> String {
    if a.to_string_lossy() == b.to_string_lossy() {
        // They differ only in bytes that are not UTF-8.
        return "rename one: captures have the names of archives as text, which must be UTF-8"
            .to_owned();
    }
    match folder {
        Some(folder) => format!(
            "add --relative-to {}: files are then named by their path below it",
            quote_for_shell(&folder.to_string_lossy())
        ),
        None => "leave one out, or put both in a --paths list, whose lines are names".to_owned(),
    }
}

fn unsafe_line_hint(reason: UnsafeLineReason, place: Place<'_>) -> &'static str {
    if reason == UnsafeLineReason::LocalFile {
        "give the folder or URL of the archives with --base"
    } else if place.to_string_lossy().contains("://") {
        "download the list, check it, and give the file instead of the URL"
    } else {
        "correct the line, or give a --base that holds all archives"
    }
}

errors::reasons! {
    /// The reason why a line of a list at a URL is refused.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum UnsafeLineReason at place {
        /// The line is an absolute path.
        AbsolutePath => "is an absolute path";
        /// The path leads out of its folder.
        ParentFolder => "leads out of its folder";
        /// The line is a URL of another server or protocol.
        OtherServer => "leads to another server or protocol";
        /// The line is the path of a file in the working folder.
        LocalFile => "leads to a file of this machine";
    }
}

errors::reasons! {
    /// The reason why a file is not a table that can be read.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum TableDefect at place {
        /// The table has no column with any of these names.
        NoColumn {
            names: Vec<String>,
            /// The names of the first columns of the table.
            found: Vec<String>,
        } => "it has no column '{}'; its columns are {}", names.join("' or '"), found.join(", ");
            -> "name the columns with --columns KEY=NAME,…; --help has the keys";
        /// The columns of a text are separated by tabs.
        TabSeparated => "it looks tab-separated, and the columns of a text are separated by commas";
            -> "convert it: duckdb -c \"COPY (FROM read_csv('in.tsv')) TO 'out.csv'\"";
        /// The text is a JSON array.
        JsonArray => "it is a JSON array, and JSON is read line by line";
            -> "convert it: jq -c '.[]' {} > lines.jsonl", place.quoted();
        /// The table is a folder.
        Folder => "it is a folder";
            -> "make a table of its texts, named by host: duckdb -c \"COPY (SELECT parse_filename(filename, true) AS host, content AS body FROM read_text('{place}/*')) TO 'bodies.parquet'\"";
        /// A page of a Parquet file is too large.
        LargePage {
            /// The row group, from 0.
            row_group: usize,
            column: String,
            /// The size of the page in bytes.
            bytes: u64,
            /// The limit in bytes.
            bytes_max: u64,
        } => "row group {row_group}, column `{column}`: a page has {bytes} bytes, more than {bytes_max}";
            -> "write it with smaller pages; `match` also takes more --memory";
        /// Any other reason, as a message. It has no hint.
        Other(message: String) => "{message}";
    }
}

impl TableDefect {
    /// Returns a defect with this message.
    pub(crate) fn other(message: &str) -> Self {
        Self::Other(message.to_owned())
    }

    /// Returns the defect of a CSV file that ends within quotes. They are opened at `line`, counted from 1.
    pub(crate) fn open_quote(line: u64) -> Self {
        Self::Other(format!(
            "the quote that opens at line {line} is not closed; nothing after it is read"
        ))
    }
}
