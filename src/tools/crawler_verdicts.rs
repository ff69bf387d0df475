//! `verdicts`: writes one row per host and requested crawler, for readers of Parquet that have no
//! macros.
//!
//! The rows of `host_verdicts` with the names of the crawlers are sorted by host externally, and
//! merged with `hosts`, which is sorted by host. [`verdict_of`] does what the macro `verdicts_of` of
//! `dataset/macros.sql` does: change both together. `jobs/test_crawler_verdicts.py` compares them.

use crate::error::ToolErrorKind;
use arrow_array::RecordBatch;
use columns::TableFileWriter;
use dataset::crawler::Crawler;
use dataset::external_sort::sort_key::{FieldReader, put_i64, put_u32};
use dataset::external_sort::{MIN_MEMORY_BYTES, Reader, SortMemory, SpillFolder};
use dataset::resolve::hosts::stored_verdict::{
    VerdictColumns, WildcardColumns, inconsistent_table_error, put_verdict, read_verdict,
};
use dataset::tables::{CrawlerVerdictRow, CrawlerVerdictRows, StoredVerdict, Table};
use dataset::{
    CaptureFilter, ColumnValuesFilter, Dataset, StoredColumns, check_output_file, stored_columns,
    value,
};
use disk::SingleFile;
use disk::error::{Error, ErrorKind};
use robots::{Basis, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const BATCH_ROWS: usize = 8192;

stored_columns! {
    /// The columns of a host, except its verdict.
    struct HostColumns of Hosts {
        host_id: Long,
        surt_host_name: Text,
        url_host_name: Text,
        url_host_registered_domain: Text,
        rules_crawl: Text,
        rules_robots_id: Long,
        has_named_rows: Bool,
    }
}

stored_columns! {
    /// The columns that say to which host and name a verdict belongs.
    struct NameColumns of HostVerdicts {
        host_id: Long,
        agent: Text,
    }
}

/// The options of the command.
#[derive(Clone, Debug)]
pub struct Options {
    pub dataset: PathBuf,
    /// The crawls of the dataset that are read; if empty, all.
    pub crawls: Vec<String>,
    /// The crawlers. Several spellings of a name are one crawler.
    pub crawlers: Vec<Crawler>,
    /// The output file, in Parquet.
    pub output: PathBuf,
    /// Replaces an existing output file if robots-scan wrote it.
    pub overwrite: bool,
}

/// The result of the command.
#[derive(Clone, Debug, Default)]
pub struct CrawlerVerdictsSummary {
    /// Rows of `hosts`.
    pub hosts: u64,
    /// The crawlers, without repeated ones.
    pub crawlers: u64,
    /// Output rows: one per host and crawler.
    pub rows: u64,
    pub bytes_written: u64,
    /// True if the run that wrote the dataset was finished.
    pub is_dataset_whole: bool,
}

/// Writes the verdicts. The output is written completely or not at all.
///
/// # Errors
///
/// [`ToolErrorKind::NoCrawler`]; those of [`Dataset::open`]; refusals of the output, as for `match`;
/// errors of reading and writing; [`ErrorKind::Abandoned`] once `stop` is set.
pub fn write(options: &Options, stop: &Arc<AtomicBool>) -> Result<CrawlerVerdictsSummary, Error> {
    let path = &options.output;
    let crawlers = distinct(&options.crawlers);
    if crawlers.is_empty() {
        return Err(Error::new(ToolErrorKind::NoCrawler, path));
    }
    let check = || check_output_file(path, options.overwrite, &|_| false);
    check()?;
    // The times of captures give the order of crawls.
    let tables = [Table::RobotsFiles, Table::Hosts, Table::HostVerdicts];
    let dataset = Dataset::open(&options.dataset, &options.crawls, &tables)?;
    let output = SingleFile::open(path)?;
    // Checked again, since another run may have written the file meanwhile.
    check()?;
    let spill_folder = SpillFolder::create(&output.sort_folder_path(), Arc::clone(stop))?;
    let memory = SortMemory::new(&spill_folder, MIN_MEMORY_BYTES);
    let result = write_rows(&dataset, &crawlers, memory, &output);
    let summary = result.map_err(|error| match error.kind() {
        // The error of a sorter names the temporary folder.
        Some(ErrorKind::Abandoned) => Error::new(ErrorKind::Abandoned, path),
        _ => error,
    })?;
    Ok(CrawlerVerdictsSummary {
        crawlers: crawlers.len() as u64,
        is_dataset_whole: dataset.is_finished(),
        ..summary
    })
}

/// Returns the crawlers without those whose names occurred before.
fn distinct(crawlers: &[Crawler]) -> Vec<&Crawler> {
    let mut seen = BTreeSet::new();
    let mut crawlers: Vec<&Crawler> = crawlers.iter().collect();
    crawlers.retain(|crawler| seen.insert(crawler.whole_name()));
    crawlers
}

fn write_rows(
    dataset: &Dataset,
    crawlers: &[&Crawler],
    memory: SortMemory<'_>,
    output: &SingleFile,
) -> Result<CrawlerVerdictsSummary, Error> {
    let named = NamedVerdicts::of(crawlers);
    let mut sorter = memory.create_sorter();
    let mut record = Vec::new();
    let filter = CaptureFilter::Values(Arc::new(ColumnValuesFilter {
        column: "agent",
        values: named.numbers.keys().cloned().collect(),
    }));
    dataset.read(
        Table::HostVerdicts,
        &[NameColumns::NAMES, VerdictColumns::NAMES].concat(),
        &filter,
        &mut |_, batch| {
            let names = NameColumns::from_batch(batch)?;
            let verdicts = VerdictColumns::from_batch(batch)?;
            for row in 0..batch.num_rows() {
                if let Some(&number) = named.numbers.get(names.agent.value(row)) {
                    record.clear();
                    put_i64(&mut record, names.host_id.value(row));
                    put_u32(&mut record, number);
                    put_verdict(&mut record, &verdicts.verdict(row)?);
                    sorter.push(&record)?;
                }
            }
            Ok(())
        },
    )?;
    let sorted = sorter.finish()?;
    let schema = Table::CrawlerVerdicts.file_schema(&[]);
    let mut writer = Writer {
        crawlers,
        named: &named,
        rows: CrawlerVerdictRows::default(),
        file: TableFileWriter::create(schema, output.new_file()?)?,
        hosts: 0,
        last_host: -1,
    };
    let crawls = dataset.crawls();
    let written = sorted.read().and_then(|mut reader| {
        dataset.read(
            Table::Hosts,
            &[HostColumns::NAMES, WildcardColumns::NAMES].concat(),
            &CaptureFilter::All,
            &mut |crawl, batch| {
                memory.check_stop()?;
                writer.push(&crawls[crawl as usize], batch, &mut reader)
            },
        )?;
        match reader.peek() {
            None => writer.end(),
            // A row of a host that is not in `hosts`.
            Some(_) => Err(inconsistent_table_error(Table::HostVerdicts.name())),
        }
    });
    if let Err(error) = written {
        writer.file.discard();
        return Err(error);
    }
    let finished = writer.file.finish()?;
    Ok(CrawlerVerdictsSummary {
        hosts: writer.hosts,
        rows: finished.rows,
        bytes_written: finished.bytes,
        ..CrawlerVerdictsSummary::default()
    })
}

/// The names whose groups the crawlers obey, with a number for each.
struct NamedVerdicts {
    numbers: BTreeMap<String, u32>,
    /// For each crawler the numbers of its names, its own first.
    of_crawlers: Vec<Vec<u32>>,
}

impl NamedVerdicts {
    fn of(crawlers: &[&Crawler]) -> Self {
        let mut numbers = BTreeMap::new();
        let mut of_crawlers = Vec::new();
        for crawler in crawlers {
            let names = crawler.names().map(|name| {
                let name = String::from_utf8_lossy(name).into_owned();
                let next = numbers.len() as u32;
                *numbers.entry(name).or_insert(next)
            });
            of_crawlers.push(names.collect());
        }
        Self {
            numbers,
            of_crawlers,
        }
    }
}

/// Writes the rows of hosts.
struct Writer<'a> {
    crawlers: &'a [&'a Crawler],
    named: &'a NamedVerdicts,
    rows: CrawlerVerdictRows,
    file: TableFileWriter,
    hosts: u64,
    last_host: i64,
}

