//! Writes the tables `hosts`, `host_verdicts` and `host_preferences`.

use super::domain_numbers::DomainNumbers;
use super::ranking::{BlockedNameRanking, RankedHost, is_decided};
use super::rules::{
    CaptureKey, HostsWithRules, RowsOfCapture, RulesFields, read_all_rules, read_names,
};
use super::selection::{SelectedHost, SelectedHosts};
use super::stored_preference::{next_agent, read_preferences};
use super::stored_verdict::{VerdictFields, inconsistent_table_error};
use crate::ResolveContext;
use columns::{ClosedFile, RowBatch, TableFileWriter};
use dataset::ClosedSet;
use errors::Error;
use sort::sort_key::FieldReader;
use sort::{GroupKey, Key, Reader, Rest, SortedRecords, Sorter, record};
use std::ops::RangeInclusive;
use tables::{
    HostPreferenceRows, HostRow, HostRows, HostRules, HostVerdictRow, HostVerdictRows, StatingHost,
    Table,
};
use urls::{WebOrigin, registered_domain};

/// The tables that [`resolve_hosts`] reads.
pub const RESOLVED_FROM: [Table; 3] = [
    Table::ROBOTS_FILES,
    Table::VERDICTS,
    Table::FILE_PREFERENCES,
];

/// The number of bits of `host_id` that hold the number of the host in its crawl.
const HOST_NUMBER_BITS: u32 = 32;

const BATCH_ROWS: usize = 8192;

/// A written file of a resolved table. It is closed, because there may be more crawls than files that may
/// be open at a time.
pub struct ResolvedFile {
    pub table: Table,
    /// The index of its crawl.
    pub crawl: u32,
    pub file: ClosedFile,
}

/// The files that [`resolve_hosts`] wrote, and a ranking for the summary.
pub struct ResolvedHosts {
    /// The files of `hosts`, then those of `host_verdicts` and of `host_preferences`, each in the
    /// order of crawls.
    pub files: Vec<ResolvedFile>,
    /// The names of crawlers, by the number of hosts of the last crawl that block them.
    pub ranking: BlockedNameRanking,
}

/// Creates the file of a table and crawl, under a temporary name.
pub(crate) type CreateFile<'c> = dyn Fn(Table, u32) -> Result<TableFileWriter, Error> + 'c;

/// Resolves the hosts of some crawls, and writes the resolved tables, in the order of crawls.
/// `host_preferences` is left out if the dataset was opened without `file_preferences`.
///
/// # Errors
///
/// Errors of reading and writing; [`ErrorKind::Abandoned`](errors::ErrorKind::Abandoned) if
/// the run is to stop.
pub fn resolve_hosts(
    context: &ResolveContext<'_>,
    crawls: RangeInclusive<u32>,
    create: &CreateFile<'_>,
) -> Result<ResolvedHosts, Error> {
    let mut ranking = BlockedNameRanking::new(*crawls.end());
    let hosts = SelectedHosts::select(context, crawls.clone())?;
    let rules = read_all_rules(context, &hosts)?;
    let mut with_rows = HostsWithRows {
        with_verdict_rows: context.memory.create_sorter(),
        with_preference_rows: context.memory.create_sorter(),
    };
    let mut tables = CrawlFiles::new(Table::HOSTS, crawls.clone(), create);
    write_hosts(
        context,
        &hosts,
        &rules,
        &mut tables,
        &mut with_rows,
        &mut ranking,
    )?;
    let mut files = tables.finish()?;
    let HostsWithRules {
        by_host,
        names,
        preferences,
        ..
    } = rules;
    drop((hosts, by_host));
    let HostsWithRows {
        with_verdict_rows,
        with_preference_rows,
    } = with_rows;
    let rows = sort_named_rows(context, with_verdict_rows.finish()?, &names)?;
    drop(names);
    let mut tables = CrawlFiles::new(Table::HOST_VERDICTS, crawls.clone(), create);
    write_host_verdicts(&rows, &mut tables, &mut ranking)?;
    files.extend(tables.finish()?);
    drop(rows);
    if context.dataset.has_files(Table::FILE_PREFERENCES) {
        let rows = sort_preference_rows(context, with_preference_rows.finish()?, &preferences)?;
        let mut tables = CrawlFiles::new(Table::HOST_PREFERENCES, crawls, create);
        write_host_preferences(&rows, &mut tables)?;
        files.extend(tables.finish()?);
    }
    Ok(ResolvedHosts { files, ranking })
}

