//! The arguments of all commands.
//!
//! Doc comments of fields are the help texts of the options. Those of [`ScanArgs`] also work without the command
//! `scan`.

use crate::arg_values::{parse_category, parse_rate, parse_time, table_parser};
use crate::bodies_args::BodiesArgs;
use crate::check_args::CheckArgs;
use crate::column_args::{self, ColumnArg, columns_parser};
use crate::extract_args::ExtractArgs;
use crate::history_args::HistoryArgs;
use crate::quantity::{parse_duration, parse_size};
use crate::records_args::RecordsArgs;
use crate::run_args::{RunArgs, UrlArgs};
use crate::shard_choice::ShardChoice;
use crate::shared_args::{CrawlerArgs, DialectArg, PrintArgs, ThreadsArg};
use crate::verdicts_args::VerdictsArgs;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand, ValueHint};
use dataset::tables::Table;
use remote::Rate;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tools::CategoryChoice;
use tools::url_match::URL_COLUMN_KEYS;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold());

const EXAMPLES: &str = "\
Examples:
  robots-scan crawl-*.warc.gz -o out.parquet        from archives to a dataset
  duckdb -init out.parquet/views.sql                query it

  robots-scan --paths $LIST_URL --sample 100 --seed 1 -o out.parquet
                                                    100 archives of a list
  robots-scan --paths robotstxt.paths.gz --base /mnt/cc --shard 17/100 -o out-17
                                                    shard 17 of 100 of a crawl
  robots-scan crawl.warc.gz --tables rules -o rules.parquet
                                                    one table, one file
  curl -s URL | robots-scan - -o out.parquet        from a pipe

Sizes are whole bytes, or have a unit in upper or lower case: k, kB, M, MB, G and GB \
are powers of 1000; KiB, MiB and GiB are powers of 1024.

Exit codes: 0 done, 1 done, but parts of archives could not be read (see the \
table `faults`), 2 not started, 3 stopped (`--resume` continues).";

const COMPLETIONS_HELP: &str = "\
To install them, add a line to the start file of the shell:
  bash  ~/.bashrc                   source <(robots-scan completions bash)
  zsh   ~/.zshrc, after compinit    source <(robots-scan completions zsh)
  fish  ~/.config/fish/config.fish  robots-scan completions fish | source";

/// Measures robots.txt across the web: WARC archives in, Parquet tables out.
#[derive(Debug, Parser)]
#[command(name = "robots-scan", version, styles = STYLES, after_help = EXAMPLES, max_term_width = 100)]
#[command(
    override_usage = "robots-scan [scan] INPUT… -o OUT [OPTIONS]\n       robots-scan COMMAND"
)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// `scan` need not be named. The field only makes its options known: [`parse_command`] parses them.
    #[command(flatten)]
    _scan: Option<ScanArgs>,
}

/// Parses the arguments of the program, the first of which is its name.
pub(crate) fn parse_command(args: &[OsString]) -> Result<Command, clap::Error> {
    let parsed = Args::try_parse_from(args).map_err(column_args::add_tip)?;
    // Without a command, clap has checked the arguments of `scan`, but cannot build an optional struct that
    // flattens others.
    let with_scan = || {
        let (program, rest) = args.split_at(args.len().min(1));
        let scan = [OsString::from("scan")];
        let args = program.iter().chain(&scan).chain(rest);
        Args::try_parse_from(args)?
            .command
            .ok_or_else(|| clap::Error::new(clap::error::ErrorKind::MissingSubcommand))
    };
    parsed.command.map_or_else(with_scan, Ok)
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reads archives and writes a dataset (the default)
    Scan(Box<ScanArgs>),
    /// Reads single records of archives, from a list of their addresses, and writes a dataset
    Records(Box<RecordsArgs>),
    /// Reads tables with a URL and a body in each row, and writes a dataset
    Bodies(Box<BodiesArgs>),
    /// Copies single records of archives, from a list of their addresses, into one archive
    Extract(Box<ExtractArgs>),
    /// Joins the datasets in the subfolders of a folder, such as months or shards, into one
    Join(JoinArgs),
    /// Makes one dataset of many crawls, in which what does not change is stored once
    History(HistoryArgs),
    /// Explains what a robots.txt file, or that of a host, allows crawlers, line by line
    Check(Box<CheckArgs>),
    /// Decides for a list of URLs whether crawlers may fetch them, according to a dataset
    Match(MatchArgs),
    /// Writes the verdict of every host for some crawlers as one Parquet file
    Verdicts(VerdictsArgs),
    /// Checks whether a dataset is complete and unchanged
    Verify(VerifyArgs),
    /// Writes views.sql again, after a dataset was moved or if it is of somebody else
    Views(ViewsArgs),
    /// Copies a dataset to a store: s3://BUCKET/PREFIX
    Copy(CopyArgs),
    /// Draws a dataset as one HTML page (with the Python package)
    Report(PythonCommandArgs),
    /// Writes static pages to look up hosts and crawlers (with the Python package)
    Site(PythonCommandArgs),
    /// Describes a dataset for catalogues and readers (with the Python package)
    Describe(PythonCommandArgs),
    /// Prints the tables with the types and descriptions of their columns
    Schema(SchemaArgs),
    /// Prints the registry of crawlers
    Agents(AgentsArgs),
    /// Prints completions for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Prints the manual page of the program, or of a command
    Man {
        /// The command
        #[arg(value_name = "COMMAND", value_hint = ValueHint::Other)]
        command: Option<String>,
    },
}

