//! The reasons why datasets cannot be joined.

use std::path::PathBuf;

/// The text of `setting` in [`JoinDefect::Differs`] if the registries of crawlers differ.
pub const REGISTRY: &str = "the registry of crawlers";

/// The text of `setting` in [`JoinDefect::Differs`] if the Public Suffix Lists differ.
pub const SUFFIX_LIST: &str = "the Public Suffix List";

errors::reasons! {
    /// The reason why a dataset cannot be joined with the others of a folder.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum JoinDefect at place {
        /// The folder is a dataset itself.
        IsDataset => "it is a dataset itself";
            -> "name the folder that holds it and the others, each in a subfolder";
        /// No subfolder is a dataset.
        NoMembers => "none of its subfolders is a dataset";
            -> "scan each month or shard into a subfolder of it, then join";
        /// The folder of the dataset is a link, which is not followed.
        Link => "it is a link, which is not followed";
            -> "put the dataset itself there, or move the link away";
        /// The name of the folder of the dataset cannot be part of the paths of joined datasets.
        Name => "its name has '=', a backslash, a line break, or bytes that are not UTF-8";
            -> "rename the folder";
        /// The folder is not a dataset, but of another kind, such as `history`, and has other tables.
        OfKind(kind: String) => "it is a {kind}, which has other tables";
            -> "move it out of the folder; robots-scan history adds crawls to it";
        /// The run that writes the dataset is not finished.
        Unfinished => "its run is not finished";
            -> "finish it first: run its scan again with --resume, or move '{place}' away";
        /// The manifest of the dataset is damaged.
        Damaged => "its manifest is damaged";
            -> "see: robots-scan verify {}", place.quoted();
        /// The rows of the dataset have another version of their meaning ([`tables::MEANING`]) than the rows that
        /// this program writes.
        Meaning {
            /// The version of the rows of the dataset.
            found: u64,
            /// The version of the rows that this program writes.
            current: u64,
        } => "its rows have meaning {found}, and this version writes meaning {current} (docs/limits.md#formats)";
            -> "scan its archives again, or add --mixed, which joins them and marks their crawls in crawls()";
        /// The dataset was made with other options, or other built-in data, than another dataset.
        Differs {
            /// The setting that differs, in the words of the message.
            setting: &'static str,
            /// The value of the other dataset.
            before: String,
            /// The value of this dataset.
            now: String,
            /// The other dataset.
            other: PathBuf,
        } => "{setting} differ from those of '{}': {now} instead of {before}", other.display();
            -> "{}", if [REGISTRY, SUFFIX_LIST].contains(setting) {
                "scan both with the same version, or add --mixed, which joins them nevertheless"
            } else {
                "scan both with the same options"
            };
        /// The dataset lacks a table from which hosts are resolved.
        NoTable { table: &'static str } => "it lacks the table `{table}`";
            -> "scan again with robots_files and verdicts among --tables";
        /// Other shards of the run that wrote the dataset are missing.
        ShardMissing {
            /// The shards, such as `2/4`.
            missing: Vec<String>,
        } => "other shards of its run are missing: {}", shown_shards(missing);
            -> "scan them into other subfolders";
        /// Another dataset is the same shard of the run.
        ShardTwice {
            /// The shard, such as `2/4`.
            shard: String,
            /// The other dataset.
            other: PathBuf,
        } => "it is the shard {shard}, as is '{}'", other.display();
            -> "move one of them away";
        /// Another dataset has the same archive.
        ArchiveTwice {
            /// The name of the archive.
            name: String,
            /// The other dataset.
            other: PathBuf,
        } => "it has the archive '{name}', as has '{}'", other.display();
            -> "move one of them away";
        /// Another dataset has the same values of `robots_id` for other captures of the same crawl.
        KeysOverlap {
            crawl: String,
            /// The other dataset.
            other: PathBuf,
            /// The smallest index of inputs that is greater than the index of every input of the datasets.
            next_free_index: u64,
        } => "captures of {crawl} have the same robots_id as others in '{}'", other.display();
            -> "scan one of them again with --first-input {next_free_index}";
        /// `views.sql` of the folder was not written by robots-scan.
        ForeignViews => "its views.sql was not written by robots-scan";
            -> "move the file away";
    }
}

/// The number of missing shards that the message lists. Of the rest, it has only the number.
const SHOWN_SHARD_COUNT: usize = 5;

fn shown_shards(missing: &[String]) -> String {
    let shown = missing[..missing.len().min(SHOWN_SHARD_COUNT)].join(", ");
    match missing.len().saturating_sub(SHOWN_SHARD_COUNT) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
