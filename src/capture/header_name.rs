//! The names of the HTTP header fields that are used.

/// Defines [`HeaderName`]. The names are in lower case and sorted by length.
macro_rules! header_names {
    ($($name:literal $variant:ident;)*) => {
        /// The name of a header field that is used. All other fields are skipped.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum HeaderName {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl HeaderName {
            /// All names.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The texts of all names, in lower case.
            const TEXTS: &'static [&'static str] = &[$($name,)*];
        }
    };
}

header_names! {
    "via" Via;
    "x-cdn" XCdn;
    "cf-ray" CfRay;
    "server" Server;
    "x-iinfo" XIinfo;
    "location" Location;
    "akamai-grn" AkamaiGrn;
    "x-datadome" XDatadome;
    "x-kpsdk-ct" XKpsdkCt;
    "x-amz-cf-id" XAmzCfId;
    "x-azure-ref" XAzureRef;
    "x-served-by" XServedBy;
    "x-sucuri-id" XSucuriId;
    "x-vercel-id" XVercelId;
    "cf-mitigated" CfMitigated;
    "content-type" ContentType;
    "content-range" ContentRange;
    "content-usage" ContentUsage;
    "last-modified" LastModified;
    "content-length" ContentLength;
    "tdm-reservation" TdmReservation;
    "x-nf-request-id" XNfRequestId;
    "content-encoding" ContentEncoding;
    "transfer-encoding" TransferEncoding;
    "x-amzn-waf-action" XAmznWafAction;
    "x-px-authorization" XPxAuthorization;
    "x-akamai-transformed" XAkamaiTransformed;
}

/// The length of the longest name in bytes.
const LONGEST_NAME_BYTES: usize = HeaderName::TEXTS[HeaderName::TEXTS.len() - 1].len();

/// For each length in bytes, the index of the first name that is at least that long. The names of
/// length `n` are those from `LENGTH_STARTS[n]` up to `LENGTH_STARTS[n + 1]`.
const LENGTH_STARTS: [u8; LONGEST_NAME_BYTES + 2] = {
    let names = HeaderName::TEXTS;
    let mut starts = [names.len() as u8; LONGEST_NAME_BYTES + 2];
    let (mut i, mut length) = (0, 0);
    while i < names.len() {
        assert!(names[i].len() + 1 >= length, "names are sorted by length");
        while length <= names[i].len() {
            starts[length] = i as u8;
            length += 1;
        }
        i += 1;
    }
    starts
};

impl HeaderName {
    /// The number of names.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns the name in lower case.
    pub fn as_str(self) -> &'static str {
        Self::TEXTS[self as usize]
    }

    /// Returns the name with this text, compared without regard to case.
    pub fn from_text(text: &[u8]) -> Option<Self> {
        let first = text.first()?.to_ascii_lowercase();
        if text.len() > LONGEST_NAME_BYTES {
            return None;
        }
        let names =
            usize::from(LENGTH_STARTS[text.len()])..usize::from(LENGTH_STARTS[text.len() + 1]);
        let index = Self::TEXTS[names.clone()].iter().position(|name| {
            // The first letter differs in nearly all comparisons.
            name.as_bytes()[0] == first && text.eq_ignore_ascii_case(name.as_bytes())
        })?;
        Some(Self::ALL[names.start + index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_others_are_not() {
        for &name in HeaderName::ALL {
            let text = name.as_str();
            assert_eq!(HeaderName::from_text(text.as_bytes()), Some(name));
            assert_eq!(
                HeaderName::from_text(text.to_uppercase().as_bytes()),
                Some(name)
            );
            assert_eq!(HeaderName::from_text(&text.as_bytes()[1..]), None, "{text}");
            assert_eq!(HeaderName::from_text(format!("{text}s").as_bytes()), None);
            for i in 0..text.len() {
                let mut other = text.as_bytes().to_vec();
                other[i] = b'_';
                assert_eq!(HeaderName::from_text(&other), None, "{text}");
            }
        }
        assert_eq!(HeaderName::from_text(b""), None);
        assert_eq!(HeaderName::from_text(&[b'x'; 300]), None);
    }
}
