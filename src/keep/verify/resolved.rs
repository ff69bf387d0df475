//! Checks the rows of the resolved tables: their order, their keys, and
//! that the captures they refer to exist.

use super::file::{error_cause, one_line_message};
use super::readable_file::ReadableFile;
use super::{FindingKind, Findings};
use dataset::{stored_columns, value};
use disk::error::Error;
use std::collections::BTreeMap;
use tables::Table;

stored_columns! {
    /// The columns of `hosts` that are checked.
    struct CheckedHostColumns of Table::HOSTS {
        surt_host_name: Text,
        authoritative_robots_id: Long,
        rules_crawl: Text,
        rules_robots_id: Long,
    }
}

stored_columns! {
    struct HostVerdictKey of Table::HOST_VERDICTS {
        agent: Text,
        surt_host_name: Text,
    }
}

stored_columns! {
    struct HostPreferenceKey of Table::HOST_PREFERENCES {
        agent: Text,
        surt_host_name: Text,
    }
}

/// The sorted `robots_id` of all captures, by crawl.
pub(super) type CaptureIds = BTreeMap<String, Vec<i64>>;

/// Checks the resolved tables of a crawl. `files` are the readable ones among their files. `captures`
/// is `None` if some captures could not be read; references to captures are not checked then.
pub(super) fn check(
    crawl: &str,
    files: &[ReadableFile],
    captures: Option<&CaptureIds>,
    findings: &mut Findings,
) {
    for file in files {
        let checked = match file.table {
            _ if file.table == Table::HOSTS => check_hosts(crawl, file, captures, findings),
            _ if file.table == Table::HOST_VERDICTS => check_host_verdicts(file, findings),
            _ if file.table == Table::HOST_PREFERENCES => check_host_preferences(file, findings),
            _ => Ok(()),
        };
        if let Err(error) = checked {
            let why = one_line_message(error_cause(&error));
            findings.add(FindingKind::Pages, &file.name, format_args!("{why}"));
        }
    }
}

/// Checks that the rows of `hosts` are sorted by host, and that the captures they refer to exist.
fn check_hosts(
    crawl: &str,
    file: &ReadableFile,
    captures: Option<&CaptureIds>,
    findings: &mut Findings,
) -> Result<(), Error> {
    let mut rows = file.open_rows::<CheckedHostColumns>()?;
    let mut previous: Option<String> = None;
    while let Some(row) = rows.next_row()? {
        let (columns, number) = (row.columns, row.number);
        let host = columns.surt_host_name.value(row.index);
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
        let rules_crawl = columns.rules_crawl.value(row.index);
        let rules_id = value(&columns.rules_robots_id, row.index);
        let authoritative_id = value(&columns.authoritative_robots_id, row.index).or(rules_id);
        if let Some(captures) = captures {
            for (capture_crawl, id) in [(crawl, authoritative_id), (rules_crawl, rules_id)] {
                let ids = captures.get(capture_crawl);
                let is_known =
                    |ids: &&Vec<i64>| id.is_some_and(|id| ids.binary_search(&id).is_ok());
                if ids.filter(is_known).is_none() {
                    findings.add(
                        FindingKind::Orphan,
                        &file.name,
                        format_args!(
                            "row {number} names a capture of {capture_crawl} that is not there"
                        ),
                    );
                }
            }
        }
    }
    Ok(())
}

/// Checks the order of the rows of `host_verdicts`.
fn check_host_verdicts(file: &ReadableFile, findings: &mut Findings) -> Result<(), Error> {
    let mut rows = file.open_rows::<HostVerdictKey>()?;
    let (mut agent, mut host) = (String::new(), String::new());
    while let Some(row) = rows.next_row()? {
        let key = (
            row.columns.agent.value(row.index),
            row.columns.surt_host_name.value(row.index),
        );
        if row.number > 1 && key <= (agent.as_str(), host.as_str()) {
            findings.add(
                FindingKind::Order,
                &file.name,
                format_args!("row {} does not sort after the row before it", row.number),
            );
        }
        if key.0 != agent {
            key.0.clone_into(&mut agent);
        }
        key.1.clone_into(&mut host);
    }
    Ok(())
}

/// Checks the order of the rows of `host_preferences`. Unlike in `host_verdicts`, a host may have
/// several rows per agent.
fn check_host_preferences(file: &ReadableFile, findings: &mut Findings) -> Result<(), Error> {
    let mut rows = file.open_rows::<HostPreferenceKey>()?;
    let mut last = (String::new(), String::new());
    while let Some(row) = rows.next_row()? {
        let key = (
            row.columns.agent.value(row.index),
            row.columns.surt_host_name.value(row.index),
        );
        if key < (last.0.as_str(), last.1.as_str()) {
            findings.add(
                FindingKind::Order,
                &file.name,
                format_args!("row {} does not sort after the row before it", row.number),
            );
        }
        last = (key.0.to_owned(), key.1.to_owned());
    }
    Ok(())
}