impl Command {
    /// Returns true if the output is JSON.
    pub(crate) fn is_json(&self) -> bool {
        match self {
            Self::Scan(args) => args.run.print.json,
            Self::Records(args) => args.run.print.json,
            Self::Bodies(args) => args.run.print.json,
            Self::Extract(args) => args.print.json,
            Self::Join(args) => args.print.json,
            Self::History(args) => args.print.json,
            Self::Check(args) => args.json,
            Self::Match(args) => args.print.json,
            Self::Verdicts(args) => args.print.json,
            Self::Verify(args) => args.print.json,
            Self::Copy(args) => args.print.json,
            Self::Agents(args) => args.json,
            Self::Views(_)
            | Self::Report(_)
            | Self::Site(_)
            | Self::Describe(_)
            | Self::Schema(_)
            | Self::Completions { .. }
            | Self::Man { .. } => false,
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ScanArgs {
    /// Archives: files, folders, globs, URLs (https, s3), pipes, or `-` for standard input
    ///
    /// WARC 0.17 to 1.1; gzip, zstd (.warc.zst) or plain.
    #[arg(value_name = "INPUT", required_unless_present = "paths")]
    pub(crate) inputs: Vec<String>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// A list of archives, one per line, plain or gzip (`robotstxt.paths.gz`): a file or a URL
    #[arg(long, value_name = "LIST")]
    pub(crate) paths: Option<PathBuf>,

    /// A folder or URL that is put before each line of --paths [default for a list at a URL: its
    /// part before `crawl-data/`]
    #[arg(long, value_name = "PREFIX", value_hint = ValueHint::DirPath)]
    pub(crate) base: Option<String>,

    /// The name of the crawl [default: from paths, otherwise from archives]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Option<String>,

    /// The name of the subset [default: from paths, otherwise from archives]
    ///
    /// In the subset `robotstxt` every response is a capture; in others only those of /robots.txt.
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) subset: Option<String>,

    /// The name of the only input that is a stream, as `warc_filename` [default: `-` for standard
    /// input, `stream-1`, `stream-2`, … for `<(…)` and other descriptors, the base name of a FIFO]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new(), value_hint = ValueHint::Other)]
    pub(crate) name: Option<String>,

    /// Names files by their paths below this folder, as `warc_filename` [default: the path from
    /// `crawl-data/` on, otherwise the base name]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) relative_to: Option<PathBuf>,

    /// The treatment of missing inputs: `refuse` to begin, or `skip` each with a row in `faults`
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    pub(crate) missing: MissingInputAction,

    /// Reads the I-th of N equal shares of the inputs, I from 1; `auto/N` is that of the task in
    /// Slurm (an array 1-N), AWS Batch or Kubernetes
    ///
    /// The datasets of all shards become one with `robots-scan join`.
    #[arg(long, value_name = "I/N", value_parser = str::parse::<ShardChoice>, value_hint = ValueHint::Other)]
    pub(crate) shard: Option<ShardChoice>,

    /// Reads a random sample of N archives, chosen by their names and --seed
    #[arg(long, value_name = "N", requires = "seed", value_parser = clap::value_parser!(u32).range(1..), value_hint = ValueHint::Other)]
    pub(crate) sample: Option<u32>,

    /// The seed of --sample: the same seed chooses the same archives
    #[arg(long, value_name = "S", requires = "sample", value_hint = ValueHint::Other)]
    pub(crate) seed: Option<u32>,

    /// Numbers the inputs from N on, so that the keys of several runs over one crawl differ
    ///
    /// `robots_id` is made of the number of the input and of the capture in it.
    #[arg(long, value_name = "N", default_value = "0", value_hint = ValueHint::Other)]
    pub(crate) first_input: u64,

    /// The number of inputs of a part, which is the unit of commit and resume [default: as many as have
    /// 1GiB; with URLs 512]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), value_hint = ValueHint::Other)]
    pub(crate) part_inputs: Option<u32>,

    /// Also stores WARC-Record-ID, in the column `warc_record_id` of `robots_files`
    #[arg(long)]
    pub(crate) with_record_ids: bool,

    /// Compares WARC-Block-Digest and WARC-Payload-Digest of every capture
    ///
    /// Without it, they are compared only if no checksum protects the bytes: in plain archives
    /// and in zstd frames without checksums. A digest that differs is a fault.
    #[arg(long)]
    pub(crate) verify_digests: bool,

    #[command(flatten)]
    pub(crate) url: UrlArgs,
}

/// Treatment of inputs that do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum MissingInputAction {
    /// Nothing is begun.
    Refuse,
    /// Each is a fault of the run.
    Skip,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A URL is matched by scheme, host and port to the captures of a /robots.txt, and among these to \
the one that is authoritative at the time of the row: in each crawl the most decisive one, then \
the latest, as in the view `hosts`; across crawls the latest decisive one. Redirects are followed \
within the dataset, up to five hops.

The list: text, one URL per line; CSV with a header, JSON lines, CDXJ or Parquet with a column `url`; a folder \
of Parquet files. All but Parquet may be gzip. Columns are found in any case; with --columns url=NAME, a list \
is a table. A column `fetch_time` (a timestamp, or text in ISO form or of 14 digits) is the time for which the row is \
decided; other columns are ignored, so files and folders of cc-index work as they are.

The output has one row per URL and crawler, in the order of the list; `robots-scan schema matches` \
describes its columns.

Examples:
  robots-scan match out.parquet --agent GPTBot --urls urls.txt -o out.csv
  robots-scan match out.parquet -a GPTBot,CCBot --urls cc-index.parquet \\
      --dialect google -o matches.parquet
  zcat urls.gz | robots-scan match out.parquet -a '*' --urls - \\
      --at 2024-03-01 -o matches.parquet

Exit codes: 0 done, 2 not started, 3 stopped; then no output is left.")]
pub(crate) struct MatchArgs {
    /// The dataset: a folder that `scan` wrote; or a history
    pub(crate) dataset: PathBuf,

    #[command(flatten)]
    pub(crate) crawlers: CrawlerArgs,

    /// The URLs: text, CSV, JSON lines, CDXJ, Parquet, a folder of Parquet files, or `-` for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) urls: PathBuf,

    /// The columns of a table, as `url=page,time=crawled` [default: url, and fetch_time if there is one]
    #[arg(long, value_name = "KEY=NAME", value_delimiter = ',', value_parser = columns_parser(&URL_COLUMN_KEYS), value_hint = ValueHint::Other)]
    pub(crate) columns: Vec<ColumnArg>,

    /// Over a history, also decides by captures of another scheme, host or port than that of the URL
    #[arg(long)]
    pub(crate) any_origin: bool,

    /// The output file: Parquet, or CSV if its name ends in .csv
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) dialect: DialectArg,

    /// A category of use whose preference is decided, too, such as `train-ai` or
    /// `content-signal:search`
    ///
    /// A category of `content-usage` (`train-ai`, `ai-use`, and those of earlier drafts) or of
    /// `content-signal` (`ai-train`, `ai-input`). Both have `search`: write `content-usage:search`
    /// or `content-signal:search`.
    #[arg(long, value_name = "CATEGORY", value_parser = parse_category, value_hint = ValueHint::Other)]
    pub(crate) category: Option<CategoryChoice>,

    /// The time for rows without a `fetch_time` [default: the newest capture]
    #[arg(long, value_name = "TIME", value_parser = parse_time, value_hint = ValueHint::Other)]
    pub(crate) at: Option<i64>,

    /// Uses only this crawl of the dataset; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Vec<String>,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    /// The memory for sorting, at least 16MiB; the rest is sorted on disk, beside OUT
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size, value_hint = ValueHint::Other)]
    pub(crate) memory: u64,

    /// Replaces a file that robots-scan wrote
    #[arg(long)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads everything back: the manifest, the size, digest and pages of every file, files that do not belong \
