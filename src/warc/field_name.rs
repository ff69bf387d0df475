//! The names of header fields that are looked up often.

/// Defines [`FieldName`].
macro_rules! field_names {
    ($($variant:ident $name:literal;)*) => {
        /// A header field of a record ([WARC 1.1 §5]) that [`Record::field`](crate::Record::field)
        /// finds without a search.
        ///
        /// [WARC 1.1 §5]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#named-fields
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FieldName {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl FieldName {
            /// All names.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name as the specification writes it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

field_names! {
    RecordType "WARC-Type";
    Date "WARC-Date";
    ContentType "Content-Type";
    RecordId "WARC-Record-ID";
    ContentLength "Content-Length";
    Truncated "WARC-Truncated";
    TargetUri "WARC-Target-URI";
    IpAddress "WARC-IP-Address";
    BlockDigest "WARC-Block-Digest";
    PayloadDigest "WARC-Payload-Digest";
    IdentifiedPayloadType "WARC-Identified-Payload-Type";
}

impl FieldName {
    /// Returns the name with this text, compared without regard to case.
    pub(crate) fn from_text(text: &[u8]) -> Option<Self> {
        // At most one known name has this length and this sixth letter.
        let sixth = text.get(5)?.to_ascii_lowercase();
        let name = match (text.len(), sixth) {
            (9, b't') => Self::RecordType,
            (9, _) => Self::Date,
            (12, _) => Self::ContentType,
            (14, b'r') => Self::RecordId,
            (14, b't') => Self::Truncated,
            (14, _) => Self::ContentLength,
            (15, b't') => Self::TargetUri,
            (15, _) => Self::IpAddress,
            (17, _) => Self::BlockDigest,
            (19, _) => Self::PayloadDigest,
            (28, _) => Self::IdentifiedPayloadType,
            _ => return None,
        };
        let known = name.as_str().as_bytes();
        // Nearly all writers use the spelling of the specification.
        (text == known || text.eq_ignore_ascii_case(known)).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_in_any_case() {
        for &name in FieldName::ALL {
            for text in [
                name.as_str().to_owned(),
                name.as_str().to_uppercase(),
                name.as_str().to_lowercase(),
            ] {
                assert_eq!(FieldName::from_text(text.as_bytes()), Some(name));
                assert_eq!(
                    FieldName::from_text(text.replace('-', "_").as_bytes()),
                    None
                );
                assert_eq!(FieldName::from_text(&text.as_bytes()[1..]), None);
            }
        }
        assert_eq!(FieldName::from_text(b""), None);
    }
}
