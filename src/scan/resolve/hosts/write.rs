//! Writes the tables `hosts` and `host_verdicts`.

use super::ranking::Ranking;
use super::rules::{StoredRules, rules_of_hosts};
use super::selection::{SelectedHost, SelectedHosts};
use super::stored_verdict::{inconsistent, put_verdict, read_verdict};
use crate::error::Error;
use crate::external_sort::sort_key::{
    FieldReader, push_unescaped_key, put_bytes, put_i64, put_key, put_u32,
};
use crate::external_sort::{Reader, SortedRecords, Sorter};
use crate::parquet_writer::{RowBatch, TableFileWriter};
use crate::resolve::context::ResolveContext;
use crate::resolve::origin::host_of_url;
use crate::tables::{HostRow, HostRows, HostVerdictRow, HostVerdictRows, Table};
use std::ops::RangeInclusive;
use std::path::Path;

/// The bits of the number of a host in its crawl, in `host_id`.
const CRAWL_SHIFT: u32 = 32;

/// Rows of a batch.
const BATCH_ROWS: usize = 8192;

/// A file of a resolved table, all of whose rows were written.
pub(crate) struct ResolvedFile {
    pub(crate) table: Table,
    /// The index of its crawl.
    pub(crate) crawl: u32,
    pub(crate) writer: TableFileWriter,
}

/// The result of resolving hosts.
pub(crate) struct ResolvedHosts {
    /// The files of both tables.
    pub(crate) files: Vec<ResolvedFile>,
    pub(crate) ranking: Ranking,
}

/// Creates the file of a table and crawl, under a temporary name.
pub(crate) type CreateFile<'c> = dyn Fn(Table, u32) -> Result<TableFileWriter, Error> + 'c;

/// Resolves the hosts of some crawls, and writes both tables, in the order of crawls. Revisits take
/// their contents also from the crawls before these.
///
/// # Errors
///
/// Errors of reading and writing; [`ErrorKind::Abandoned`](crate::error::ErrorKind::Abandoned) if
/// the run is to stop.
pub(crate) fn resolve_hosts(
    context: &ResolveContext<'_>,
    crawls: RangeInclusive<u32>,
    create: &CreateFile<'_>,
) -> Result<ResolvedHosts, Error> {
    let mut ranking = Ranking::new(*crawls.end());
    let hosts = SelectedHosts::select(context, crawls.clone())?;
    let rules = rules_of_hosts(context, &hosts)?;
    let mut named = NamedRows {
        sorter: context.memory.sorter(),
        record: Vec::new(),
    };
    let mut tables = CrawlFiles::new(Table::Hosts, crawls.clone(), create);
    write_hosts(
        context,
        &hosts,
        &rules,
        &mut tables,
        &mut named,
        &mut ranking,
    )?;
    let mut files = tables.finish()?;
    drop((hosts, rules));
    let mut tables = CrawlFiles::new(Table::HostVerdicts, crawls, create);
    write_verdicts(&named.sorter.finish()?, &mut tables, &mut ranking)?;
    files.extend(tables.finish()?);
    Ok(ResolvedHosts { files, ranking })
}

/// The files of a table, one after the other.
struct CrawlFiles<'c> {
    table: Table,
    /// The crawls whose files are not created yet.
    crawls: RangeInclusive<u32>,
    create: &'c CreateFile<'c>,
    files: Vec<ResolvedFile>,
}

impl<'c> CrawlFiles<'c> {
    fn new(table: Table, crawls: RangeInclusive<u32>, create: &'c CreateFile<'c>) -> Self {
        Self {
            table,
            crawls,
            create,
            files: Vec::new(),
        }
    }

    /// Writes rows of a crawl, which is not before that of earlier rows.
    fn write(&mut self, crawl: u32, rows: RowBatch) -> Result<(), Error> {
        while self.files.last().is_none_or(|file| file.crawl != crawl) {
            if !self.next_file()? {
                return Err(inconsistent(self.table.name()));
            }
        }
        match self.files.last_mut() {
            Some(file) => file.writer.write(rows),
            None => Ok(()),
        }
    }

    /// Ends the current file and creates that of the next crawl. Returns false after the last crawl.
    fn next_file(&mut self) -> Result<bool, Error> {
        if let Some(file) = self.files.last_mut() {
            file.writer.end()?;
        }
        let Some(crawl) = self.crawls.next() else {
            return Ok(false);
        };
        self.files.push(ResolvedFile {
            table: self.table,
            crawl,
            writer: (self.create)(self.table, crawl)?,
        });
        Ok(true)
    }

    /// Creates the remaining files, which have no rows, and returns all.
    fn finish(mut self) -> Result<Vec<ResolvedFile>, Error> {
        while self.next_file()? {}
        Ok(self.files)
    }
}

/// Rows of `host_verdicts`, to be sorted by crawl, agent and host.
struct NamedRows<'s> {
    sorter: Sorter<'s>,
    record: Vec<u8>,
}

