//! The shell command that fetches the record of a capture.

use crate::escape::quoted;
use tools::check::RecordDetails;
use tools::show::{ArchiveAccess, ArchivePlace, RecordCompression};

/// The beginning of the names of archives of Common Crawl.
const COMMON_CRAWL_NAMES: &str = "crawl-data/";

/// The server of these archives.
const COMMON_CRAWL: &str = "https://data.commoncrawl.org";

/// A shell command that prints a record.
pub(crate) struct RecordFetch {
    pub(crate) command: String,
    /// A remark on what the command does, if it does more or less than to print the record.
    pub(crate) remark: Option<String>,
}

impl RecordFetch {
    /// Returns the command for a record, from where its archive was found, otherwise from Common
    /// Crawl or from the current folder, according to its name.
    pub(crate) fn of(record: &RecordDetails, archive: &ArchiveAccess) -> Self {
        let name = &record.warc_filename;
        let (first, length) = (record.location.offset, record.location.length);
        let last = length.map(|length| first.saturating_add(length).saturating_sub(1));
        let last = last.map_or(String::new(), |last| last.to_string());
        let unpack = match archive.compression {
            RecordCompression::Plain => None,
            RecordCompression::Gzip => Some("gzip -dc"),
            RecordCompression::Zstd | RecordCompression::ZstdWithDictionary => Some("zstd -dc"),
        };
        let piped = unpack.map_or(String::new(), |unpack| format!(" | {unpack}"));
        let curl = |address: &str| format!("curl -s -r {first}-{last} {}{piped}", quoted(address));
        let tail = |path: &str| {
            let begins_like_option = path.starts_with('-');
            let path = if begins_like_option {
                quoted(&format!("./{path}"))
            } else {
                quoted(path)
            };
            let end = length.map_or(String::new(), |length| format!(" | head -c {length}"));
            format!("tail -c +{} {path}{end}{piped}", first.saturating_add(1))
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
                        quoted(bucket),
                        quoted(key),
                        unpack.unwrap_or("cat"),
                    ),
                    None => curl(&address),
                }
            }
            None if name.starts_with(COMMON_CRAWL_NAMES) => curl(&format!("{COMMON_CRAWL}/{name}")),
            None => tail(name),
        };
        Self {
            command,
            remark: remark(record, archive.compression),
        }
    }
}

fn remark(record: &RecordDetails, compression: RecordCompression) -> Option<String> {
    let is_shared = record.location.length.is_none();
    match compression {
        RecordCompression::ZstdWithDictionary => Some(
            "zstd needs the dictionary of the archive (-D FILE); `show --base` does not".to_owned(),
        ),
        _ if is_shared => Some(format!(
            "several records share the member: it is number {} of what this prints",
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
        let archive = ArchiveAccess {
            place,
            compression,
            problem: None,
        };
        RecordFetch::of(&record, &archive).command
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
