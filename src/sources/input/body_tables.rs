//! Finds the inputs of a run over tables of bodies, whose rows are captures.

use super::{FoundInputs, Input, MAX_INPUTS, is_partition_name, names};
use crate::InputPlace;
use crate::error::SourceErrorKind;
use crate::reader::{BodyTable, open_table};
use crate::table_file::{ColumnNames, RowRanges, RowStatus, TableReader, Value, shorten};
use errors::Error;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tables::body_table_name;
use xxhash_rust::xxh3::Xxh3;

/// The crawl of rows without one.
const DEFAULT_CRAWL: &str = "bodies";

/// The subset of all rows. In this subset, each row is a capture, whatever the path of its URL.
const SUBSET: &str = "robotstxt";

/// The most crawls of a table.
const MAX_TABLE_CRAWLS: usize = 10_000;

/// The most times that the crawl may change from one row to the next. Each change takes 16 bytes of memory.
const MAX_CRAWL_CHANGES: usize = 4_000_000;

/// The keys of the columns whose names the user can give.
pub const BODY_COLUMN_KEYS: [&str; 9] = [
    "url", "host", "body", "time", "status", "error", "redirect", "headers", "crawl",
];

/// Returns the inputs of some tables: one for each crawl of each table, in the order of crawls, then of tables.
/// `crawl` is the crawl of all rows; if it is `None`, the column `crawl` states the crawl of each.
///
/// # Errors
///
/// [`ErrorKind::Read`](errors::ErrorKind::Read), [`SourceErrorKind::NotATable`],
/// [`SourceErrorKind::PartitionName`], [`SourceErrorKind::SameName`], [`SourceErrorKind::TooManyInputs`].
pub fn find_bodies(
    tables: &[PathBuf],
    columns: &ColumnNames,
    crawl: Option<&str>,
) -> Result<FoundInputs, Error> {
    if let Some(value) = crawl.filter(|value| !is_partition_name(value)) {
        let kind = SourceErrorKind::PartitionName {
            key: "crawl",
            value: value.to_owned(),
        };
        return Err(Error::new(kind, "crawl"));
    }
    let mut inputs: Vec<Input> = Vec::new();
    let mut named: BTreeMap<String, &Path> = BTreeMap::new();
    for table in tables {
        let name = body_table_name(&names::name_from_path(table));
        if let Some(first) = named.insert(name.clone(), table) {
            let paths = [first.to_owned(), table.clone()];
            let folder = None;
            return Err(Error::new(
                SourceErrorKind::SameName { paths, folder },
                name,
            ));
        }
        // A table without a required column must be an error before anything is written.
        let has_hosts = BodyTable::find_hosts(table, columns)?;
        let crawls = match crawl {
            Some(crawl) => BTreeMap::from([(crawl.to_owned(), None)]),
            None => find_crawls(table, columns)?,
        };
        let bytes = std::fs::metadata(table).map_err(|error| Error::read(table, error))?;
        let bytes = bytes.len() / (crawls.len() as u64).max(1);
        for (crawl, ranges) in crawls {
            inputs.push(Input {
                index: 0,
                source: Arc::new(BodyTable {
                    place: InputPlace::File(table.clone()),
                    columns: columns.clone(),
                    has_hosts,
                    ranges,
                }),
                name: name.clone(),
                bytes: Some(bytes),
                crawl,
                subset: SUBSET.to_owned(),
            });
        }
    }
    // The sort is stable, so the tables of a crawl keep the order in which they were given.
    inputs.sort_by(|a, b| a.crawl.cmp(&b.crawl));
    if inputs.len() as u64 > MAX_INPUTS {
        let kind = SourceErrorKind::TooManyInputs {
            inputs: inputs.len(),
            first_input: 0,
            limit: MAX_INPUTS,
        };
        return Err(Error::new(kind, ""));
    }
    let mut hasher = Xxh3::new();
    for (index, input) in (0..).zip(&mut inputs) {
        input.index = index;
        for text in [&input.crawl, &input.name] {
            hasher.update(text.as_bytes());
            hasher.update(b"\n");
        }
    }
    hasher.update(format!("{columns:?}").as_bytes());
    Ok(FoundInputs {
        listed_inputs: inputs.len() as u64,
        list_digest: format!("{:016x}", hasher.digest()),
        has_urls: false,
        inputs,
    })
}

/// Returns the crawls of a table with the rows of each. If the table has no column of crawls, all rows are of one
/// crawl.
fn find_crawls(path: &Path, columns: &ColumnNames) -> Result<BTreeMap<String, RowRanges>, Error> {
    let file = open_table(path)?;
    let wanted = [columns.optional("crawl", &["crawl"])];
    let table = TableReader::open(file, path, &wanted, None)?;
    read_crawls(table, path, MAX_TABLE_CRAWLS, MAX_CRAWL_CHANGES)
}

