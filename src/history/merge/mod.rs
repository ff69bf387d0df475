//! Makes a history: reads the crawls, merges their captures, and writes all tables.

mod archives;
mod policy_writer;
mod sources;

use crate::options::Options;
use crate::own_tables;
use crate::periods::period_writer::{HostCounts, PeriodWriter};
use crate::policies::keyed_rows::{KeyedSorter, PREFERENCE_SETS, write_keyed_rows};
use crate::policies::policy_file::PolicyKeys;
use crate::read::crawl::{CrawlContext, SharedSorters, read_crawl};
use crate::read::crawl_row::StoredCrawl;
use crate::read::history_reader::HistoryReader;
use crate::read::inputs::Inputs;
use crate::read::stored_hosts::StoredHosts;
use crate::shares::share_counter::{count_shares, read_crawlers};
use crate::shares::share_row::{SortedShare, write_shares};
use crate::write::manifest::HistoryManifest;
use crate::write::output_folder::OutputFolder;
use crate::write::progress::{HistoryProgress, HistorySummary};
use crate::write::table_writer::TableWriters;
use archives::write_archives;
use errors::Error;
use policy_writer::PolicyWriter;
use sort::{SortMemory, SpillFolder};
use sources::Sources;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tables::Table;

/// Writes a history.
///
/// # Errors
///
/// Those of reading and writing, after which the folder is as it was.
pub(crate) fn write_history(
    options: &Options,
    inputs: &Inputs,
    source: u64,
    progress: &HistoryProgress,
    stop: &Arc<AtomicBool>,
) -> Result<HistorySummary, Error> {
    let start = Instant::now();
    let mut output = OutputFolder::open(&options.output, options.overwrite, source)?;
    let written = write_tables(options, inputs, &mut output, progress, stop);
    let (manifest, summary) = match written {
        Ok(written) => written,
        Err(error) => {
            output.discard();
            return Err(error);
        }
    };
    let summary = HistorySummary {
        crawls_read: inputs.crawls.len(),
        hosts: summary.hosts,
        seconds: start.elapsed().as_secs_f64(),
        ..HistorySummary::of(&manifest)
    };
    output.commit(&manifest, source, &summary)?;
    Ok(summary)
}

/// Writes the files of all tables.
fn write_tables(
    options: &Options,
    inputs: &Inputs,
    output: &mut OutputFolder,
    progress: &HistoryProgress,
    stop: &Arc<AtomicBool>,
) -> Result<(HistoryManifest, HistorySummary), Error> {
    let temp_folder = Arc::clone(output.temp_folder());
    let spill_folder = SpillFolder::create(&temp_folder.sort_folder_path(), Arc::clone(stop))?;
    let memory = SortMemory::new(&spill_folder, options.memory);
    let per_crawl = options.memory / (inputs.crawls.len() as u64).max(1);
    let context = CrawlContext {
        memory,
        captures_memory: SortMemory::new(&spill_folder, per_crawl),
        root: &options.output,
        temp_folder: &temp_folder,
        rows_read: &progress.resolved_rows,
        stop,
        forgotten: &options.forgotten,
    };
    let mut shared = SharedSorters {
        policies: KeyedSorter::new(memory),
        preference_sets: memory.create_sorter(),
        archives: memory.create_sorter(),
        policy_keys: PolicyKeys::new(memory),
    };
    let mut read = Vec::new();
    for input in &inputs.crawls {
        let crawl = read_crawl(&context, input, &mut shared);
        let crawl = crawl.map_err(|error| {
            if error.path().as_os_str().is_empty() {
                error.with_path(&input.datasets[0].root)
            } else {
                error
            }
        });
        read.push(crawl?);
        progress.crawls_read.fetch_add(1, Ordering::Relaxed);
    }
    let histories = inputs.histories.iter();
    let histories =
        histories.map(|input| HistoryReader::open(&input.root, &input.manifest, true, stop));
    let histories: Vec<HistoryReader> = histories.collect::<Result<_, _>>()?;
    let sources = Sources::new(&read, inputs, &histories);
    let mut writers = TableWriters::new(output);
    let summary = sources.write(options, shared, memory, &mut writers, progress)?;
    let manifest = HistoryManifest {
        meaning: inputs.meaning,
        crawls: summary.crawls.clone(),
        has_untimed_captures: sources.has_untimed_captures,
        files: writers.finish()?,
    };
    Ok((manifest, summary))
}

