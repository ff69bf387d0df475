//! Checks the inputs and the output of a history, and makes it.

use crate::merge::write_history;
use crate::options::Options;
use crate::own_tables;
use crate::read::history_reader::HistoryReader;
use crate::read::inputs::{InputHistory, Inputs, read_input_digest};
use crate::write::output_folder::{OutputFolder, check_output, find_stopped};
use crate::write::progress::{HistoryProgress, HistorySummary};
use dataset::error::DatasetErrorKind;
use dataset::row;
use errors::{Error, ErrorKind};
use sort::MIN_MEMORY_BYTES;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use xxhash_rust::xxh3::Xxh3;

/// A history whose inputs and output have been checked.
pub struct PreparedHistory {
    options: Options,
    /// A digest of the inputs and options.
    source: u64,
    work: Work,
}

/// The work that is left to do.
enum Work {
    /// The history is made from these inputs.
    Write(Inputs),
    /// The same command has made this history, and was stopped before it ended.
    End(HistorySummary),
}

/// Checks the inputs and the output. Nothing is written.
///
/// # Errors
///
/// [`DatasetErrorKind::MemoryTooSmall`]; the kinds of [`HistoryErrorKind`](crate::error::HistoryErrorKind); the errors of
/// reading and of checking an output.
pub fn prepare(options: Options) -> Result<PreparedHistory, Error> {
    if options.memory < MIN_MEMORY_BYTES {
        let least = MIN_MEMORY_BYTES;
        let kind = DatasetErrorKind::MemoryTooSmall { least };
        return Err(Error::new(kind, &options.output));
    }
    let source = compute_source(&options);
    let stopped = match &source {
        Ok(source) => find_stopped(&options.output, *source)?,
        // The checks of inputs have better messages.
        Err(_) => None,
    };
    let work = match stopped {
        Some(summary) => Work::End(summary),
        None => {
            check_output(&options.output, options.overwrite)?;
            Work::Write(Inputs::open(&options.inputs, options.replaces_crawls)?)
        }
    };
    Ok(PreparedHistory {
        source: source?,
        options,
        work,
    })
}

impl PreparedHistory {
    /// Returns the number of crawls that are read from datasets.
    pub fn crawl_count(&self) -> usize {
        match &self.work {
            Work::Write(inputs) => inputs.crawls.len(),
            Work::End(_) => 0,
        }
    }

    /// Writes the history.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`], errors of reading and writing; [`ErrorKind::Abandoned`] once `stop` is set.
    pub fn run(
        self,
        progress: &HistoryProgress,
        stop: &Arc<AtomicBool>,
    ) -> Result<HistorySummary, Error> {
        let Self {
            options,
            source,
            work,
        } = self;
        let output = options.output.clone();
        let inputs = match work {
            Work::Write(inputs) => inputs,
            Work::End(summary) => {
                OutputFolder::open(&output, true, source)?.end();
                return Ok(summary);
            }
        };
        let written = write_history(&options, &inputs, source, progress, stop);
        written.map_err(|error| match error.kind() {
            // An abandoned sorter gives its temporary folder as the path of the error.
            Some(ErrorKind::Abandoned) => Error::new(ErrorKind::Abandoned, &output),
            // An error without a path is about rows that were merged from several inputs, of which one lacks a row.
            _ if error.path().as_os_str().is_empty() => {
                let mut histories = inputs.histories.iter();
                match histories.find(|input| lacks_key(input, stop).unwrap_or(false)) {
                    Some(input) => error.with_path(&input.root),
                    None => error,
                }
            }
            _ => error,
        })
    }
}

/// Returns a digest of the version of the program, the manifests of the inputs, and the options on which rows depend. An
/// input that is also the output has none, since it is replaced.
fn compute_source(options: &Options) -> Result<u64, Error> {
    let output = options.output.canonicalize().ok();
    let mut hasher = Xxh3::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.update(&[options.replaces_crawls.into()]);
    for input in &options.inputs {
        if output.is_none() || input.canonicalize().ok() != output {
            hasher.update(read_input_digest(input)?.as_bytes());
        }
        hasher.update(b"\n");
    }
    for host in &options.forgotten {
        hasher.update(host.as_bytes());
        hasher.update(b"\n");
    }
    Ok(hasher.digest())
}

/// Returns true if a period of a history has a policy or a set of preferences that the history lacks. Takes the memory
/// of all keys.
fn lacks_key(input: &InputHistory, stop: &Arc<AtomicBool>) -> Result<bool, Error> {
    let history = HistoryReader::open(&input.root, &input.manifest, false, stop)?;
    let (mut policies, mut sets) = (BTreeSet::new(), BTreeSet::new());
    let mut rows = history.rows::<PolicyId<'_>>()?;
    while let Some(row) = rows.next_record()? {
        policies.insert(row.policy_id.to_owned());
    }
    let mut rows = history.rows::<PreferenceSetId<'_>>()?;
    while let Some(row) = rows.next_record()? {
        sets.insert(row.preference_set_id.to_owned());
    }
    let mut periods = history.rows::<PeriodKeys<'_>>()?;
    while let Some(keys) = periods.next_record()? {
        let is_missing = |known: &BTreeSet<String>, key: Option<&str>| {
            key.is_some_and(|key| !known.contains(key))
        };
        if is_missing(&policies, keys.policy_id) || is_missing(&sets, keys.preference_set_id) {
            return Ok(true);
        }
    }
    Ok(false)
}

row! {
    struct PolicyId<'a> of own_tables::POLICIES {
        policy_id: &'a str,
    }
}

row! {
    struct PreferenceSetId<'a> of own_tables::PREFERENCE_SETS {
        preference_set_id: &'a str,
    }
}

row! {
    struct PeriodKeys<'a> of own_tables::HOST_PERIODS {
        policy_id: Option<&'a str>,
        preference_set_id: Option<&'a str>,
    }
}
