//! Writes the tables `hosts` and `host_verdicts`.

use super::ranking::Ranking;
use super::rules::{CaptureKey, HostsWithRules, rules_of_hosts, stored_names, stored_rules};
use super::selection::{SelectedHost, SelectedHosts};
use super::stored_verdict::{inconsistent, put_verdict, read_verdict};
use crate::external_sort::sort_key::{
    FieldReader, push_unescaped_key, put_bytes, put_i64, put_key, put_u32,
};
use crate::external_sort::{Reader, SortedRecords, Sorter};
use crate::resolve::ResolveContext;
use crate::resolve::origin::host_of_url;
use crate::tables::{HostRow, HostRows, HostRules, HostVerdictRow, HostVerdictRows, Table};
use columns::{RowBatch, TableFileWriter};
use disk::error::Error;
use std::ops::RangeInclusive;

/// The bits of the number of a host in its crawl, in `host_id`.
const CRAWL_SHIFT: u32 = 32;

const BATCH_ROWS: usize = 8192;

/// A file of a resolved table, all of whose rows were written.
pub struct ResolvedFile {
    pub table: Table,
    /// The index of its crawl.
    pub crawl: u32,
    pub writer: TableFileWriter,
}

/// The result of resolving hosts.
pub struct ResolvedHosts {
    /// The files of both tables.
    pub files: Vec<ResolvedFile>,
    pub ranking: Ranking,
}

/// Creates the file of a table and crawl, under a temporary name.
pub(crate) type CreateFile<'c> = dyn Fn(Table, u32) -> Result<TableFileWriter, Error> + 'c;

/// Resolves the hosts of some crawls, and writes both tables, in the order of crawls. Revisits take
/// their contents also from the crawls before these.
///
/// # Errors
///
/// Errors of reading and writing; [`ErrorKind::Abandoned`](disk::error::ErrorKind::Abandoned) if
/// the run is to stop.
pub fn resolve_hosts(
    context: &ResolveContext<'_>,
    crawls: RangeInclusive<u32>,
    create: &CreateFile<'_>,
) -> Result<ResolvedHosts, Error> {
    let mut ranking = Ranking::new(*crawls.end());
    let hosts = SelectedHosts::select(context, crawls.clone())?;
    let rules = rules_of_hosts(context, &hosts)?;
    let mut naming = NamingHosts {
        sorter: context.memory.sorter(),
        record: Vec::new(),
    };
    let mut tables = CrawlFiles::new(Table::Hosts, crawls.clone(), create);
    write_hosts(
        context,
        &hosts,
        &rules,
        &mut tables,
        &mut naming,
        &mut ranking,
    )?;
    let mut files = tables.finish()?;
    let HostsWithRules { by_host, names, .. } = rules;
    drop((hosts, by_host));
    let rows = named_rows(context, naming.sorter.finish()?, &names)?;
    drop(names);
    let mut tables = CrawlFiles::new(Table::HostVerdicts, crawls, create);
    write_verdicts(&rows, &mut tables, &mut ranking)?;
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

/// Hosts that have rows in `host_verdicts`, to be sorted by the captures with their rules.
struct NamingHosts<'s> {
    sorter: Sorter<'s>,
    record: Vec<u8>,
}

/// Writes the table `hosts`, and collects the hosts that have rows in the other table.
fn write_hosts(
    context: &ResolveContext<'_>,
    hosts: &SelectedHosts<'_>,
    rules: &HostsWithRules<'_>,
    files: &mut CrawlFiles<'_>,
    naming: &mut NamingHosts<'_>,
    ranking: &mut Ranking,
) -> Result<(), Error> {
    let limits = &rules.limits;
    let mut rules = rules.by_host.read()?;
    let mut rows = HostRows::default();
    let mut crawl_of_rows = 0;
    let mut host_id = -1;
    hosts.for_each(&mut |number, host| {
        if rows.rows() >= BATCH_ROWS || (rows.rows() > 0 && host.crawl != crawl_of_rows) {
            context.memory.check_stop()?;
            files.write(crawl_of_rows, rows.take())?;
        }
        crawl_of_rows = host.crawl;
        host_id = i64::max(host_id + 1, i64::from(host.crawl) << CRAWL_SHIFT);
        ranking.count_host(host.crawl);
        let stored = stored_rules(record_of(&rules, number)?, host, limits);
        let row = host_row(context, host_id, host, &stored);
        naming.push(host, &row)?;
        rows.push(&row);
        rules.advance()
    })?;
    match rows.rows() {
        0 => Ok(()),
        _ => files.write(crawl_of_rows, rows.take()),
    }
}

