//! Hints: advice after an error, often with an option to use. The library does not depend on the options of the
//! command line, so it returns typed errors, and this module has a hint for many of their kinds.

use crate::escape::quote_for_shell;
use crate::exit::{StoppedError, UsageError};
#[cfg(feature = "answers")]
use answers::error::AnswerErrorKind;
use dataset::error::{DatasetDefect, DatasetErrorKind, JoinDefect, REGISTRY, SUFFIX_LIST};
use errors::{Error, ErrorKind};
#[cfg(feature = "answers")]
use history::error::HistoryErrorKind;
use keep::verify::Remedy;
use remote::Scheme;
use remote::error::RemoteErrorKind;
use sources::error::{SourceErrorKind, TableDefect, UnsafeLineReason};
use std::path::PathBuf;

/// Returns the hint for an error, if there is one.
pub(crate) fn hint_for(error: &anyhow::Error) -> Option<String> {
    if let Some(error) = error.downcast_ref::<UsageError>() {
        return error.hint().map(str::to_owned);
    }
    let stopped = error
        .downcast_ref::<StoppedError>()
        .map(StoppedError::error);
    library_hint(stopped.or_else(|| error.downcast_ref::<Error>())?)
}

/// Returns the hint for an error of the library, if there is one.
fn library_hint(error: &Error) -> Option<String> {
    source_hint(error)
        .or_else(|| dataset_hint(error))
        .or_else(|| remote_hint(error))
        .or_else(|| disk_hint(error))
        .or_else(|| outer_hint(error))
}

/// Returns the hint for an error of a command outside the core, such as `match` or `history`.
#[cfg(feature = "answers")]
fn outer_hint(error: &Error) -> Option<String> {
    answer_hint(error).or_else(|| history_hint(error))
}

/// Returns `None`, because this build has only the commands of the core.
#[cfg(not(feature = "answers"))]
fn outer_hint(_error: &Error) -> Option<String> {
    None
}

/// Returns the hint for an error that concerns the inputs of a run.
fn source_hint(error: &Error) -> Option<String> {
    let text = match error.kind()? {
        SourceErrorKind::UrlInput => {
            "give the URL of one archive, as https://HOST/PATH or s3://BUCKET/KEY; \
             others can be piped in: curl URL | robots-scan - -o OUT"
                .to_owned()
        }
        SourceErrorKind::UnknownCrawl => {
            "give --crawl and --subset, for example --subset robotstxt".to_owned()
        }
        SourceErrorKind::UnsafeLine {
            reason: UnsafeLineReason::LocalFile,
            ..
        } => "give the folder or URL of the archives with --base".to_owned(),
        SourceErrorKind::UnsafeLine { .. } if error.path().to_string_lossy().contains("://") => {
            "download the list, check it, and give the file instead of the URL".to_owned()
        }
        SourceErrorKind::UnsafeLine { .. } => {
            "correct the line, or give a --base that holds all archives".to_owned()
        }
        SourceErrorKind::NoInput => "give files, folders, globs, '-' or --paths LIST".to_owned(),
        SourceErrorKind::SameName { paths, .. } if look_equal(paths) => {
            "rename one: captures have the names of archives as text, which must be UTF-8"
                .to_owned()
        }
        SourceErrorKind::SameName {
            folder: Some(folder),
            ..
        } => format!(
            "add --relative-to {}: files are then named by their path below it",
            quote_for_shell(&folder.to_string_lossy())
        ),
        SourceErrorKind::SameName { folder: None, .. } => {
            "leave one out, or put both in a --paths list, whose lines are names".to_owned()
        }
        SourceErrorKind::TooManyInputs { .. } => {
            "scan them in several datasets, or lower --first-input".to_owned()
        }
        SourceErrorKind::SameInput => "leave one out".to_owned(),
        SourceErrorKind::NotBelow { .. } => {
            "give --relative-to a folder that holds all inputs".to_owned()
        }
        SourceErrorKind::MissingInputs { .. } => {
            "correct the list or --base, or continue without them: --missing skip".to_owned()
        }
        SourceErrorKind::SameStream => "leave one out".to_owned(),
        SourceErrorKind::StreamResume => "leave out --resume; --overwrite starts again".to_owned(),
        SourceErrorKind::StreamName { .. } => "leave out --name".to_owned(),
        SourceErrorKind::BaseWithoutList => {
            "--base is a prefix of each line of the list that --paths names".to_owned()
        }
        SourceErrorKind::PartitionName { key, .. } => {
            format!(
                "give --{key} a name that begins with a letter, has letters, digits, '-', '_' and '.', at most \
                 100, and is not a word such as true or null: folders have this name"
            )
        }
        SourceErrorKind::NotATable(TableDefect::NoColumn { .. }) => {
            "name the columns with --columns KEY=NAME,…; --help has the keys".to_owned()
        }
        SourceErrorKind::NotATable(TableDefect::TabSeparated) => {
            "convert it: duckdb -c \"COPY (FROM read_csv('in.tsv')) TO 'out.csv'\"".to_owned()
        }
        SourceErrorKind::NotATable(TableDefect::LargePage { .. }) => {
            "write it with smaller pages; `match` also takes more --memory".to_owned()
        }
        SourceErrorKind::BadRow { .. } => {
            "correct or leave out the row, or name another column; in a list, a CDX server without captures answers with a message, \
             which `curl -f` leaves out"
                .to_owned()
        }
        SourceErrorKind::RepeatedRecord { .. } => {
            "leave one out: SELECT DISTINCT, or `sort -u`".to_owned()
        }
        SourceErrorKind::OverlappingRecords { .. } => {
            "correct the list: the offsets and lengths must be those of an index".to_owned()
        }
        SourceErrorKind::TooManyRecords { .. } | SourceErrorKind::LongNames { .. } => {
            "divide the list, for example by crawls, and join the datasets".to_owned()
        }
        _ => return None,
    };
    Some(text)
}

