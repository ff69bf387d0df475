//! The shell command that fetches the record of a capture.

use super::ArchivePlace;
use super::archive_of_capture::is_zstd_name;
use super::report::RecordDetails;
use escapes::{duckdb_query, quote_for_shell};
use serde::Serialize;
use tables::body_table_of;

/// The prefix of the names of Common Crawl's archives.
const COMMON_CRAWL_NAME_PREFIX: &str = "crawl-data/";

/// The server of Common Crawl's archives.
const COMMON_CRAWL_URL: &str = "https://data.commoncrawl.org";

/// A shell command that prints a record.
#[derive(Debug, Serialize)]
pub struct FetchCommand {
    /// `None` for an archive of zstd, which warcio does not read.
    #[serde(rename = "fetch")]
    pub command: Option<String>,
    /// A remark if there is no command, or if it does not print the record alone.
    #[serde(rename = "fetch_remark")]
    pub remark: Option<String>,
}

impl FetchCommand {
    /// Returns the command for a record. The command reads the archive at the place where it was found. If it was not
    /// found, the command reads it from Common Crawl or from the current folder, according to the name of the archive.
    /// For a row of a table of bodies, the command prints the row.
    pub(super) fn new(record: &RecordDetails, archive: Option<&ArchivePlace>) -> Self {
        let name = &record.warc_filename;
        let (offset, index) = (record.warc_record_offset, record.warc_record_in_member);
        if let Some(table) = body_table_of(name) {
            let rows = format!(" LIMIT 1 OFFSET {offset}");
            return Self {
                command: Some(format!("duckdb -line -c {}", duckdb_query(table, &rows))),
                remark: None,
            };
        }
        if is_zstd_name(name) {
            return Self {
                command: None,
                remark: Some("warcio does not read zstd; `check --base` does".to_owned()),
            };
        }
        let place = match archive {
            Some(place) => place.to_string(),
            None if name.starts_with(COMMON_CRAWL_NAME_PREFIX) => {
                format!("{COMMON_CRAWL_URL}/{name}")
            }
            None => name.clone(),
        };
        let place = if place.starts_with('-') {
            format!("./{place}")
        } else {
            place
        };
        let place = quote_for_shell(&place);
        if index == 0 {
            return Self {
                command: Some(format!("warcio extract {place} {offset}")),
                remark: None,
            };
        }
        let number = u64::from(index) + 1;
        Self {
            command: Some(format!("warcio recompress {place} records.warc.gz")),
            remark: Some(format!(
                "gives each record a gzip member; the record is number {number} from offset {offset} on"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use remote::RemoteUrl;

    /// Returns the command for a record at 100.
    fn command(name: &str, place: Option<ArchivePlace>, index: u32) -> Option<String> {
        let record = RecordDetails {
            warc_filename: name.to_owned(),
            warc_record_offset: 100,
            warc_record_in_member: index,
            ..RecordDetails::default()
        };
        FetchCommand::new(&record, place.as_ref()).command
    }

    #[test]
    fn a_record_is_fetched_from_where_its_archive_is() {
        let url = |text: &str| Some(ArchivePlace::Url(RemoteUrl::parse(text).unwrap().unwrap()));
        let file = |path: &str| Some(ArchivePlace::File(path.into()));
        let name = "crawl-data/C/a.warc.gz";
        for (name, place, index, expected) in [
            (
                name,
                None,
                0,
                "warcio extract https://data.commoncrawl.org/crawl-data/C/a.warc.gz 100",
            ),
            (name, file("my/a b"), 0, "warcio extract 'my/a b' 100"),
            ("-a", None, 0, "warcio extract ./-a 100"),
            (
                name,
                url("https://u:p@h/a.warc?key=secret"),
                0,
                "warcio extract https://h/a.warc 100",
            ),
            (
                name,
                url("s3://b/k.warc.gz"),
                0,
                "warcio extract s3://b/k.warc.gz 100",
            ),
            ("a.gz", None, 2, "warcio recompress a.gz records.warc.gz"),
        ] {
            assert_eq!(command(name, place, index).as_deref(), Some(expected));
        }
        assert_eq!(command("a.warc.zst", None, 0), None);
    }
}