to the dataset, and compares the tables with each other. Nothing is changed. For a single file, only \
its readability can be checked.

Problems are printed one per line, at most twenty of each kind, each with a remedy.

Exit codes: 0 no problems, 1 problems found, 2 not started.")]
pub(crate) struct VerifyArgs {
    /// The dataset: a folder that `scan` wrote or `join` was run on, or a single file
    pub(crate) dataset: PathBuf,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every subfolder of FOLDER that is a dataset of a finished scan is joined. Nothing is moved: \
FOLDER/views.sql reads the tables where they are, and FOLDER/_joined has the tables \
`hosts`, `host_verdicts` and `host_preferences` of all crawls. The datasets must have been made with the same \
options, every shard must be there once, and no archive twice. Releases may differ, as long as rows \
mean the same.

To add a month, scan it into a new subfolder and join again: only its crawl and later ones are \
resolved again.

Example:
  robots-scan scan --paths 2026-01/robotstxt.paths.gz -o crawls/2026-01
  robots-scan scan --paths 2026-02/robotstxt.paths.gz -o crawls/2026-02
  robots-scan join crawls

Exit codes: 0 done, 2 refused, 3 stopped (joining again continues).")]
pub(crate) struct JoinArgs {
    /// The folder whose subfolders are datasets
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    /// Also joins datasets whose rows have another meaning, or that were made with another registry of
    /// crawlers or another Public Suffix List; crawls() has the meaning of each crawl
    #[arg(long)]
    pub(crate) mixed: bool,

