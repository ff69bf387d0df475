//! A record of an archive: its header and block, type, location and integrity.

use crate::field_name::FieldName;
use crate::header::{HeaderField, HeaderFields};

/// A record, borrowed from the buffers of its [`Reader`](crate::Reader).
///
/// It is valid until the next record is read. Copying it is cheap.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub(crate) header: &'a [u8],
    pub(crate) fields: &'a HeaderFields,
    pub(crate) block: &'a [u8],
    pub(crate) content_length: u64,
    pub(crate) location: RecordLocation,
    pub(crate) has_length_quirk: bool,
    pub(crate) integrity: Integrity,
}

impl<'a> Record<'a> {
    /// Returns the location of the record in its archive.
    #[inline]
    pub fn location(&self) -> RecordLocation {
        self.location
    }

    /// Returns the version line without its line end, such as `WARC/1.0`.
    pub fn version(&self) -> &'a [u8] {
        let end = memchr::memchr(b'\n', self.header).unwrap_or(self.header.len());
        self.header[..end].trim_ascii_end()
    }

    /// Returns the value of the first header field with this name.
    ///
    /// Names are compared without regard to case ([WARC 1.1 §4]). The value has no blanks around
    /// it, and the lines of a folded value are joined with single spaces. The cost is linear in
    /// the number of fields.
    ///
    /// [WARC 1.1 §4]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#file-and-record-model
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.fields
            .list()
            .iter()
            .find(|field| field.has_name(self.header, name.as_bytes()))
            .map(|field| field.value(self.header))
    }

    /// Returns the value of the first header field with this name, as [`header`](Self::header) does, but
    /// without a search.
    #[inline]
    pub fn field(&self, name: FieldName) -> Option<&'a [u8]> {
        self.fields.value(self.header, name)
    }

    /// Returns an iterator over the names and values of all header fields, in their order.
    pub fn headers(&self) -> Headers<'a> {
        Headers {
            header: self.header,
            fields: self.fields.list().iter(),
        }
    }

    /// Returns the value of `WARC-Type`.
    pub fn record_type(&self) -> RecordType {
        self.field(FieldName::RecordType)
            .map_or(RecordType::Unknown, RecordType::from_name)
    }

    /// Returns the value of `WARC-Target-URI`, without the angle brackets that some writers put
    /// around it.
    ///
    /// The grammar of WARC 1.0 requires the brackets; WARC 1.1 removed them.
    pub fn target_uri(&self) -> Option<&'a [u8]> {
        let value = self.field(FieldName::TargetUri)?;
        let inner = value
            .strip_prefix(b"<")
            .and_then(|inner| inner.strip_suffix(b">"));
        Some(inner.unwrap_or(value))
    }

    /// Returns the block of the record, or its first part if it [is
    /// truncated](Record::is_truncated).
    #[inline]
    pub fn block(&self) -> &'a [u8] {
        self.block
    }

    /// Returns the value of `Content-Length`: the length of the complete block in bytes.
    #[inline]
    pub fn content_length(&self) -> u64 {
        self.content_length
    }

    /// Returns true if the block is larger than
    /// [`Limits::max_block_bytes`](crate::Limits::max_block_bytes) and only its first part was
    /// kept.
    ///
    /// This does not depend on the field `WARC-Truncated`.
    #[inline]
    pub fn is_truncated(&self) -> bool {
        self.content_length > self.block.len() as u64
    }

    /// Returns true if `Content-Length` was two bytes too small and the block was extended.
    ///
    /// Archives of CC-MAIN-2018-34 have an additional CRLF in the block that `Content-Length` does
    /// not count.
    #[inline]
    pub fn has_length_quirk(&self) -> bool {
        self.has_length_quirk
    }

    /// Returns whether a checksum confirms the bytes of the record.
    #[inline]
    pub fn integrity(&self) -> Integrity {
        self.integrity
    }
}

/// An iterator over the names and values of the header fields of a record.
#[derive(Clone, Debug)]
pub struct Headers<'a> {
    header: &'a [u8],
    fields: std::slice::Iter<'a, HeaderField>,
}

impl<'a> Iterator for Headers<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let field = self.fields.next()?;
        Some((field.name(self.header), field.value(self.header)))
    }
}

/// The type of a record, from its `WARC-Type` field ([WARC 1.1 §5.5]).
///
/// [WARC 1.1 §5.5]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#warc-type-mandatory
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordType {
    /// A description of the records that follow.
    Warcinfo,
    /// A complete response of a server, usually with the HTTP header.
    Response,
    /// A resource without the header of the protocol that delivered it.
    Resource,
    /// A complete request to a server.
    Request,
    /// A response that refers to an earlier record with the same content.
    Revisit,
    /// Information about another record.
    Metadata,
    /// Another form of a record, such as the text in WET files.
    Conversion,
    /// A further segment of a record that was split.
    Continuation,
    /// Any other type, or no type.
    Unknown,
}