impl Writer<'_> {
    /// Adds the rows of a batch of hosts, which are after those of earlier batches. `named` has
    /// the sorted rows of names.
    fn push(
        &mut self,
        crawl: &str,
        batch: &RecordBatch,
        named: &mut Reader<'_>,
    ) -> Result<(), Error> {
        let hosts = HostColumns::from_batch(batch)?;
        let wildcards = VerdictColumns::from(WildcardColumns::from_batch(batch)?);
        let mut of_names = BTreeMap::new();
        for row in 0..batch.num_rows() {
            let id = hosts.host_id.value(row);
            if id <= self.last_host {
                return Err(inconsistent_table_error(Table::Hosts.name()));
            }
            self.last_host = id;
            of_names.clear();
            read_named(named, id, &mut of_names)?;
            let host = HostVerdict {
                wildcard: wildcards.verdict(row)?,
                has_named_rows: hosts.has_named_rows.value(row),
                of_names: &of_names,
            };
            let surt = hosts.surt_host_name.value(row);
            for (crawler, names) in self.crawlers.iter().zip(&self.named.of_crawlers) {
                let verdict = verdict_of(crawler, names, &host);
                self.rows.push(&CrawlerVerdictRow {
                    crawl,
                    surt_host_name: surt,
                    url_host_name: hosts.url_host_name.value(row),
                    domain: value(&hosts.url_host_registered_domain, row).unwrap_or(surt),
                    agent: crawler.whole_name(),
                    rules_crawl: hosts.rules_crawl.value(row),
                    rules_robots_id: hosts.rules_robots_id.value(row),
                    has_rows: verdict.is_some(),
                    verdict: verdict.unwrap_or(WITHOUT_ROWS),
                });
            }
            self.hosts += 1;
            if self.rows.row_count() >= BATCH_ROWS {
                self.file.write(self.rows.take())?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        self.file.write(self.rows.take())?;
        self.file.finish_rows()
    }
}

/// Reads the verdicts of the names of a host, by the number of the name.
fn read_named(
    named: &mut Reader<'_>,
    host_id: i64,
    verdicts: &mut BTreeMap<u32, StoredVerdict>,
) -> Result<(), Error> {
    while let Some(record) = named.peek() {
        let mut fields = FieldReader::new(record);
        let id = fields.i64();
        if id > host_id {
            break;
        }
        if id < host_id {
            return Err(inconsistent_table_error(Table::HostVerdicts.name()));
        }
        let number = fields.u32();
        verdicts.insert(number, read_verdict(&mut fields));
        named.advance()?;
    }
    Ok(())
}

/// The stored verdicts of a host.
struct HostVerdict<'a> {
    wildcard: StoredVerdict,
    has_named_rows: bool,
    /// Those of the requested names, by the number of the name.
    of_names: &'a BTreeMap<u32, StoredVerdict>,
}