/// Returns the hint for an error that concerns a dataset.
fn dataset_hint(error: &Error) -> Option<String> {
    let text = match error.kind()? {
        DatasetErrorKind::MemoryTooSmall { least } => {
            format!("give --memory {}MiB or more", least >> 20)
        }
        DatasetErrorKind::NoCapture {
            first_time: Some(_),
            ..
        } => "give a later --at, or none for the newest capture".to_owned(),
        DatasetErrorKind::NoCapture { similar, .. } if !similar.is_empty() => {
            format!("there are captures of '{}'", similar.join("', '"))
        }
        DatasetErrorKind::OutputExists => {
            "--resume continues it, --overwrite replaces it; or choose another -o".to_owned()
        }
        DatasetErrorKind::FileExists => "--overwrite replaces it; or choose another -o".to_owned(),
        DatasetErrorKind::ResumeDiffers {
            is_finished: true, ..
        } => "--overwrite instead of --resume replaces it; or choose another -o".to_owned(),
        DatasetErrorKind::ResumeDiffers { .. } => {
            "run it as before, replace the dataset with --overwrite, or choose another -o"
                .to_owned()
        }
        DatasetErrorKind::IsDataset => {
            let path = error.path().display();
            format!("'-o {path}/ --overwrite' writes a dataset in its place; or choose another -o")
        }
        DatasetErrorKind::IsSingleFile(table) => format!(
            "'--tables {table} --overwrite' replaces it by one table; for a dataset choose another -o"
        ),
        DatasetErrorKind::OutputIsOfKind(_) => "choose another -o".to_owned(),
        DatasetErrorKind::NotADataset(DatasetDefect::OfKind(_)) => {
            "query it in DuckDB with its views.sql, or give the dataset of a crawl".to_owned()
        }
        DatasetErrorKind::InsideDataset(_) => "choose an -o outside it".to_owned(),
        DatasetErrorKind::StandardOutput => {
            "name a folder or a file, such as -o out.parquet".to_owned()
        }
        DatasetErrorKind::NotUtf8Output => "choose another -o, or another folder".to_owned(),
        DatasetErrorKind::UrlOutput => "write to a local path, and copy it from there".to_owned(),
        DatasetErrorKind::WrongKind { .. } => {
            "links are not followed here; move it away, or replace it by its target".to_owned()
        }
        DatasetErrorKind::NotListed => "move it out of the dataset, then run this again".to_owned(),
        DatasetErrorKind::BadManifest(_) => {
            "restore it from a copy, or write the dataset again with --overwrite".to_owned()
        }
        DatasetErrorKind::NotADataset(DatasetDefect::Unfinished) => {
            "finish it first: run its scan again with --resume".to_owned()
        }
        DatasetErrorKind::NotADataset(DatasetDefect::BadFile { .. }) => {
            format!(
                "see: robots-scan verify {}",
                quote_for_shell(&error.path().to_string_lossy())
            )
        }
        DatasetErrorKind::NotADataset(DatasetDefect::NoPartFile { .. }) => {
            "finish the scan that wrote it with --resume, or scan again with --overwrite".to_owned()
        }
        DatasetErrorKind::NotADataset(DatasetDefect::NotJoined) => {
            let folder = quote_for_shell(&error.path().to_string_lossy());
            format!("finish it: robots-scan join {folder}")
        }
        DatasetErrorKind::NotADataset(DatasetDefect::MemberChanged) => {
            let folder = error.path().parent().unwrap_or(error.path());
            let folder = quote_for_shell(&folder.to_string_lossy());
            format!("join again: robots-scan join {folder}")
        }
        DatasetErrorKind::Unjoinable(defect) => join_hint(error, defect),
        DatasetErrorKind::SingleFileResume => {
            "leave out --resume; --overwrite replaces the file".to_owned()
        }
        DatasetErrorKind::OutputIsFolder => "name a file, such as -o matches.parquet".to_owned(),
        DatasetErrorKind::MissingTable { needed, .. } => format!(
            "scan again without --tables, or with --tables {}",
            needed.join(",")
        ),
        _ => return None,
    };
    Some(text)
}

