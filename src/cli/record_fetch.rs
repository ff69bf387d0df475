//! The shell command that fetches the record of a capture.

use crate::escape::quote_for_shell;
use crate::next_commands::duckdb_query;
use answers::check::{ArchiveLookup, ArchivePlace, RecordCompression, RecordDetails};
use std::path::Path;
use tables::BODY_TABLE_PREFIX;

/// The prefix of the names of Common Crawl's archives.
const COMMON_CRAWL_NAME_PREFIX: &str = "crawl-data/";

/// The server of Common Crawl's archives.
const COMMON_CRAWL_URL: &str = "https://data.commoncrawl.org";

/// A shell command that prints a record.
pub(crate) struct RecordFetchCommand {
    pub(crate) command: String,
    /// A remark if the command needs a dictionary, or prints more than the record.
    pub(crate) remark: Option<String>,
}

impl RecordFetchCommand {
    /// Returns the command for a record. The command reads the archive at the place where it was found. If it was not
    /// found, the command reads it from Common Crawl or from the current folder, according to the name of the archive.
    /// For a row of a table of bodies, the command prints the row.
    pub(crate) fn from_record(record: &RecordDetails, archive: &ArchiveLookup) -> Self {
        let name = &record.warc_filename;
        if let Some(table) = name.strip_prefix(BODY_TABLE_PREFIX) {
            let rows = format!(" LIMIT 1 OFFSET {}", record.location.offset);
            return Self {
                command: format!("duckdb -line -c {}", duckdb_query(Path::new(table), &rows)),
                remark: None,
            };
        }
        let (first, length) = (record.location.offset, record.location.length);
        let last = length.map(|length| first.saturating_add(length).saturating_sub(1));
        let last = last.map_or(String::new(), |last| last.to_string());
        let unpack = match archive.compression {
            RecordCompression::Plain => None,
            RecordCompression::Gzip => Some("gzip -dc"),
            RecordCompression::Zstd | RecordCompression::ZstdWithDictionary => Some("zstd -dc"),
        };
        let pipe_to_unpack = unpack.map_or(String::new(), |unpack| format!(" | {unpack}"));
        let curl = |address: &str| {
            format!(
                "curl -s -r {first}-{last} {}{pipe_to_unpack}",
                quote_for_shell(address)
            )
        };
        let tail = |path: &str| {
            let begins_like_option = path.starts_with('-');
            let path = if begins_like_option {
                quote_for_shell(&format!("./{path}"))
            } else {
                quote_for_shell(path)
            };
            let end = length.map_or(String::new(), |length| format!(" | head -c {length}"));
            format!(
                "tail -c +{} {path}{end}{pipe_to_unpack}",
                first.saturating_add(1)
            )
        };
        let command = match &archive.place {
            Some(ArchivePlace::File(path)) => tail(&path.to_string_lossy()),
            Some(ArchivePlace::Url(address)) => {
                let address = address.to_string();
                match address
                    .strip_prefix("s3://")
                    .and_then(|rest| rest.split_once('/'))
                {
                    Some((bucket, key)) => format!(
                        "aws s3api get-object --bucket {} --key {} --range bytes={first}-{last} record > /dev/null && {} < record",
                        quote_for_shell(bucket),
                        quote_for_shell(key),
                        unpack.unwrap_or("cat"),
                    ),
                    None => curl(&address),
                }
            }
            None if name.starts_with(COMMON_CRAWL_NAME_PREFIX) => {
                curl(&format!("{COMMON_CRAWL_URL}/{name}"))
            }
            None => tail(name),
        };
        Self {
            command,
            remark: describe_difference(record, archive.compression),
        }
    }
}

/// Returns the remark about the command; see [`RecordFetchCommand::remark`].
fn describe_difference(record: &RecordDetails, compression: RecordCompression) -> Option<String> {
    let is_shared = record.location.length.is_none();
    match compression {
        RecordCompression::ZstdWithDictionary => Some(
            "zstd needs the dictionary of the archive (-D FILE); `check --base` does not"
                .to_owned(),
        ),
        _ if is_shared => Some(format!(
            "prints all records from the offset on; the record is number {}",
            u64::from(record.location.index_in_member) + 1
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use remote::RemoteUrl;

    /// Returns the command for a record of 50 bytes at 100.
    fn command(name: &str, place: Option<ArchivePlace>, compression: RecordCompression) -> String {
        let mut record = RecordDetails {
            warc_filename: name.to_owned(),
            location: Default::default(),
            content_digest: None,
            is_revisit: false,
            is_doubtful: None,
        };
        record.location.offset = 100;
        record.location.length = Some(50);
        let archive = ArchiveLookup {
            place,
            compression,
            problem: None,
        };
        RecordFetchCommand::from_record(&record, &archive).command
    }

    #[test]
    fn a_record_is_fetched_from_where_its_archive_is() {
        use RecordCompression::{Gzip, Plain, Zstd};
        let name = "crawl-data/C/a.warc.gz";
        assert_eq!(
            command(name, None, Gzip),
            "curl -s -r 100-149 https://data.commoncrawl.org/crawl-data/C/a.warc.gz | gzip -dc"
        );
        let file = |path: &str| Some(ArchivePlace::File(path.into()));
        assert_eq!(
            command(name, file("my/a.warc.zst"), Zstd),
            "tail -c +101 my/a.warc.zst | head -c 50 | zstd -dc"
        );
        assert_eq!(
            command("-a b", None, Plain),
            "tail -c +101 './-a b' | head -c 50"
        );
        let object = |text: &str| {
            let address = RemoteUrl::parse(text).unwrap();
            address.map(ArchivePlace::Url)
        };
        assert_eq!(
            command(name, object("https://u:p@h/a.warc?key=secret"), Plain),
            "curl -s -r 100-149 https://h/a.warc"
        );
        assert_eq!(
            command(name, object("s3://b/k.warc.gz"), Gzip),
            "aws s3api get-object --bucket b --key k.warc.gz --range bytes=100-149 record > /dev/null \
             && gzip -dc < record"
        );
    }
}
