//! The type of a record.

/// The value of `WARC-Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordType {
    /// About the records that follow.
    Warcinfo,
    /// What a server answered.
    Response,
    /// A resource without the protocol that brought it.
    Resource,
    /// What a server was asked.
    Request,
    /// A response seen before.
    Revisit,
    /// About another record.
    Metadata,
    /// Another form of a record, as the text in WET files.
    Conversion,
    /// The rest of a record that was cut in pieces.
    Continuation,
    /// Anything else, or no type at all.
    Unknown,
}

impl RecordType {
    /// The word for the type, in lower case.
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

    /// The type by its name, in any case.
    pub(crate) fn from_name(name: &[u8]) -> RecordType {
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
            .map_or(RecordType::Unknown, |&(_, kind)| kind)
    }
}