/// Returns the hint for an error of `check` or `match`.
#[cfg(feature = "answers")]
fn answer_hint(error: &Error) -> Option<String> {
    let text = match error.kind()? {
        AnswerErrorKind::NoCrawler => {
            "name a crawler with --agent; '*' means every crawler that is not named".to_owned()
        }
        _ => return None,
    };
    Some(text)
}

/// Returns the hint for an error about the inputs or the output of a history.
#[cfg(feature = "answers")]
fn history_hint(error: &Error) -> Option<String> {
    let text = match error.kind()? {
        HistoryErrorKind::CrawlTwice { .. } => {
            "leave one out, or add --replace: the crawl of the later input is then taken".to_owned()
        }
        HistoryErrorKind::ShardInput => {
            "join all shards of the crawl with robots-scan join, and give the folder".to_owned()
        }
        HistoryErrorKind::OtherMeaning { .. } => {
            "scan its archives again with this version (docs/limits.md#formats)".to_owned()
        }
        HistoryErrorKind::OutputIsNoHistory => "choose another -o".to_owned(),
    };
    Some(text)
}

/// Returns the hint for an error that concerns a server.
fn remote_hint(error: &Error) -> Option<String> {
    let text = match error.kind()? {
        RemoteErrorKind::AccessDenied { scheme: Scheme::S3 } => {
            "give credentials (AWS_ACCESS_KEY_ID …; those of the AWS command line with eval \"$(aws \
             configure export-credentials --format env)\"), or --no-sign-request for a public \
             bucket; Common Crawl's needs an account, https://data.commoncrawl.org/ does not"
                .to_owned()
        }
        RemoteErrorKind::AccessDenied { .. } => {
            "check the URL in a browser; it may need user information or a query".to_owned()
        }
        RemoteErrorKind::NoRemote => {
            "download the archives, or build it with the default features".to_owned()
        }
        _ => return None,
    };
    Some(text)
}

