//! A record as the reader lends it.

use crate::header::Field;
use crate::integrity::Integrity;
use crate::location::RecordLocation;
use crate::record_type::RecordType;

/// A record, as slices of the buffers of its [`Reader`](crate::Reader).
///
/// It lives until the next record is read, and costs nothing to copy.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub(crate) header: &'a [u8],
    pub(crate) fields: &'a [Field],
    pub(crate) block: &'a [u8],
    pub(crate) block_bytes: u64,
    pub(crate) location: RecordLocation,
    pub(crate) length_quirk: bool,
    pub(crate) integrity: Integrity,
}

impl<'a> Record<'a> {
    /// Where the record stands.
    pub fn location(&self) -> RecordLocation {
        self.location
    }

    /// The version line without its end, as in `WARC/1.0`.
    pub fn version(&self) -> &'a [u8] {
        let end = memchr::memchr(b'\n', self.header).unwrap_or(self.header.len());
        self.header[..end].trim_ascii_end()
    }

    /// The value of the first header field of this name, in any case.
    ///
    /// Blanks around it are gone, and a value that runs over lines is joined by one space.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.fields
            .iter()
            .find(|field| {
                field
                    .name(self.header)
                    .eq_ignore_ascii_case(name.as_bytes())
            })
            .map(|field| field.value(self.header))
    }

    /// All header fields in their order, as names and values.
    pub fn headers(&self) -> Headers<'a> {
        Headers {
            header: self.header,
            fields: self.fields.iter(),
        }
    }

    /// The value of `WARC-Type`.
    pub fn record_type(&self) -> RecordType {
        self.header("WARC-Type")
            .map_or(RecordType::Unknown, RecordType::from_name)
    }

    /// The value of `WARC-Target-URI`, without the angle brackets that some writers put around it.
    ///
    /// The grammar of WARC 1.0 asks for the brackets and that of 1.1 does not.
    pub fn target_uri(&self) -> Option<&'a [u8]> {
        let value = self.header("WARC-Target-URI")?;
        let inner = value
            .strip_prefix(b"<")
            .and_then(|inner| inner.strip_suffix(b">"));
        Some(inner.unwrap_or(value))
    }

    /// The block: its first part only if it [is cut](Record::is_truncated).
    pub fn block(&self) -> &'a [u8] {
        self.block
    }

    /// The length of the block as `Content-Length` states it.
    pub fn content_length(&self) -> u64 {
        self.block_bytes
    }

    /// Whether the block is larger than the limit and only its first part is here.
    pub fn is_truncated(&self) -> bool {
        self.block_bytes > self.block.len() as u64
    }

    /// Whether the stated length was two octets too small and two were added.
    ///
    /// Archives of CC-MAIN-2018-34 have an extra CRLF in the block that their
    /// `Content-Length` does not count.
    pub fn has_length_quirk(&self) -> bool {
        self.length_quirk
    }

    /// Returns how far the bytes of the record are known to be those that were written.
    pub fn integrity(&self) -> Integrity {
        self.integrity
    }
}

/// The header fields of a record, in their order.
#[derive(Clone, Debug)]
pub struct Headers<'a> {
    header: &'a [u8],
    fields: std::slice::Iter<'a, Field>,
}

impl<'a> Iterator for Headers<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let field = self.fields.next()?;
        Some((field.name(self.header), field.value(self.header)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::{Parsed, parse};

    fn with_record(header: &[u8], check: impl FnOnce(Record<'_>)) {
        let mut fields = Vec::new();
        assert!(matches!(parse(header, &mut fields), Parsed::Header { .. }));
        check(Record {
            header,
            fields: &fields,
            block: b"",
            block_bytes: 0,
            location: RecordLocation::default(),
            length_quirk: false,
            integrity: Integrity::default(),
        });
    }

    #[test]
    fn names_are_found_in_any_case_and_the_first_counts() {
        let header = b"WARC/1.1\r\nwarc-TYPE: RESPONSE \r\nX: 1\r\nx: 2\r\nY: \xff\r\n\r\n";
        with_record(header, |record| {
            assert_eq!(record.version(), b"WARC/1.1");
            assert_eq!(record.record_type(), RecordType::Response);
            assert_eq!(record.header("X"), Some(&b"1"[..]));
            assert_eq!(record.header("y"), Some(&b"\xff"[..]));
            assert_eq!(record.header("Z"), None);
            assert_eq!(record.headers().count(), 4);
        });
    }

    #[test]
    fn a_type_that_is_absent_or_new_is_unknown() {
        for header in [&b"WARC/1.0\n\n"[..], b"WARC/1.0\nWARC-Type: novel\n\n"] {
            with_record(header, |record| {
                assert_eq!(record.record_type(), RecordType::Unknown)
            });
        }
    }

    #[test]
    fn brackets_around_a_target_are_taken_off() {
        for (value, want) in [
            ("<http://a/>", "http://a/"),
            ("http://a/", "http://a/"),
            ("<http://a/", "<http://a/"),
        ] {
            let header = format!("WARC/1.0\nWARC-Target-URI: {value}\n\n");
            with_record(header.as_bytes(), |record| {
                assert_eq!(record.target_uri(), Some(want.as_bytes()));
            });
        }
    }
}
