//! The type of a record.

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
    /// Any other type, or none.
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
        NAMES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map_or(RecordType::Unknown, |&(_, record_type)| record_type)
    }
}