/// Writes the files of a table, one for each crawl, one after the other.
struct CrawlFiles<'c> {
    table: Table,
    /// The crawls whose files are not created yet.
    crawls: RangeInclusive<u32>,
    create: &'c CreateFile<'c>,
    /// The crawl whose rows are written, and its file.
    current: Option<(u32, TableFileWriter)>,
    files: Vec<ResolvedFile>,
}

impl<'c> CrawlFiles<'c> {
    fn new(table: Table, crawls: RangeInclusive<u32>, create: &'c CreateFile<'c>) -> Self {
        Self {
            table,
            crawls,
            create,
            current: None,
            files: Vec::new(),
        }
    }

    /// Writes rows of a crawl. Crawls are written in order.
    fn write(&mut self, crawl: u32, rows: RowBatch) -> Result<(), Error> {
        while self
            .current
            .as_ref()
            .is_none_or(|(current, _)| *current != crawl)
        {
            if !self.start_next_file()? {
                return Err(inconsistent_table_error(self.table.name()));
            }
        }
        match &mut self.current {
            Some((_, writer)) => writer.write(rows),
            None => Ok(()),
        }
    }

    /// Ends the current file, and creates that of the next crawl. Returns false after the
    /// last crawl.
    fn start_next_file(&mut self) -> Result<bool, Error> {
        if let Some((crawl, mut writer)) = self.current.take() {
            writer.finish_rows()?;
            self.files.push(ResolvedFile {
                table: self.table,
                crawl,
                file: writer.close()?,
            });
        }
        let Some(crawl) = self.crawls.next() else {
            return Ok(false);
        };
        self.current = Some((crawl, (self.create)(self.table, crawl)?));
        Ok(true)
    }

    /// Creates the files of the remaining crawls, which have no rows. Returns all files.
    fn finish(mut self) -> Result<Vec<ResolvedFile>, Error> {
        while self.start_next_file()? {}
        Ok(self.files)
    }
}

/// Collects the hosts that have rows in the other tables, sorted by the captures with their rules.
struct HostsWithRows<'s> {
    /// The hosts that have rows in `host_verdicts`, because their rules name crawlers.
    with_verdict_rows: Sorter<'s, (CaptureKey, NamingHost<'static>)>,
    /// The hosts that have rows in `host_preferences`, because their rules state preferences.
    with_preference_rows: Sorter<'s, (CaptureKey, HostWithPreferences<'static>)>,
}

record! {
    /// A host of a crawl.
    struct HostOfCrawl<'a> {
        host_id: i64,
        surt_host_name: &'a str,
        registered_domain: Option<&'a str>,
    }
}

record! {
    /// A host that has rows in `host_verdicts`.
    struct NamingHost<'a> {
        crawl: u32,
        fields: NamingFields<'a>,
    }
}

record! {
    /// A host with what the ranking needs.
    struct NamingFields<'a> {
        host: HostOfCrawl<'a>,
        is_decided: bool,
        ruleset_id: i64,
    }
}

record! {
    /// A host that has rows in `host_preferences`.
    struct HostWithPreferences<'a> {
        crawl: u32,
        host: HostOfCrawl<'a>,
        /// If the rules are shared, the rows for names may be left out, as in `host_verdicts`.
        has_named_rows: bool,
    }
}

