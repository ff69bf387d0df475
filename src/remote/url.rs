//! The URL of a remote archive or list.

use std::fmt;
use std::path::{Path, PathBuf};

/// The protocol of a remote object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Http,
    Https,
    S3,
}

impl Scheme {
    const PREFIXES: [(&'static str, Self); 3] = [
        ("https://", Self::Https),
        ("http://", Self::Http),
        ("s3://", Self::S3),
    ];
}

/// The URL of a remote object, `https://HOST/PATH`, `http://HOST/PATH` or `s3://BUCKET/KEY`.
///
/// It may contain secrets: user information and a query, such as that of a presigned URL. They are
/// only sent to the server, and never printed or stored. `Debug` omits them, too.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteUrl {
    scheme: Scheme,
    /// The URL without user information, query and fragment.
    display: PathBuf,
    /// The text that is requested: the URL without its fragment, or the key for S3. It has the
    /// secrets.
    target: String,
    /// The host and port, or the bucket for S3.
    server: String,
}

const MAX_URL_BYTES: usize = 8192;

/// The error of a text that begins with a supported scheme, but is not the URL of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotARemoteUrl;

/// Returns true if a text begins with a scheme and `://`.
pub fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else {
        return false;
    };
    let mut bytes = scheme.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

impl RemoteUrl {
    /// Parses the URL of an object. Returns `None` if the text does not begin with a supported scheme.
    ///
    /// # Errors
    ///
    /// [`NotARemoteUrl`] if it has no host or bucket, or no path.
    pub fn parse(text: &str) -> Result<Option<Self>, NotARemoteUrl> {
        let scheme = Scheme::PREFIXES.into_iter().find_map(|(prefix, scheme)| {
            let start_of_text = text.get(..prefix.len())?;
            start_of_text.eq_ignore_ascii_case(prefix).then_some(scheme)
        });
        match scheme {
            None => Ok(None),
            Some(Scheme::S3) => Self::parse_s3(&text["s3://".len()..]).map(Some),
            Some(scheme) => Self::parse_http(scheme, text).map(Some),
        }
    }

    fn parse_s3(rest: &str) -> Result<Self, NotARemoteUrl> {
        let (bucket, key) = rest.split_once('/').ok_or(NotARemoteUrl)?;
        let is_bucket_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let is_bucket = !bucket.is_empty() && bucket.bytes().all(is_bucket_byte);
        let parts = key.strip_suffix('/').unwrap_or(key).split('/');
        // The store would not request a key with such segments unchanged.
        let is_key = |mut parts: std::str::Split<'_, char>| {
            parts.all(|part| !matches!(part, "" | "." | ".."))
        };
        if !is_bucket || !is_key(parts) || rest.len() > MAX_URL_BYTES {
            return Err(NotARemoteUrl);
        }
        Ok(Self {
            scheme: Scheme::S3,
            display: format!("s3://{bucket}/{key}").into(),
            target: key.to_owned(),
            server: bucket.to_owned(),
        })
    }

    fn parse_http(scheme: Scheme, text: &str) -> Result<Self, NotARemoteUrl> {
        let mut url = url::Url::parse(text).map_err(|_| NotARemoteUrl)?;
        url.set_fragment(None);
        let target = url.to_string();
        let is_user_info_removed = url.set_username("").is_ok() && url.set_password(None).is_ok();
        url.set_query(None);
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.filter(|_| is_user_info_removed).ok_or(NotARemoteUrl)?;
        let port = url.port_or_known_default().ok_or(NotARemoteUrl)?;
        let is_host_byte = |byte: u8| byte.is_ascii_alphanumeric() || b".-_[]:".contains(&byte);
        if !host.bytes().all(is_host_byte) || target.len() > MAX_URL_BYTES {
            return Err(NotARemoteUrl);
        }
        if url.path().ends_with('/') {
            return Err(NotARemoteUrl);
        }
        Ok(Self {
            scheme,
            server: format!("{host}:{port}"),
            display: url.as_str().into(),
            target,
        })
    }

    /// Returns the protocol.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the URL for messages, without user information, query and fragment.
    pub fn display_path(&self) -> &Path {
        &self.display
    }

    /// Returns true if both objects have the same scheme, and the same server or bucket.
    pub fn has_same_server(&self, other: &Self) -> bool {
        (self.scheme, &self.server) == (other.scheme, &other.server)
    }

    /// Returns true if the object is on the server of the URL `base`, and in its folder or below it.
    /// Both are compared as they are requested, after dot segments are resolved.
    pub fn is_below(&self, base: &str) -> bool {
        let sample = format!("{}/x", base.trim_end_matches('/'));
        let Ok(Some(sample_url)) = Self::parse(&sample) else {
            return false;
        };
        let (own_url_text, sample_url_text) = (self.to_string(), sample_url.to_string());
        let folder = sample_url_text.rfind('/').map_or(0, |end| end + 1);
        own_url_text.starts_with(&sample_url_text[..folder])
    }

    /// Returns the server with its port, or the bucket.
    #[cfg(feature = "network")]
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// Returns the text that is requested, with its secrets: the URL, or the key for S3.
    #[cfg(feature = "network")]
    pub(super) fn target(&self) -> &str {
        &self.target
    }

    /// Returns the text to which each path of the list at this URL is appended: the URL up to its
    /// `crawl-data/`, or else up to its last slash. It includes the user information.
    pub fn list_base(&self) -> String {
        let url = match self.scheme {
            Scheme::S3 => self.display.to_string_lossy().into_owned(),
            _ => self.target.split('?').next().unwrap_or_default().to_owned(),
        };
        let end = url.find("/crawl-data/").or_else(|| url.rfind('/'));
        url[..end.map_or(0, |end| end + 1)].to_owned()
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display.display().fmt(f)
    }
}

impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_url(text: &str) -> RemoteUrl {
        RemoteUrl::parse(text).unwrap().unwrap()
    }

    #[test]
    fn secrets_are_only_in_what_is_requested() {
        let url = parse_url("https://me:secret@example.com/crawl-data/C/x.warc.gz?sig=secret#part");
        assert_eq!(
            url.to_string(),
            "https://example.com/crawl-data/C/x.warc.gz"
        );
        assert!(!format!("{url:?}").contains("secret"));
        assert!(url.target.contains("me:secret@") && url.target.ends_with("?sig=secret"));
    }

    #[test]
    fn keys_of_s3_are_taken_as_they_are() {
        let url = parse_url("S3://bucket/a/b?c#d%20e");
        assert_eq!(
            (url.server.as_str(), url.target.as_str()),
            ("bucket", "a/b?c#d%20e")
        );
        assert_eq!(url.to_string(), "s3://bucket/a/b?c#d%20e");
    }

    #[test]
    fn urls_without_an_object_are_refused_and_other_texts_are_not_urls() {
        for text in [
            "https://",
            "https://h",
            "https://h/a/",
            "s3://b",
            "s3://b/",
            "s3:///k",
            "s3://b//k",
            "s3://b/a/../k",
            "s3://key:secret@b/k",
            "https://{host}/a",
        ] {
            assert_eq!(RemoteUrl::parse(text), Err(NotARemoteUrl), "{text}");
        }
        for text in [
            "a/b.warc.gz",
            "ftp://h/x",
            "file:///x",
            "https:/h/x",
            "",
            "é",
        ] {
            assert_eq!(RemoteUrl::parse(text), Ok(None), "{text}");
        }
        assert!(has_scheme("ftp://h/x") && has_scheme("file:///x"));
        assert!(!has_scheme("a/b") && !has_scheme("://") && !has_scheme("a b://c"));
    }

    #[test]
    fn a_url_has_a_longest_length() {
        let long = format!("https://h/{}", "a".repeat(9000));
        assert_eq!(RemoteUrl::parse(&long), Err(NotARemoteUrl));
    }

    #[test]
    fn a_base_is_left_by_dot_segments_in_any_form() {
        let is_below = |base: &str, line: &str| parse_url(&format!("{base}/{line}")).is_below(base);
        for (base, line) in [
            ("https://h", "a"),
            ("https://u:p@h:443/b", "a/../c"),
            ("https://h/b?list=1", "a"),
            ("s3://bucket/b", "a"),
        ] {
            assert!(is_below(base, line), "{base} {line}");
        }
        for line in ["../a", "%2e%2E/a", ".\t./a", "a/..\\../b", "../bc/a"] {
            assert!(!is_below("https://h/b", line), "{line}");
        }
        assert!(!parse_url("https://other/b/a").is_below("https://h/b"));
    }

    #[test]
    fn lines_of_a_list_follow_what_precedes_crawl_data_in_its_url() {
        for (list, base) in [
            ("https://h/crawl-data/C/w.paths.gz", "https://h/"),
            ("https://u:p@h/a/crawl-data/C/w.paths?q", "https://u:p@h/a/"),
            (
                "s3://commoncrawl/crawl-data/C/w.paths.gz",
                "s3://commoncrawl/",
            ),
            ("https://h/lists/w.paths", "https://h/lists/"),
        ] {
            assert_eq!(parse_url(list).list_base(), base);
        }
    }
}
