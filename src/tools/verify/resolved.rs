//! Checks the rows of the resolved tables `hosts` and `host_verdicts`: their order, their keys, and that
//! the captures exist that they name.

use super::part::ReadableFile;
use super::row_cursor::RowCursor;
use super::{FindingKind, Findings};
use dataset::tables::Table;
use std::collections::BTreeMap;

/// The columns of `hosts` that are compared.
const HOST_COLUMNS: [&str; 4] = [
    "surt_host_name",
    "authoritative_robots_id",
    "rules_crawl",
    "rules_robots_id",
];

/// The columns of `host_verdicts` that are compared.
const VERDICT_COLUMNS: [&str; 2] = ["agent", "surt_host_name"];

/// The sorted `robots_id` of all captures, by crawl.
pub(super) type CaptureIds = BTreeMap<String, Vec<i64>>;

/// Checks the files of a crawl, of which those in `files` can be read. `captures` is `None` if the
/// captures are not known.
pub(super) fn check(
    crawl: &str,
    files: &[ReadableFile],
    captures: Option<&CaptureIds>,
    findings: &mut Findings,
) {
    let file = |table: Table| files.iter().find(|file| file.table == table);
    if let Some(file) = file(Table::Hosts)
        && let Err(why) = check_hosts(crawl, file, captures, findings)
    {
        findings.add(FindingKind::Pages, &file.name, format_args!("{why}"));
    }
    if let Some(file) = file(Table::HostVerdicts)
        && let Err(why) = check_verdicts(file, findings)
    {
        findings.add(FindingKind::Pages, &file.name, format_args!("{why}"));
    }
}

/// Checks the rows of `hosts`.
fn check_hosts(
    crawl: &str,
    file: &ReadableFile,
    captures: Option<&CaptureIds>,
    findings: &mut Findings,
) -> Result<(), String> {
    let mut rows = RowCursor::open(&file.path, &HOST_COLUMNS)?;
    let mut previous: Option<String> = None;
    while rows.next()? {
        let number = rows.row_number();
        let host = rows.text(0).unwrap_or_default();
        match &mut previous {
            Some(previous) if previous.as_str() >= host => findings.add(
                FindingKind::Order,
                &file.name,
                format_args!("row {number} does not sort after the row before it"),
            ),
            Some(previous) => {
                previous.clear();
                previous.push_str(host);
            }
            None => previous = Some(host.to_owned()),
        }
        let (rules_crawl, rules) = (rows.text(2).unwrap_or_default(), rows.i64(3));
        let authoritative = rows.i64(1).or(rules);
        if let Some(captures) = captures {
            for (of_crawl, id) in [(crawl, authoritative), (rules_crawl, rules)] {
                let ids = captures.get(of_crawl);
                let is_known =
                    |ids: &&Vec<i64>| id.is_some_and(|id| ids.binary_search(&id).is_ok());
                if ids.filter(is_known).is_none() {
                    findings.add(
                        FindingKind::Orphan,
                        &file.name,
                        format_args!(
                            "row {number} names a capture of {of_crawl} that is not there"
                        ),
                    );
                }
            }
        }
    }
    Ok(())
}

/// Checks the order of the rows of `host_verdicts`.
fn check_verdicts(file: &ReadableFile, findings: &mut Findings) -> Result<(), String> {
    let mut rows = RowCursor::open(&file.path, &VERDICT_COLUMNS)?;
    let (mut agent, mut host) = (String::new(), String::new());
    let mut is_first = true;
    while rows.next()? {
        let row = (
            rows.text(0).unwrap_or_default(),
            rows.text(1).unwrap_or_default(),
        );
        if !is_first && row <= (agent.as_str(), host.as_str()) {
            findings.add(
                FindingKind::Order,
                &file.name,
                format_args!(
                    "row {} does not sort after the row before it",
                    rows.row_number()
                ),
            );
        }
        is_first = false;
        if row.0 != agent {
            row.0.clone_into(&mut agent);
        }
        row.1.clone_into(&mut host);
    }
    Ok(())
}
