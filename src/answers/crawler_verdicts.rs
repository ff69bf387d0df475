//! `verdicts`: writes one row per host and requested crawler, for tools that read Parquet but cannot use
//! the SQL macros of `views.sql`.
//!
//! The rows of `host_verdicts` with the names of the crawlers are sorted by host externally, and
//! merged with `hosts`, which is sorted by host. [`find_verdict`] does what the macro `verdicts_of` of
//! `tables/macros.sql` does: change both together. `jobs/test_crawler_verdicts.py` compares them.

use crate::error::AnswerErrorKind;
use crate::own_tables;
use crate::own_tables::{CrawlerVerdictRow, CrawlerVerdictRows};
use arrow_array::RecordBatch;
use columns::TableFileWriter;
use crawlers::Crawler;
use dataset::{
    CaptureFilter, ColumnValuesFilter, Dataset, StoredColumns, check_output_file, stored_columns,
    value,
};
use disk::SingleFile;
use disk::error::{Error, ErrorKind};
use hosts::resolved::stored_verdict::{
    VerdictColumns, WildcardColumns, inconsistent_table_error, put_verdict, read_verdict,
};
use robots::{Basis, Verdict};
use sort::sort_key::{FieldReader, put_i64, put_u32};
use sort::{MIN_MEMORY_BYTES, Reader, SortMemory, SpillFolder};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::{StoredVerdict, Table};

/// The number of output rows at which a batch is written.
const BATCH_ROWS: usize = 8192;

stored_columns! {
    /// The columns of `hosts` that are read, except the verdict of `*`.
    struct HostColumns of Table::HOSTS {
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
    /// The host and the name that a row of `host_verdicts` belongs to.
    struct NameColumns of Table::HOST_VERDICTS {
        host_id: Long,
        agent: Text,
    }
}

/// The crawlers, the dataset that is read, and the file that is written.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the dataset.
    pub dataset: PathBuf,
    /// The crawls of the dataset that are read; if empty, all.
    pub crawls: Vec<String>,
    /// The crawlers to write rows for. Several spellings of a name are one crawler.
    pub crawlers: Vec<Crawler>,
    /// The output file, in Parquet.
    pub output: PathBuf,
    /// Replaces an existing output file if robots-scan wrote it.
    pub overwrite: bool,
}

/// The numbers of hosts, crawlers and rows of a finished output file.
#[derive(Clone, Debug, Default)]
pub struct CrawlerVerdictsSummary {
    /// Rows of `hosts`.
    pub hosts: u64,
    /// Distinct crawlers.
    pub crawlers: u64,
    /// Output rows: one per host and crawler.
    pub rows: u64,
    /// The size of the output file.
    pub bytes_written: u64,
    /// True if the run that wrote the dataset was finished.
    pub is_dataset_whole: bool,
}

/// Writes the verdicts. The output is written completely or not at all.
///
/// # Errors
///
/// [`AnswerErrorKind::NoCrawler`]; those of [`Dataset::open`] and [`check_output_file`]; errors of
/// reading and writing; [`ErrorKind::Abandoned`] once `stop` is set.
pub fn write(options: &Options, stop: &Arc<AtomicBool>) -> Result<CrawlerVerdictsSummary, Error> {
    let path = &options.output;
    let crawlers = remove_repeated_crawlers(&options.crawlers);
    if crawlers.is_empty() {
        return Err(Error::new(AnswerErrorKind::NoCrawler, path));
    }
    let check = || check_output_file(path, options.overwrite, &|_| false);
    check()?;
    // `robots_files` is needed for the order of crawls, which follows from the times of captures.
    let tables = [Table::ROBOTS_FILES, Table::HOSTS, Table::HOST_VERDICTS];
    let dataset = Dataset::open(&options.dataset, &options.crawls, &tables)?.with_stop_flag(stop);
    let output = SingleFile::open(path)?;
    // Another run may have written the file since the first check.
    check()?;
    let spill_folder = SpillFolder::create(&output.sort_folder_path(), Arc::clone(stop))?;
    let memory = SortMemory::new(&spill_folder, MIN_MEMORY_BYTES);
    let result = write_rows(&dataset, &crawlers, memory, &output);
    let summary = result.map_err(|error| match error.kind() {
        // The error of a stopped sorter has the path of a temporary folder.
        Some(ErrorKind::Abandoned) => Error::new(ErrorKind::Abandoned, path),
        _ => error,
    })?;
    Ok(CrawlerVerdictsSummary {
        crawlers: crawlers.len() as u64,
        is_dataset_whole: dataset.is_finished(),
        ..summary
    })
}

