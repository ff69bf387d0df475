//! Checks whether listed URLs are acceptable, and defines their sort records.

use hosts::{AsOf, RulesSource};
use sort::sort_key::{FieldReader, put_bytes, put_key, put_u64};
use urls::parse_url;

/// The maximum length of a URL in bytes. A longer URL is reported as malformed, and is cut in the output.
pub(super) const MAX_URL_BYTES: usize = 1 << 20;

/// A URL whose authoritative capture is looked up. Sort records of this type sort by origin, then by time.
#[derive(Clone, Copy, Debug)]
pub(super) struct UrlLookup<'a> {
    /// The origin, as it is encoded in sort records.
    pub(super) origin_key: &'a [u8],
    pub(super) as_of: AsOf,
    pub(super) row: ListedUrl<'a>,
}

/// A row of the URL list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedUrl<'a> {
    /// The index of the row in the list.
    pub(super) index: u64,
    pub(super) url: &'a [u8],
}

impl<'a> UrlLookup<'a> {
    pub(super) fn write(record: &mut Vec<u8>, origin: &[u8], as_of: AsOf, row: ListedUrl<'_>) {
        record.clear();
        put_key(record, origin);
        as_of.write(record);
        row.write(record);
    }

    pub(super) fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        Self {
            origin_key: fields.key(),
            as_of: AsOf::read(&mut fields),
            row: ListedUrl::read(&mut fields),
        }
    }
}

impl<'a> ListedUrl<'a> {
    fn write(&self, record: &mut Vec<u8>) {
        put_u64(record, self.index);
        put_bytes(record, self.url);
    }

    fn read(fields: &mut FieldReader<'a>) -> Self {
        Self {
            index: fields.u64(),
            url: fields.bytes(),
        }
    }
}

/// A URL whose authoritative capture is known, and whose decision depends on rules. Sort records of this
/// type sort by part, then by capture: the order in which the rules are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct RulesLookup<'a> {
    pub(super) source: RulesSource,
    pub(super) row: ListedUrl<'a>,
}

impl<'a> RulesLookup<'a> {
    pub(super) fn write(record: &mut Vec<u8>, source: &RulesSource, row: ListedUrl<'_>) {
        record.clear();
        source.write_in_row_order(record);
        row.write(record);
    }

    pub(super) fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        Self {
            source: RulesSource::read_in_row_order(&mut fields),
            row: ListedUrl::read(&mut fields),
        }
    }
}

/// Returns true if a text is a path or a URL that `match` accepts. `check` accepts both.
pub fn is_url_or_path(text: &[u8]) -> bool {
    let is_path = text.starts_with(b"/") && !text.starts_with(b"//");
    is_path || write_origin(text, &mut Vec::new())
}

/// Writes the origin of a URL to `out` and returns true, or returns false if `match` does not accept the
/// URL. An accepted URL has a scheme and a host, and no error that only browsers tolerate.
pub(super) fn write_origin(url: &[u8], out: &mut Vec<u8>) -> bool {
    url.len() <= MAX_URL_BYTES
        && urls::has_plain_delimiters(url)
        && parse_url(url).is_some_and(|url| urls::write_url_origin(&url, out))
}