/// Writes the table `hosts`, and collects the rows of the other table.
fn write_hosts(
    context: &ResolveContext<'_>,
    hosts: &SelectedHosts<'_>,
    rules: &SortedRecords<'_>,
    files: &mut CrawlFiles<'_>,
    named: &mut NamedRows<'_>,
    ranking: &mut Ranking,
) -> Result<(), Error> {
    let mut rules = rules.read()?;
    let mut rows = HostRows::default();
    let mut crawl_of_rows = 0;
    let mut host_id = -1;
    hosts.for_each(&mut |number, host| {
        if rows.len() >= BATCH_ROWS || (rows.len() > 0 && host.crawl != crawl_of_rows) {
            context.memory.check_stop()?;
            files.write(crawl_of_rows, rows.take())?;
        }
        crawl_of_rows = host.crawl;
        host_id = i64::max(host_id + 1, i64::from(host.crawl) << CRAWL_SHIFT);
        ranking.count_host(host.crawl);
        let stored = rules_of(&rules, number)?;
        let row = host_row(context, host_id, host, &stored);
        named.push(host.crawl, &row, &stored)?;
        rows.push(&row);
        rules.advance()
    })?;
    match rows.len() {
        0 => Ok(()),
        _ => files.write(crawl_of_rows, rows.take()),
    }
}

/// Returns the rules of the host with this number, which are the current record.
fn rules_of<'a>(rules: &'a Reader<'_>, number: u64) -> Result<StoredRules<'a>, Error> {
    let record = rules
        .peek()
        .filter(|record| FieldReader::new(record).u64() == number);
    let record = record.ok_or_else(|| {
        let error = inconsistent(Table::Verdicts.name());
        Error::new(error.kind().clone(), Path::new(Table::Hosts.name()))
    })?;
    Ok(StoredRules::read(record))
}

fn host_row<'a>(
    context: &'a ResolveContext<'_>,
    host_id: i64,
    host: &'a SelectedHost<'_>,
    stored: &'a StoredRules<'a>,
) -> HostRow<'a> {
    let source = host.capture.source.id;
    let int = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    HostRow {
        host_id,
        surt_host_name: host.surt_host_name,
        name: host_of_url(host.url).unwrap_or_default(),
        url: host.url,
        fetch_time: host.capture.time,
        authoritative_robots_id: host.capture.id.robots_id,
        rules_crawl: &context.dataset.crawls()[source.crawl as usize],
        rules_robots_id: source.robots_id,
        is_own_rules: source == host.capture.id,
        n_redirects: host.capture.redirects.count.into(),
        redirect_end: host.capture.redirects.end.map(|end| end.name()),
        rules: &stored.rules,
        n_captures: int(host.n_captures),
        n_changes: int(host.n_changes),
    }
}

impl NamedRows<'_> {
    /// Adds the rows of a host.
    fn push(
        &mut self,
        crawl: u32,
        host: &HostRow<'_>,
        rules: &StoredRules<'_>,
    ) -> Result<(), Error> {
        let domain = host.registered_domain().unwrap_or_default();
        for (agent, verdict) in rules.named() {
            let record = &mut self.record;
            record.clear();
            put_u32(record, crawl);
            put_key(record, agent);
            put_i64(record, host.host_id);
            put_bytes(record, host.surt_host_name.as_bytes());
            put_bytes(record, domain.as_bytes());
            put_verdict(record, &verdict);
            self.sorter.push(record)?;
        }
        Ok(())
    }
}

/// Writes the table `host_verdicts`.
fn write_verdicts(
    named: &SortedRecords<'_>,
    files: &mut CrawlFiles<'_>,
    ranking: &mut Ranking,
) -> Result<(), Error> {
    let mut reader = named.read()?;
    let mut rows = HostVerdictRows::default();
    let mut crawl_of_rows = 0;
    let mut agent = Vec::new();
    while let Some(record) = reader.peek() {
        let mut fields = FieldReader::new(record);
        let crawl = fields.u32();
        if rows.len() >= BATCH_ROWS || (rows.len() > 0 && crawl != crawl_of_rows) {
            files.write(crawl_of_rows, rows.take())?;
        }
        crawl_of_rows = crawl;
        agent.clear();
        push_unescaped_key(&mut agent, fields.key());
        let host_id = fields.i64();
        let (host, domain) = (fields.bytes(), fields.bytes());
        let verdict = read_verdict(&mut fields);
        ranking.count(crawl, text(&agent), &verdict);
        rows.push(&HostVerdictRow {
            agent: text(&agent),
            host_id,
            surt_host_name: text(host),
            registered_domain: Some(text(domain)).filter(|domain| !domain.is_empty()),
            verdict,
        });
        reader.advance()?;
    }
    ranking.end();
    match rows.len() {
        0 => Ok(()),
        _ => files.write(crawl_of_rows, rows.take()),
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it was written from a text")
}