/// Returns the distinct crawlers by whole name, in the order of their first occurrence.
fn remove_repeated_crawlers(crawlers: &[Crawler]) -> Vec<&Crawler> {
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
    let name_index = CrawlerNameIndex::from_crawlers(crawlers);
    let mut sorter = memory.create_sorter();
    let mut record = Vec::new();
    let filter = CaptureFilter::Values(Arc::new(ColumnValuesFilter {
        column: "agent",
        values: name_index.numbers_by_name.keys().cloned().collect(),
    }));
    dataset.read(
        Table::HOST_VERDICTS,
        &[NameColumns::NAMES, VerdictColumns::NAMES].concat(),
        &filter,
        &mut |_, batch| {
            let names = NameColumns::from_batch(batch)?;
            let verdicts = VerdictColumns::from_batch(batch)?;
            for row in 0..batch.num_rows() {
                if let Some(&number) = name_index.numbers_by_name.get(names.agent.value(row)) {
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
    let schema = own_tables::CRAWLER_VERDICTS.file_schema(&[]);
    let mut writer = VerdictWriter {
        crawlers,
        name_index: &name_index,
        rows: CrawlerVerdictRows::default(),
        file: TableFileWriter::create(schema, output.new_file()?)?,
        hosts: 0,
        last_host_id: -1,
    };
    let crawls = dataset.crawls();
    let written = sorted.read().and_then(|mut reader| {
        dataset.read(
            Table::HOSTS,
            &[HostColumns::NAMES, WildcardColumns::NAMES].concat(),
            &CaptureFilter::All,
            &mut |crawl, batch| {
                memory.check_stop()?;
                writer.push(&crawls[crawl as usize], batch, &mut reader)
            },
        )?;
        match reader.peek() {
            None => writer.finish_rows(),
            // A row is left, so its host is not in `hosts`.
            Some(_) => Err(inconsistent_table_error(Table::HOST_VERDICTS.name())),
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

/// Numbers for the names whose groups the crawlers obey: their own names and those of their fallbacks.
struct CrawlerNameIndex {
    numbers_by_name: BTreeMap<String, u32>,
    /// For each crawler, the numbers of its own name and then of its fallbacks.
    numbers_by_crawler: Vec<Vec<u32>>,
}

impl CrawlerNameIndex {
    fn from_crawlers(crawlers: &[&Crawler]) -> Self {
        let mut numbers_by_name = BTreeMap::new();
        let mut numbers_by_crawler = Vec::new();
        for crawler in crawlers {
            let names = crawler.names().map(|name| {
                let name = String::from_utf8_lossy(name).into_owned();
                let next = numbers_by_name.len() as u32;
                *numbers_by_name.entry(name).or_insert(next)
            });
            numbers_by_crawler.push(names.collect());
        }
        Self {
            numbers_by_name,
            numbers_by_crawler,
        }
    }
}

/// Writes the output rows of each host, in the order of hosts.
struct VerdictWriter<'a> {
    crawlers: &'a [&'a Crawler],
    name_index: &'a CrawlerNameIndex,
    rows: CrawlerVerdictRows,
    file: TableFileWriter,
    hosts: u64,
    last_host_id: i64,
}

impl VerdictWriter<'_> {
    /// Adds the rows of a batch of `hosts`. Batches have to be pushed in the order of hosts.
    /// `name_rows` reads the rows of `host_verdicts`, sorted by host.
    fn push(
        &mut self,
        crawl: &str,
        batch: &RecordBatch,
        name_rows: &mut Reader<'_>,
    ) -> Result<(), Error> {
        let hosts = HostColumns::from_batch(batch)?;
        let wildcards = VerdictColumns::from(WildcardColumns::from_batch(batch)?);
        let mut verdicts_by_name = BTreeMap::new();
        for row in 0..batch.num_rows() {
            let id = hosts.host_id.value(row);
            if id <= self.last_host_id {
                return Err(inconsistent_table_error(Table::HOSTS.name()));
            }
            self.last_host_id = id;
            verdicts_by_name.clear();
            read_name_verdicts(name_rows, id, &mut verdicts_by_name)?;
            let host = StoredHostVerdicts {
                wildcard: wildcards.verdict(row)?,
                has_named_rows: hosts.has_named_rows.value(row),
                verdicts_by_name: &verdicts_by_name,
            };
            let surt_host_name = hosts.surt_host_name.value(row);
            for (crawler, names) in self
                .crawlers
                .iter()
                .zip(&self.name_index.numbers_by_crawler)
            {
                let verdict = find_verdict(crawler, names, &host);
                self.rows.push(&CrawlerVerdictRow {
                    crawl,
                    surt_host_name,
                    url_host_name: hosts.url_host_name.value(row),
                    domain: value(&hosts.url_host_registered_domain, row).unwrap_or(surt_host_name),
                    agent: crawler.whole_name(),
                    rules_crawl: hosts.rules_crawl.value(row),
                    rules_robots_id: hosts.rules_robots_id.value(row),
                    has_rows: verdict.is_some(),
                    verdict: verdict.unwrap_or(VERDICT_WITHOUT_ROWS),
                });
            }
            self.hosts += 1;
            if self.rows.row_count() >= BATCH_ROWS {
                self.file.write(self.rows.take())?;
            }
        }
        Ok(())
    }

    fn finish_rows(&mut self) -> Result<(), Error> {
        self.file.write(self.rows.take())?;
        self.file.finish_rows()
    }
}

/// Reads the rows of one host into `verdicts`, by the numbers of their names in [`CrawlerNameIndex`].
/// `name_rows` are the sorted rows of `host_verdicts`.
fn read_name_verdicts(
    name_rows: &mut Reader<'_>,
    host_id: i64,
    verdicts: &mut BTreeMap<u32, StoredVerdict>,
) -> Result<(), Error> {
    while let Some(record) = name_rows.peek() {
        let mut fields = FieldReader::new(record);
        let id = fields.i64();
        if id > host_id {
            break;
        }
        if id < host_id {
            return Err(inconsistent_table_error(Table::HOST_VERDICTS.name()));
        }
        let number = fields.u32();
        verdicts.insert(number, read_verdict(&mut fields));
        name_rows.advance()?;
    }
    Ok(())
}

/// The verdicts of a host that the dataset stores.
struct StoredHostVerdicts<'a> {
    wildcard: StoredVerdict,
    has_named_rows: bool,
    /// The verdicts of the requested names, by their numbers in [`CrawlerNameIndex`].
    verdicts_by_name: &'a BTreeMap<u32, StoredVerdict>,
}

/// The verdict of a crawler for a host whose verdicts by name are not in `host_verdicts`. Only
/// `verdicts`, `basis` and `evidence_line` are written; the other fields are placeholders.
const VERDICT_WITHOUT_ROWS: StoredVerdict = StoredVerdict {
    verdicts: [Verdict::Unknown; 4],
    basis: Basis::TooComplex,
    root_allowed: false,
    n_allow: 0,
    n_disallow: 0,
    crawl_delay_ms: None,
    evidence_line: None,
};

/// Returns the verdict of a host for a crawler. `names` are the numbers of the crawler's own name and
/// of its fallbacks in [`CrawlerNameIndex`]. Returns `None` if the dataset does not store the verdicts
/// by name of the host, so that the verdict is unknown.
fn find_verdict(
    crawler: &Crawler,
    names: &[u32],
    host: &StoredHostVerdicts<'_>,
) -> Option<StoredVerdict> {
    let stored_verdict = |number: &u32| host.verdicts_by_name.get(number);
    let is_group =
        |verdict: &&StoredVerdict| matches!(verdict.basis, Basis::Explicit | Basis::TooComplex);
    let wildcard = &host.wildcard;
    let mut verdict = match names.iter().filter_map(stored_verdict).find(is_group) {
        Some(group) => *group,
        None if !host.has_named_rows && crawler.whole_name() != "*" => return None,
        None if crawler.ignores_wildcard() && wildcard.basis != Basis::HttpStatus => {
            StoredVerdict {
                verdicts: [Verdict::AllowAll; 4],
                basis: Basis::NoGroup,
                root_allowed: true,
                n_allow: 0,
                n_disallow: 0,
                crawl_delay_ms: None,
                evidence_line: None,
            }
        }
        None => *wildcard,
    };
    // The first verdict is the default one. The others are those of the dialects, in which there are
    // neither fallbacks nor crawlers that ignore `*`.
    let own_verdict = names.first().and_then(stored_verdict).unwrap_or(wildcard);
    verdict.verdicts[1..].copy_from_slice(&own_verdict.verdicts[1..]);
    Some(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawlers::CrawlerRegistry;

    fn new_stored_verdict(verdict: Verdict, basis: Basis) -> StoredVerdict {
        StoredVerdict {
            verdicts: [verdict; 4],
            basis,
            root_allowed: verdict != Verdict::DisallowAll,
            ..VERDICT_WITHOUT_ROWS
        }
    }

    #[test]
    fn a_crawler_has_the_verdict_of_the_group_it_obeys() {
        use Basis::{Explicit, HttpStatus, NoGroup, TooComplex, Wildcard};
        use Verdict::{AllowAll, DisallowAll, Partial, Unknown};
        let registry = CrawlerRegistry::built_in();
        let blocked = new_stored_verdict(DisallowAll, Wildcard);
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
                &[(0, new_stored_verdict(AllowAll, Explicit))],
                AllowAll,
                Explicit,
            ),
            (
                "GPTBot",
                blocked,
                &[(0, new_stored_verdict(Partial, Wildcard))],
                DisallowAll,
                Wildcard,
            ),
            (
                "GPTBot",
                blocked,
                &[(0, new_stored_verdict(Unknown, TooComplex))],
                Unknown,
                TooComplex,
            ),
            (
                "Googlebot-News",
                blocked,
                &[(1, new_stored_verdict(Partial, Explicit))],
                Partial,
                Explicit,
            ),
            (
                "Googlebot-News",
                blocked,
                &[
                    (0, new_stored_verdict(AllowAll, Explicit)),
                    (1, new_stored_verdict(Partial, Explicit)),
                ],
                AllowAll,
                Explicit,
            ),
            ("AdsBot-Google", blocked, &[], AllowAll, NoGroup),
            (
                "AdsBot-Google",
                new_stored_verdict(DisallowAll, HttpStatus),
                &[],
                DisallowAll,
                HttpStatus,
            ),
            ("*", blocked, &[], DisallowAll, Wildcard),
        ];
        for (agent, wildcard, rows, verdict, basis) in cases {
            let crawler = Crawler::new(&registry, agent);
            let numbers: Vec<u32> = (0..).take(crawler.names().count()).collect();
            let verdicts_by_name = rows.iter().copied().collect();
            let mut host = StoredHostVerdicts {
                wildcard,
                has_named_rows: true,
                verdicts_by_name: &verdicts_by_name,
            };
            let found = find_verdict(&crawler, &numbers, &host).unwrap();
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
                let is_known = find_verdict(&crawler, &numbers, &host).is_some();
                assert_eq!(is_known, agent == "*", "{agent}");
            }
        }
    }

    #[test]
    fn spellings_of_a_name_are_one_crawler() {
        let registry = CrawlerRegistry::built_in();
        let crawlers = ["GPTBot", "CCBot", "gptbot/1.2"].map(|name| Crawler::new(&registry, name));
        let names: Vec<&str> = remove_repeated_crawlers(&crawlers)
            .iter()
            .map(|crawler| crawler.whole_name())
            .collect();
        assert_eq!(names, ["gptbot", "ccbot"]);
    }
}