impl Sources<'_, '_> {
    /// Writes all tables.
    fn write(
        &self,
        options: &Options,
        shared: SharedSorters<'_>,
        memory: SortMemory<'_>,
        writers: &mut TableWriters<'_>,
        progress: &HistoryProgress,
    ) -> Result<HistorySummary, Error> {
        let names: Vec<&str> = self.crawls.iter().map(|row| row.crawl.as_str()).collect();
        let agents = self.read_agents()?;
        let mut shares = memory.create_sorter::<SortedShare>();
        let is_counted = self.copy_shares(options, &agents, &mut shares)?;
        let continued = self.continued_history(options, &is_counted);
        let sorted = match continued {
            Some(_) => Vec::new(),
            None => self.sort_captures(memory)?,
        };
        let captures = self.open_captures(&sorted, &options.forgotten)?;
        let mut periods = PeriodWriter::new(&self.crawls, is_counted.clone(), memory);
        let stored = continued.map(StoredHosts::open).transpose()?;
        periods.write_all(stored, captures, writers, progress)?;
        progress.are_captures_written.store(true, Ordering::Relaxed);
        drop(sorted);
        let written = periods.finish()?;
        if continued.is_some() {
            let input = &self.inputs.histories[0];
            for file in input.manifest.table_files(own_tables::HOST_CAPTURES) {
                writers.copy_file(own_tables::HOST_CAPTURES, &input.root, file)?;
            }
        }
        written.write_captures(&names, writers)?;
        let policies = PolicyWriter {
            sources: self,
            sorted: shared.policies.finish()?,
            used: &written.policies,
            named: &written.named,
            counted: &written.counter.finish()?,
            memory,
        };
        let of_hosts = policies.write(&names, writers)?;
        let crawlers = read_crawlers(&agents);
        count_shares(
            policies.counted,
            &of_hosts,
            &crawlers,
            &self.crawls,
            &mut shares,
        )?;
        drop((of_hosts, policies));
        write_shares(&shares.finish()?, writers)?;
        write_keyed_rows(
            PREFERENCE_SETS,
            &shared.preference_sets.finish()?,
            self.open_keyed(PREFERENCE_SETS)?,
            &written.preference_sets,
            writers,
            &mut |_, _| Ok(()),
        )?;
        write_archives(self, &shared.archives.finish()?, memory, writers)?;
        for row in &agents {
            writers.push_encoded(Table::AGENTS, row)?;
        }
        self.write_crawls(&written.counts, continued, writers)?;
        Ok(HistorySummary {
            crawls: self.crawls.iter().map(|row| row.crawl.clone()).collect(),
            hosts: written.hosts,
            ..HistorySummary::default()
        })
    }

    /// Writes the table `crawls`. `counts` are the counts of each crawl by its captures.
    fn write_crawls(
        &self,
        counts: &[HostCounts],
        continued: Option<&HistoryReader>,
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        for (position, row) in (0..).zip(&self.crawls) {
            let counts = &counts[position as usize];
            let is_continued =
                continued.is_some_and(|history| position < history.crawls.len() as u32);
            // The hosts of crawls whose captures were copied were not counted.
            let mut row = row.clone();
            if !is_continued {
                (row.hosts, row.domains) = (counts.hosts, counts.domains);
            }
            writers.push::<StoredCrawl<'_>>(row.stored(position))?;
        }
        Ok(())
    }
}