/// Returns the record of the host with this number, which is the current one.
fn record_of<'a>(rules: &'a Reader<'_>, number: u64) -> Result<&'a [u8], Error> {
    let record = rules
        .peek()
        .filter(|record| FieldReader::new(record).u64() == number);
    record.ok_or_else(no_verdicts)
}

/// Returns the error that rows of `verdicts` are missing.
fn no_verdicts() -> Error {
    inconsistent(Table::Verdicts.name()).at(Table::Hosts.name())
}

fn host_row<'a>(
    context: &'a ResolveContext<'_>,
    host_id: i64,
    host: &'a SelectedHost<'_>,
    rules: &'a HostRules<'a>,
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
        rules,
        n_captures: int(host.n_captures),
        n_changes: int(host.n_changes),
    }
}

impl NamingHosts<'_> {
    /// Adds a host if it has rows.
    fn push(&mut self, host: &SelectedHost<'_>, row: &HostRow<'_>) -> Result<(), Error> {
        if row.rules.n_named == 0 || !row.rules.has_named_rows {
            return Ok(());
        }
        let source = &host.capture.source;
        let domain = row.registered_domain().unwrap_or_default();
        let record = &mut self.record;
        record.clear();
        let key = CaptureKey {
            part: source.part,
            robots_id: source.id.robots_id,
        };
        key.write(record);
        put_u32(record, host.crawl);
        put_i64(record, row.host_id);
        put_bytes(record, row.surt_host_name.as_bytes());
        put_bytes(record, domain.as_bytes());
        self.sorter.push(record)
    }
}

/// Returns the rows of `host_verdicts`, sorted by crawl, agent and host: the names of the captures,
/// for each host that has their rules.
fn named_rows<'s>(
    context: &ResolveContext<'s>,
    hosts: SortedRecords<'_>,
    names: &SortedRecords<'_>,
) -> Result<SortedRecords<'s>, Error> {
    let mut rows = context.memory.sorter();
    let (mut hosts, mut names) = (hosts.read()?, names.read()?);
    let mut row = Vec::new();
    while let Some(host) = hosts.peek() {
        let (capture, fields) = host.split_at(CaptureKey::BYTES);
        names.skip_to_key(capture)?;
        let of_capture = names.peek().and_then(|names| names.strip_prefix(capture));
        let mut fields = FieldReader::new(fields);
        let crawl = fields.u32();
        for (agent, verdict) in stored_names(of_capture.ok_or_else(no_verdicts)?) {
            row.clear();
            put_u32(&mut row, crawl);
            put_key(&mut row, agent);
            // The number, the name and the domain of the host.
            row.extend_from_slice(fields.rest());
            put_verdict(&mut row, &verdict);
            rows.push(&row)?;
        }
        hosts.advance()?;
    }
    rows.finish()
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
    let (mut agent, mut last_key, mut last_host_id) = (Vec::new(), Vec::new(), -1);
    while let Some(record) = reader.peek() {
        let mut fields = FieldReader::new(record);
        let crawl = fields.u32();
        if rows.rows() >= BATCH_ROWS || (rows.rows() > 0 && crawl != crawl_of_rows) {
            files.write(crawl_of_rows, rows.take())?;
        }
        let key = fields.key();
        let host_id = fields.i64();
        // A name of a file with two rows.
        let is_new = last_host_id != host_id || crawl_of_rows != crawl || last_key != key;
        if !is_new {
            return Err(no_verdicts());
        }
        last_host_id = host_id;
        if last_key != key {
            last_key.clear();
            last_key.extend_from_slice(key);
            agent.clear();
            push_unescaped_key(&mut agent, key);
        }
        crawl_of_rows = crawl;
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
    match rows.rows() {
        0 => Ok(()),
        _ => files.write(crawl_of_rows, rows.take()),
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it was written from a text")
}
