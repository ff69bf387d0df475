//! The WARC header fields of a capture.

use warc::Record;

/// A header field of a WARC record that is read for a capture ([WARC 1.1 §5], and `Content-Type`).
///
/// [WARC 1.1 §5]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#named-fields
#[derive(Clone, Copy, Debug)]
pub(super) enum RecordField {
    Date,
    Id,
    IpAddress,
    Truncated,
    PayloadDigest,
    IdentifiedPayloadType,
    ContentType,
}

/// All fields and their names.
const FIELD_NAMES: [(RecordField, &str); 7] = [
    (RecordField::Date, "WARC-Date"),
    (RecordField::Id, "WARC-Record-ID"),
    (RecordField::IpAddress, "WARC-IP-Address"),
    (RecordField::Truncated, "WARC-Truncated"),
    (RecordField::PayloadDigest, "WARC-Payload-Digest"),
    (
        RecordField::IdentifiedPayloadType,
        "WARC-Identified-Payload-Type",
    ),
    (RecordField::ContentType, "Content-Type"),
];

/// The values of the header fields of a record, all found in one pass.
#[derive(Debug, Default)]
pub(super) struct RecordFields<'a> {
    values: [Option<&'a [u8]>; FIELD_NAMES.len()],
}

impl<'a> RecordFields<'a> {
    /// Reads the header fields of a record. If several fields have the same name, the first is read, as
    /// by [`Record::header`].
    pub(super) fn from_record(record: &Record<'a>) -> Self {
        let mut fields = Self::default();
        for (name, value) in record.headers() {
            let is_name =
                |(_, known): &&(RecordField, &str)| known.as_bytes().eq_ignore_ascii_case(name);
            if let Some(&(field, _)) = FIELD_NAMES.iter().find(is_name) {
                fields.values[field as usize].get_or_insert(value);
            }
        }
        fields
    }

    pub(super) fn get(&self, field: RecordField) -> Option<&'a [u8]> {
        self.values[field as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use warc::{Limits, Reader};

    #[test]
    fn the_first_field_of_a_name_counts_in_any_case() {
        let mut text = String::from("WARC/1.0\r\nContent-Length: 0\r\n");
        for (i, (_, name)) in FIELD_NAMES.iter().enumerate() {
            let upper = name.to_uppercase();
            text += &format!("{upper}: {i}\r\n{name}: other\r\nX-{name}: other\r\n");
        }
        let mut reader = Reader::new(Limits::default());
        let stream = Cursor::new(text + "\r\n\r\n\r\n");
        reader.open_stream(Box::new(stream)).unwrap();
        assert!(reader.read_record().unwrap());
        let record = reader.record();
        let fields = RecordFields::from_record(&record);
        for (i, (field, name)) in FIELD_NAMES.into_iter().enumerate() {
            assert_eq!(fields.get(field), Some(i.to_string().as_bytes()));
            assert_eq!(fields.get(field), record.header(name));
        }
    }
}