impl RecordType {
    /// Returns the name of the type in lower case, as in `WARC-Type`.
    pub fn name(self) -> &'static str {
        match self {
            RecordType::Warcinfo => "warcinfo",
            RecordType::Response => "response",
            RecordType::Resource => "resource",
            RecordType::Request => "request",
            RecordType::Revisit => "revisit",
            RecordType::Metadata => "metadata",
            RecordType::Conversion => "conversion",
            RecordType::Continuation => "continuation",
            RecordType::Unknown => "unknown",
        }
    }

    /// Returns the type with this name, compared without regard to case.
    pub(crate) fn from_name(name: &[u8]) -> RecordType {
        // The most frequent types come first.
        const NAMES: [(&[u8], RecordType); 8] = [
            (b"response", RecordType::Response),
            (b"request", RecordType::Request),
            (b"metadata", RecordType::Metadata),
            (b"warcinfo", RecordType::Warcinfo),
            (b"revisit", RecordType::Revisit),
            (b"resource", RecordType::Resource),
            (b"conversion", RecordType::Conversion),
            (b"continuation", RecordType::Continuation),
        ];
        let exact = NAMES.iter().find(|(known, _)| *known == name);
        exact
            .or_else(|| {
                NAMES
                    .iter()
                    .find(|(known, _)| known.eq_ignore_ascii_case(name))
            })
            .map_or(RecordType::Unknown, |&(_, record_type)| record_type)
    }
}

/// The location of a record in its archive, in the terms of the Common Crawl index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecordLocation {
    /// The offset, in bytes of the archive, of the gzip member or zstd frame that holds the
    /// record, or of the record itself if the archive is not compressed.
    pub offset: u64,
    /// The number of bytes, in the archive, of the member or frame, or of the uncompressed record
    /// with the two line ends after its block. `None` if several records share the member.
    pub length: Option<u64>,
    /// The index of the record in its member, from 0. Damaged records count.
    pub index_in_member: u32,
}

/// States whether a checksum confirms that the bytes of a record are those that were written.
///
/// Integrity is a property of the gzip member or zstd frame that holds the record. All records of
/// a member have the same integrity, wherever in the member damage was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Integrity {
    /// The member or frame decodes to its end and its checksum matches.
    Verified,
    /// No checksum covers the bytes: the record is not compressed, or its zstd frame decodes to
    /// its end and has no checksum.
    #[default]
    Unguarded,
    /// The checksum was not reached when the record was read: the member holds several records,
    /// the input is a stream, and the member is longer than the part of the stream that is kept.
    /// Records of regular files never have this value.
    Unknown,
    /// The member or frame does not decode to its end, or its checksum does not match: the record
    /// may differ from what was written.
    Damaged,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::{ParsedHeader, parse};

    fn check_record(header: &[u8], check: impl FnOnce(Record<'_>)) {
        let mut fields = HeaderFields::default();
        assert!(matches!(
            parse(header, &mut fields),
            ParsedHeader::Complete { .. }
        ));
        check(Record {
            header,
            fields: &fields,
            block: b"",
            content_length: 0,
            location: RecordLocation::default(),
            has_length_quirk: false,
            integrity: Integrity::default(),
        });
    }

    #[test]
    fn field_names_match_in_any_case_and_the_first_field_counts() {
        let header = b"WARC/1.1\r\nwarc-TYPE: RESPONSE \r\nX: 1\r\nx: 2\r\nY: \xff\r\n\r\n";
        check_record(header, |record| {
            assert_eq!(record.version(), b"WARC/1.1");
            assert_eq!(record.record_type(), RecordType::Response);
            assert_eq!(record.header("X"), Some(&b"1"[..]));
            assert_eq!(record.header("y"), Some(&b"\xff"[..]));
            assert_eq!(record.header("Z"), None);
            assert_eq!(record.headers().count(), 4);
        });
    }

    #[test]
    fn a_missing_or_new_type_is_unknown() {
        for header in [&b"WARC/1.0\n\n"[..], b"WARC/1.0\nWARC-Type: novel\n\n"] {
            check_record(header, |record| {
                assert_eq!(record.record_type(), RecordType::Unknown)
            });
        }
    }

    #[test]
    fn brackets_around_a_target_uri_are_removed() {
        for (value, want) in [
            ("<http://a/>", "http://a/"),
            ("http://a/", "http://a/"),
            ("<http://a/", "<http://a/"),
        ] {
            let header = format!("WARC/1.0\nWARC-Target-URI: {value}\n\n");
            check_record(header.as_bytes(), |record| {
                assert_eq!(record.target_uri(), Some(want.as_bytes()));
            });
        }
    }
}