/// A crawl and a name.
type AgentKey = (u32, Key<'static>);

/// A row of `host_verdicts`.
type NamedRow = (AgentKey, (NamingFields<'static>, VerdictFields));

record! {
    /// The rows of `host_preferences` of a host with one name.
    struct StatedRows<'a> {
        host_id: i64,
        /// Rows with the same name keep the order that they have in the capture, by this number.
        number: u32,
        host: HostOfCrawl<'a>,
        preferences: Rest<'a>,
    }
}

/// Writes the table `hosts`, and adds the hosts that have rows in the other tables to `with_rows`.
fn write_hosts(
    context: &ResolveContext<'_>,
    hosts: &SelectedHosts<'_>,
    rules: &HostsWithRules<'_>,
    files: &mut CrawlFiles<'_>,
    with_rows: &mut HostsWithRows<'_>,
    ranking: &mut BlockedNameRanking,
) -> Result<(), Error> {
    let limits = &rules.limits;
    let mut rules = rules.by_host.read()?;
    let mut rows = HostRows::default();
    let mut batch_crawl = 0;
    let mut host_id = -1;
    let mut url = String::new();
    let mut domains = DomainNumbers::default();
    hosts.for_each(&mut |number, host| {
        host.write_url(&mut url);
        let origin = WebOrigin::from_url(&url).unwrap_or_default();
        let domain = registered_domain(origin.host);
        if host.crawl != batch_crawl {
            domains.end_crawl(&mut rows);
        }
        host_id = i64::max(host_id + 1, i64::from(host.crawl) << HOST_NUMBER_BITS);
        domains.push(host_id, host.surt_host_name, domain, &mut rows);
        if rows.row_count() >= BATCH_ROWS || (rows.row_count() > 0 && host.crawl != batch_crawl) {
            context.memory.check_stop()?;
            files.write(batch_crawl, rows.take())?;
        }
        batch_crawl = host.crawl;
        let stored = next_rules(&mut rules, number)?.host_rules(host, limits);
        ranking.count_host(host.crawl, &stored);
        let row = build_host_row(host_id, host, (origin, domain), &stored);
        with_rows.push(host, &row)?;
        rows.push_row(&row);
        Ok(())
    })?;
    domains.end_crawl(&mut rows);
    match rows.row_count() {
        0 => Ok(()),
        _ => files.write(batch_crawl, rows.take()),
    }
}

/// Returns the next rules, which must be those of the host with this number.
fn next_rules<'a>(
    rules: &'a mut Reader<'_, (u64, RulesFields<'static>)>,
    number: u64,
) -> Result<RulesFields<'a>, Error> {
    let rules = rules.next_record()?;
    let rules = rules.filter(|(found, _)| *found == number);
    let (_, rules) = rules.ok_or_else(missing_verdicts_error)?;
    Ok(rules)
}

/// Returns the error that `verdicts` lacks rows, or has too many, for a host of `hosts`.
fn missing_verdicts_error() -> Error {
    inconsistent_table_error(Table::VERDICTS.name()).with_path(Table::HOSTS.name())
}

fn build_host_row<'a>(
    host_id: i64,
    host: &'a SelectedHost<'_>,
    (origin, registered_domain): (WebOrigin<'a>, Option<&'a str>),
    rules: &'a HostRules<'a>,
) -> HostRow<'a> {
    let source = host.capture.source.id;
    let int = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    HostRow {
        host_id,
        surt_host_name: host.surt_host_name,
        origin,
        registered_domain,
        fetch_time: host.capture.time,
        authoritative_robots_id: host.capture.id.robots_id,
        rules_robots_id: source.robots_id,
        n_redirects: host.capture.redirects.hop_count.into(),
        redirect_end: host.capture.redirects.end.map(|end| end.0.name()),
        rules,
        n_captures: int(host.n_captures),
        n_changes: int(host.n_changes),
    }
}