/// The verdict of a crawler for a host without rows of names. The columns that are null then have
/// any value.
const WITHOUT_ROWS: StoredVerdict = StoredVerdict {
    verdicts: [Verdict::Unknown; 4],
    basis: Basis::TooComplex,
    root_allowed: false,
    n_allow: 0,
    n_disallow: 0,
    crawl_delay: None,
    evidence_line: None,
};

/// Returns the verdict of a host for a crawler, whose names have these numbers; `None` if the rows
/// of names that would decide it are not stored.
fn verdict_of(crawler: &Crawler, names: &[u32], host: &HostVerdict<'_>) -> Option<StoredVerdict> {
    let of_name = |number: &u32| host.of_names.get(number);
    let is_group =
        |verdict: &&StoredVerdict| matches!(verdict.basis, Basis::Explicit | Basis::TooComplex);
    let wildcard = &host.wildcard;
    let mut verdict = match names.iter().filter_map(of_name).find(is_group) {
        Some(group) => *group,
        None if !host.has_named_rows && crawler.whole_name() != "*" => return None,
        None if crawler.ignores_wildcard() && wildcard.basis != Basis::HttpStatus => {
            StoredVerdict {
                verdicts: [Verdict::AllowAll; 4],
                basis: Basis::NoGroup,
                root_allowed: true,
                n_allow: 0,
                n_disallow: 0,
                crawl_delay: None,
                evidence_line: None,
            }
        }
        None => *wildcard,
    };
    // The dialects know no fallbacks, and no crawler that ignores `*`.
    let own = names.first().and_then(of_name).unwrap_or(wildcard);
    verdict.verdicts[1..].copy_from_slice(&own.verdicts[1..]);
    Some(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dataset::crawler::registry::CrawlerRegistry;

    fn stored(verdict: Verdict, basis: Basis) -> StoredVerdict {
        StoredVerdict {
            verdicts: [verdict; 4],
            basis,
            root_allowed: verdict != Verdict::DisallowAll,
            ..WITHOUT_ROWS
        }
    }

    #[test]
    fn a_crawler_has_the_verdict_of_the_group_it_obeys() {
        use Basis::{Explicit, HttpStatus, NoGroup, TooComplex, Wildcard};
        use Verdict::{AllowAll, DisallowAll, Partial, Unknown};
        let registry = CrawlerRegistry::built_in();
        let blocked = stored(DisallowAll, Wildcard);
        // Crawler, verdict of `*`, rows of its names in order, verdict and basis.
        type Case<'a> = (
            &'a str,
            StoredVerdict,
            &'a [(u32, StoredVerdict)],
            Verdict,
            Basis,
        );
        let cases: [Case<'_>; 9] = [
            ("GPTBot", blocked, &[], DisallowAll, Wildcard),
            (
                "GPTBot",
                blocked,
                &[(0, stored(AllowAll, Explicit))],
                AllowAll,
                Explicit,
            ),
            (
                "GPTBot",
                blocked,
                &[(0, stored(Partial, Wildcard))],
                DisallowAll,
                Wildcard,
            ),
            (
                "GPTBot",
                blocked,
                &[(0, stored(Unknown, TooComplex))],
                Unknown,
                TooComplex,
            ),
            (
                "Googlebot-News",
                blocked,
                &[(1, stored(Partial, Explicit))],
                Partial,
                Explicit,
            ),
            (
                "Googlebot-News",
                blocked,
                &[
                    (0, stored(AllowAll, Explicit)),
                    (1, stored(Partial, Explicit)),
                ],
                AllowAll,
                Explicit,
            ),
            ("AdsBot-Google", blocked, &[], AllowAll, NoGroup),
            (
                "AdsBot-Google",
                stored(DisallowAll, HttpStatus),
                &[],
                DisallowAll,
                HttpStatus,
            ),
            ("*", blocked, &[], DisallowAll, Wildcard),
        ];
        for (agent, wildcard, rows, verdict, basis) in cases {
            let crawler = Crawler::new(&registry, agent);
            let numbers: Vec<u32> = (0..).take(crawler.names().count()).collect();
            let of_names = rows.iter().copied().collect();
            let mut host = HostVerdict {
                wildcard,
                has_named_rows: true,
                of_names: &of_names,
            };
            let found = verdict_of(&crawler, &numbers, &host).unwrap();
            assert_eq!(
                (found.verdicts[0], found.basis),
                (verdict, basis),
                "{agent}"
            );
            let own = rows.iter().find(|(number, _)| *number == 0);
            let own = own.map_or(wildcard, |(_, verdict)| *verdict);
            assert_eq!(found.verdicts[1..], own.verdicts[1..], "{agent}");
            if rows.is_empty() {
                host.has_named_rows = false;
                let is_known = verdict_of(&crawler, &numbers, &host).is_some();
                assert_eq!(is_known, agent == "*", "{agent}");
            }
        }
    }

    #[test]
    fn spellings_of_a_name_are_one_crawler() {
        let registry = CrawlerRegistry::built_in();
        let crawlers = ["GPTBot", "CCBot", "gptbot/1.2"].map(|name| Crawler::new(&registry, name));
        let names: Vec<&str> = distinct(&crawlers)
            .iter()
            .map(|crawler| crawler.whole_name())
            .collect();
        assert_eq!(names, ["gptbot", "ccbot"]);
    }
}