    /// The memory for sorting, at least 16MiB; the rest is sorted on disk, in FOLDER/_joined
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = parse_size, value_hint = ValueHint::Other)]
    pub(crate) memory: u64,

    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The file views.sql has the path of its dataset, so that it can be read from any folder. Run this \
command after the dataset was moved or copied, and before you open a dataset of somebody else: \
DuckDB executes the file, which could contain any SQL. A file that is there is replaced, and a link is \
refused. Nothing else is changed.

Example:
  mv out.parquet /data/ && robots-scan views /data/out.parquet")]
pub(crate) struct ViewsArgs {
    /// The dataset: a folder that `scan` wrote, or one that `join` was run on
    pub(crate) dataset: PathBuf,

    /// Prints nothing; errors remain
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Copies the files of a finished dataset, of a shard, or of a folder that `join` was run on. views.sql is \
written for the destination, and _SUCCESS is copied last. Every file is compared with its digest in the manifest; \
a damaged one ends the copy. Files that are there already with this digest are not copied again, so a copy that was \
interrupted is continued by the same command. A prefix with another dataset or other objects is refused.

Credentials and the endpoint come from the environment (AWS_ACCESS_KEY_ID, AWS_REGION, \
AWS_ENDPOINT_URL …) or from the machine. Those of the AWS command line: \
eval \"$(aws configure export-credentials --format env)\"

Example:
  robots-scan copy crawls/2026-01 s3://bucket/crawls/2026-01

Exit codes: 0 done, 2 refused, 3 stopped (the same command continues).")]
pub(crate) struct CopyArgs {
    /// The dataset: a folder that `scan` wrote, or one that `join` was run on
    pub(crate) dataset: PathBuf,

    /// The destination
    #[arg(value_name = "s3://BUCKET/PREFIX", value_hint = ValueHint::Url)]
    pub(crate) destination: String,

    /// The most requests a second, or `none` [default: 500]
    #[arg(long, value_name = "N", value_parser = parse_rate, value_hint = ValueHint::Other)]
    pub(crate) rate: Option<Rate>,

    /// The most files that are written at a time; each takes up to 64MiB of memory
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..=256), value_hint = ValueHint::Other)]
    pub(crate) connections: u16,

    /// How long a request is tried before the copy stops
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_duration, value_hint = ValueHint::Other)]
    pub(crate) patience: Duration,

    /// Further root certificates, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

/// The arguments of a command that the Python package has.
#[derive(Debug, clap::Args)]
pub(crate) struct PythonCommandArgs {
    /// The dataset and options, which the Python package reads
    #[arg(
        value_name = "DATASET",
        num_args = 0..,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_hint = ValueHint::AnyPath
    )]
    pub(crate) arguments: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    /// The table; all if none is named
    #[arg(value_parser = table_parser(&Table::ALL_WITH_COMMANDS))]
    pub(crate) table: Option<Table>,

    /// Lists the codes of anomalies instead
    #[arg(long, conflicts_with = "table")]
    pub(crate) anomalies: bool,

    /// Writes one file a table, and one of the anomalies, into a folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["table", "anomalies"])]
    pub(crate) write: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AgentsArgs {
    /// Only crawlers of this category, such as `ai_training`
    #[arg(long, value_name = "CATEGORY", value_hint = ValueHint::Other)]
    pub(crate) category: Option<String>,

    /// A custom registry of crawlers instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) agents: Option<PathBuf>,

    /// Prints JSON, one crawler a line
    #[arg(long)]
    pub(crate) json: bool,
}