impl HostsWithRows<'_> {
    /// Adds a host to the list of each other table in which it has rows.
    fn push(&mut self, host: &SelectedHost<'_>, row: &HostRow<'_>) -> Result<(), Error> {
        let is_naming = row.rules.n_named > 0 && row.rules.has_named_rows;
        if !is_naming && !row.rules.has_preferences {
            return Ok(());
        }
        let source = &host.capture.source;
        let key = CaptureKey {
            part: source.part,
            robots_id: source.id.robots_id,
        };
        let crawl = host.crawl;
        let host = HostOfCrawl {
            host_id: row.host_id,
            surt_host_name: row.surt_host_name,
            registered_domain: row.registered_domain,
        };
        if is_naming {
            let fields = NamingFields {
                host,
                is_decided: is_decided(row.rules),
                ruleset_id: row.rules.ruleset_id.unwrap_or_default(),
            };
            self.with_verdict_rows
                .push((key, NamingHost { crawl, fields }))?;
        }
        if row.rules.has_preferences {
            let host = HostWithPreferences {
                crawl,
                host,
                has_named_rows: row.rules.has_named_rows,
            };
            self.with_preference_rows.push((key, host))?;
        }
        Ok(())
    }
}

/// Sorts the rows of `host_verdicts` by crawl, agent and host. A host has a row for each name of
/// the capture with its rules.
fn sort_named_rows<'s>(
    context: &ResolveContext<'s>,
    hosts: SortedRecords<'_, (CaptureKey, NamingHost<'static>)>,
    names: &SortedRecords<'_, RowsOfCapture>,
) -> Result<SortedRecords<'s, NamedRow>, Error> {
    let mut rows = context.memory.create_sorter();
    let (mut hosts, mut names) = (hosts.read()?, names.read()?);
    let (mut capture, mut escaped) = (GroupKey::default(), Vec::new());
    while hosts.next_group(&mut capture)? {
        let names = names.find(&capture)?.ok_or_else(missing_verdicts_error)?;
        while let Some(NamingHost { crawl, fields }) = hosts.next_of(&capture)? {
            for (agent, verdict) in read_names(names) {
                let agent = (crawl, Key::new(agent, &mut escaped));
                rows.push((agent, (fields, verdict.into())))?;
            }
        }
    }
    rows.finish()
}

/// Writes sorted rows to the files of `host_verdicts`, and counts them for the ranking.
fn write_host_verdicts(
    named: &SortedRecords<'_, NamedRow>,
    files: &mut CrawlFiles<'_>,
    ranking: &mut BlockedNameRanking,
) -> Result<(), Error> {
    let (mut reader, mut key) = (named.read()?, GroupKey::<AgentKey>::default());
    let mut rows = HostVerdictRows::default();
    let mut batch_crawl = 0;
    while reader.next_group(&mut key)? {
        let (crawl, agent) = key.get();
        let agent = text_of_key(agent);
        let mut last_host_id = -1;
        while let Some((fields, verdict)) = reader.next_of(&key)? {
            if rows.row_count() >= BATCH_ROWS || (rows.row_count() > 0 && crawl != batch_crawl) {
                files.write(batch_crawl, rows.take())?;
            }
            batch_crawl = crawl;
            let NamingFields { host, .. } = fields;
            // Two rows of a host with the same name would mean that `verdicts` has the name twice for one file.
            if last_host_id == host.host_id {
                return Err(missing_verdicts_error());
            }
            last_host_id = host.host_id;
            let domain = host.registered_domain.unwrap_or(host.surt_host_name);
            let ranked = RankedHost {
                is_decided: fields.is_decided,
                domain: domain.as_bytes(),
                ruleset_id: fields.ruleset_id,
            };
            let verdict = verdict.into();
            ranking.count_verdict(crawl, &agent, &ranked, &verdict);
            rows.push_row(&HostVerdictRow {
                agent: &agent,
                host_id: host.host_id,
                surt_host_name: host.surt_host_name,
                registered_domain: host.registered_domain,
                verdict,
            });
        }
    }
    ranking.finish_name();
    match rows.row_count() {
        0 => Ok(()),
        _ => files.write(batch_crawl, rows.take()),
    }
}