/// Returns the hint for an error that concerns files on disk.
fn disk_hint(error: &Error) -> Option<String> {
    let text = match error.kind()? {
        ErrorKind::FolderTooLarge { .. } => {
            "give smaller folders, or list the archives in a file for --paths".to_owned()
        }
        ErrorKind::ForeignFile => "choose another -o".to_owned(),
        ErrorKind::Busy => "wait until it ends, or choose another -o".to_owned(),
        ErrorKind::TooFewOpenFiles { needed, .. } => format!("raise it: ulimit -n {needed}"),
        ErrorKind::Threads(_) => "give fewer with --threads".to_owned(),
        ErrorKind::Interrupted => "run the same command with --resume to continue".to_owned(),
        _ => return None,
    };
    Some(text)
}

/// Returns true if two paths look the same, because they differ only in bytes that are not UTF-8.
fn look_equal([a, b]: &[PathBuf; 2]) -> bool {
    a.to_string_lossy() == b.to_string_lossy()
}

/// Returns the hint for datasets that cannot be joined.
fn join_hint(error: &Error, defect: &JoinDefect) -> String {
    match defect {
        JoinDefect::IsDataset => {
            "name the folder that holds it and the others, each in a subfolder".to_owned()
        }
        JoinDefect::NoMembers => {
            "scan each month or shard into a subfolder of it, then join".to_owned()
        }
        JoinDefect::Link => "put the dataset itself there, or move the link away".to_owned(),
        JoinDefect::Name => "rename the folder".to_owned(),
        JoinDefect::OfKind(_) => {
            "move it out of the folder; robots-scan history adds crawls to it".to_owned()
        }
        JoinDefect::Unfinished => format!(
            "finish it first: run its scan again with --resume, or move '{}' away",
            error.path().display()
        ),
        JoinDefect::Damaged => format!(
            "see: robots-scan verify {}",
            quote_for_shell(&error.path().to_string_lossy())
        ),
        JoinDefect::Meaning { .. } => {
            "scan its archives again, or add --mixed, which joins them and marks their crawls in crawls()"
                .to_owned()
        }
        JoinDefect::Differs { setting, .. } if [REGISTRY, SUFFIX_LIST].contains(setting) => {
            "scan both with the same version, or add --mixed, which joins them nevertheless".to_owned()
        }
        JoinDefect::Differs { .. } => "scan both with the same options".to_owned(),
        JoinDefect::NoTable { .. } => {
            "scan again with robots_files and verdicts among --tables".to_owned()
        }
        JoinDefect::ShardMissing { .. } => "scan them into other subfolders".to_owned(),
        JoinDefect::ShardTwice { .. } | JoinDefect::ArchiveTwice { .. } => {
            "move one of them away".to_owned()
        }
        JoinDefect::KeysOverlap {
            next_free_index, ..
        } => {
            format!("scan one of them again with --first-input {next_free_index}")
        }
        JoinDefect::ForeignViews => "move the file away".to_owned(),
    }
}

/// Returns the advice for a finding of `verify`.
pub(crate) fn describe_remedy(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::RestoreFile => {
            "restore it from a copy, or scan again with --resume, which replaces its damaged parts"
        }
        Remedy::RestoreOrWrite => "restore it from a copy, or write it again",
        Remedy::RewritePart => {
            "it was changed together with the manifest, or written in this state: remove it and scan again with --resume"
        }
        Remedy::RestoreManifest => "restore it from a copy, or scan again with --overwrite",
        Remedy::ResumeCutManifest => {
            "a run was killed while it wrote it: --resume writes that part again"
        }
        Remedy::Continue => "--resume continues",
        Remedy::Permissions => "check its permissions and the disk, then verify again",
        Remedy::Remove => {
            "remove it, because views read it too; files of a part that a killed run left are replaced by --resume"
        }
        Remedy::RemoveTemporary => {
            "left by a run that was killed: the next run with this output removes it"
        }
        Remedy::ManifestFirst => "restore the manifest first: one of its lines may list this file",
        Remedy::Describe => "robots-scan describe --overwrite writes it again",
        Remedy::WriteViews => "robots-scan views writes it again",
        Remedy::Join => "robots-scan join makes it again",
        Remedy::RebuildHistory => {
            "restore it from a copy, or make the history again with robots-scan history --overwrite"
        }
        _ => "scan again with --overwrite",
    }
}