/// Returns the crawls in the first column of a table, with the rows of each. Returns an error if there are more than
/// `limit` crawls, or if the crawl changes from one row to the next more than `changes_max` times.
fn read_crawls(
    mut table: TableReader,
    path: &Path,
    limit: usize,
    changes_max: usize,
) -> Result<BTreeMap<String, RowRanges>, Error> {
    let mut ranges: BTreeMap<String, Vec<Range<u64>>> = BTreeMap::new();
    let mut last_crawl = DEFAULT_CRAWL.to_owned();
    let (mut changes, why) = (0, |why: String| Error::read(path, io::Error::other(why)));
    if !table.has_column(0) {
        return Ok(BTreeMap::from([(DEFAULT_CRAWL.to_owned(), None)]));
    }
    loop {
        let status = table.advance()?;
        let row_no = table.row_no();
        match status {
            RowStatus::End => break,
            // A row that cannot be read is counted to the crawl of the row before it, and becomes a fault there.
            RowStatus::Malformed(_) | RowStatus::Lost(_) => {}
            RowStatus::Row => {
                let refuse = |reason: String| {
                    let kind = SourceErrorKind::BadRow {
                        row: row_no,
                        reason,
                    };
                    Error::new(kind, path)
                };
                let text = match table.value(0) {
                    Value::Text(text) => String::from_utf8_lossy(text).trim().to_owned(),
                    Value::Number(number) => number.to_string(),
                    Value::Null => String::new(),
                    Value::Time(_) | Value::Flag(_) | Value::Other => {
                        return Err(refuse(
                            "the crawl is neither text nor a whole number".to_owned(),
                        ));
                    }
                };
                let crawl = match text.as_str() {
                    "" => DEFAULT_CRAWL,
                    text => text,
                };
                if !is_partition_name(crawl) {
                    let shown = shorten(text.as_bytes());
                    return Err(refuse(format!(
                        "{shown} is not a valid name of a crawl; give --crawl"
                    )));
                }
                crawl.clone_into(&mut last_crawl);
            }
        }
        if let Some(ranges) = ranges.get_mut(&last_crawl) {
            match ranges.last_mut().filter(|last| last.end == row_no) {
                Some(last) => last.end += 1,
                None if changes == changes_max => {
                    return Err(why(format!(
                        "its crawl changes more than {changes_max} times from row to row; sort it by crawl"
                    )));
                }
                None => {
                    changes += 1;
                    ranges.push(row_no..row_no + 1);
                }
            }
        } else if ranges.len() == limit {
            return Err(why(format!("its rows have more than {limit} crawls")));
        } else {
            ranges.insert(
                last_crawl.clone(),
                std::iter::once(row_no..row_no + 1).collect(),
            );
        }
    }
    if ranges.is_empty() {
        return Ok(BTreeMap::from([(DEFAULT_CRAWL.to_owned(), None)]));
    }
    if ranges.len() == 1 {
        // All rows are of this crawl, including rows that cannot be read.
        let crawls = ranges.into_keys();
        return Ok(crawls.map(|crawl| (crawl, None)).collect());
    }
    let ranges = ranges.into_iter();
    let ranges = ranges.map(|(crawl, ranges)| (crawl, Some(ranges.into())));
    Ok(ranges.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn crawls(text: &str, limit: usize) -> Result<BTreeMap<String, RowRanges>, Error> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let wanted = [ColumnNames::default().optional("crawl", &["crawl"])];
        let path = Path::new("table");
        read_crawls(
            TableReader::open(file, path, &wanted, None)?,
            path,
            limit,
            3,
        )
    }

    #[test]
    fn rows_belong_to_crawls() {
        let found = crawls("url,crawl\na,X\nb,Y\nc,X\nd,X\ne,\n", 9).unwrap();
        let ranges = |ends: &[(u64, u64)]| {
            let ranges = ends.iter().map(|&(start, end)| start..end);
            Some(ranges.collect())
        };
        let expected = [
            ("X", ranges(&[(0, 1), (2, 4)])),
            ("Y", ranges(&[(1, 2)])),
            ("bodies", ranges(&[(4, 5)])),
        ];
        assert_eq!(
            found,
            expected
                .map(|(crawl, ranges)| (crawl.to_owned(), ranges))
                .into()
        );
        // All rows are of one crawl.
        for (text, crawl) in [("url,crawl\na,X\n", "X"), ("url\na\n", "bodies")] {
            assert_eq!(crawls(text, 9).unwrap(), [(crawl.to_owned(), None)].into());
        }
        assert!(crawls("crawl\na/b\n", 9).is_err());
    }

    #[test]
    fn the_crawls_of_a_table_have_a_limit() {
        let text = "crawl\nX\nY\nZ\n";
        assert_eq!(crawls(text, 3).unwrap().len(), 3);
        let error = crawls(text, 2).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("more than 2 crawls"), "{cause}");
        assert!(crawls("crawl\nX\nY\nX\nY\nX\n", 9).is_ok());
        let error = crawls("crawl\nX\nY\nX\nY\nX\nY\n", 9).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("more than 3 times"), "{cause}");
    }
}