/// Sorts the rows of `host_preferences` by crawl, agent and host. A host has a row for each row of
/// `file_preferences` of the capture with its rules, and a record for each name.
fn sort_preference_rows<'s>(
    context: &ResolveContext<'s>,
    hosts: SortedRecords<'_, (CaptureKey, HostWithPreferences<'static>)>,
    preferences: &SortedRecords<'_, RowsOfCapture>,
) -> Result<SortedRecords<'s, (AgentKey, StatedRows<'static>)>, Error> {
    let mut rows = context
        .memory
        .create_sorter::<(AgentKey, StatedRows<'static>)>();
    let (mut hosts, mut preferences) = (hosts.read()?, preferences.read()?);
    let (mut capture, mut escaped) = (GroupKey::default(), Vec::new());
    while hosts.next_group(&mut capture)? {
        let of_capture = preferences.find(&capture)?;
        let of_capture = of_capture.ok_or_else(missing_preferences_error)?;
        while let Some(host) = hosts.next_of(&capture)? {
            let mut of_capture = FieldReader::new(of_capture.0);
            let mut number = 0;
            while let Some((agent, preferences)) = next_agent(&mut of_capture) {
                number += 1;
                if agent != "*" && !host.has_named_rows {
                    continue;
                }
                let stated = StatedRows {
                    host_id: host.host.host_id,
                    number,
                    host: host.host,
                    preferences: Rest(preferences),
                };
                let agent = Key::new(agent.as_bytes(), &mut escaped);
                rows.push(((host.crawl, agent), stated))?;
            }
        }
    }
    rows.finish()
}

/// Returns the error that `file_preferences` lacks rows for a host of `hosts`.
fn missing_preferences_error() -> Error {
    inconsistent_table_error(Table::FILE_PREFERENCES.name()).with_path(Table::HOSTS.name())
}

/// Writes sorted rows to the files of `host_preferences`.
fn write_host_preferences(
    sorted: &SortedRecords<'_, (AgentKey, StatedRows<'static>)>,
    files: &mut CrawlFiles<'_>,
) -> Result<(), Error> {
    let (mut reader, mut key) = (sorted.read()?, GroupKey::<AgentKey>::default());
    let mut rows = HostPreferenceRows::default();
    let mut batch_crawl = 0;
    // The preferences of the previous record, and the number of its rows, which end this batch; 0 in a new batch.
    let (mut last_preferences, mut last_rows) = (Vec::new(), 0);
    while reader.next_group(&mut key)? {
        let (crawl, agent) = key.get();
        let agent = text_of_key(agent);
        while let Some(StatedRows {
            host, preferences, ..
        }) = reader.next_of(&key)?
        {
            if rows.row_count() >= BATCH_ROWS || (rows.row_count() > 0 && crawl != batch_crawl) {
                files.write(batch_crawl, rows.take())?;
                last_rows = 0;
            }
            batch_crawl = crawl;
            let host = StatingHost {
                agent: &agent,
                host_id: host.host_id,
                surt_host_name: host.surt_host_name,
                registered_domain: host.registered_domain,
            };
            // Many hosts have the same preferences, written by a vendor. Equal ones are not read again.
            if last_rows > 0 && last_preferences == preferences.0 {
                rows.push_repeated(&host, last_rows);
            } else {
                let before = rows.row_count();
                rows.push(&host, read_preferences(preferences.0));
                last_rows = rows.row_count() - before;
                last_preferences.clear();
                last_preferences.extend_from_slice(preferences.0);
            }
        }
    }
    match rows.row_count() {
        0 => Ok(()),
        _ => files.write(batch_crawl, rows.take()),
    }
}

/// Returns the text of a key.
fn text_of_key(key: Key<'_>) -> String {
    let mut bytes = Vec::new();
    key.write_original(&mut bytes);
    String::from_utf8(bytes).expect("it was written from a text")
}
