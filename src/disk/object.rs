//! The identity of an object on a server, and its URL without secrets.

use serde::{Deserialize, Serialize};

/// The properties by which a change of an object is detected, as its server states them.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct ObjectIdentity {
    /// The size in bytes.
    pub bytes: u64,
    /// The strong entity tag; `None` if the server sends no tag or a weak one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The time of `Last-Modified`, in ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
}

impl ObjectIdentity {
    /// Returns true if the object has changed between the two identities. The sizes are compared, and the
    /// entity tags; the times of the last change are compared only if one of the tags is missing.
    pub fn is_different_from(&self, other: &Self) -> bool {
        let is_known_different = |a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(a), Some(b)) => Some(a != b),
            _ => None,
        };
        let has_other_etag = is_known_different(&self.etag, &other.etag);
        let has_other_version =
            has_other_etag.or_else(|| is_known_different(&self.modified, &other.modified));
        self.bytes != other.bytes || has_other_version == Some(true)
    }

    /// Returns the entity tag, or else the time of the last change.
    pub fn version(&self) -> Option<&str> {
        self.etag.as_deref().or(self.modified.as_deref())
    }
}

/// Removes the user information, the query and the fragment from a text that may be a URL.
pub fn without_secrets(text: &str) -> String {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let Some((scheme, rest)) = text[..end].split_once("://") else {
        return text[..end].to_owned();
    };
    // User information may contain an unencoded slash, so all text up to the last `@` is removed.
    let without_user_info = rest.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{without_user_info}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_may_be_urls_are_printed_without_secrets() {
        for (text, printed) in [
            ("https://u:p@h/a?sig=x#y", "https://h/a"),
            ("https://u:p/q@h/a", "https://h/a"),
            ("/etc/x?sig=x", "/etc/x"),
            ("bucket/p?sig=x", "bucket/p"),
            ("s3://k:s@b/k", "s3://b/k"),
            ("a.warc.gz", "a.warc.gz"),
        ] {
            assert_eq!(without_secrets(text), printed);
        }
    }
}
