//! Short forms of the URLs of hosts. Without them, URLs would be most of the bytes of records.
//!
//! Most URLs are `https://` or `http://`, the host with or without `www.`, and `/robots.txt`. The
//! host follows from its key (`surt_host_name`), so that one byte remains.

/// The bit of a short form that is set for the scheme https.
const HTTPS_BIT: u8 = 1;

/// The bit of a short form that is set for a leading `www.`.
const WWW_BIT: u8 = 2;

/// The byte before a URL that has no short form.
const WHOLE_URL_CODE: u8 = 4;

/// Appends the short form of a URL of a host.
pub(crate) fn put_short_url(out: &mut Vec<u8>, url: &str, surt_host_name: &str) {
    match short_code(url, surt_host_name) {
        Some(code) => out.push(code),
        None => {
            out.push(WHOLE_URL_CODE);
            out.extend_from_slice(url.as_bytes());
        }
    }
}

/// Returns the byte that represents a URL; `None` if it has no short form.
fn short_code(url: &str, surt_host_name: &str) -> Option<u8> {
    let (rest, scheme) = match url.strip_prefix("https://") {
        Some(rest) => (rest, HTTPS_BIT),
        None => (url.strip_prefix("http://")?, 0),
    };
    let host = rest.strip_suffix("/robots.txt")?;
    if has_labels(host, surt_host_name) {
        return Some(scheme);
    }
    let without_www = host.strip_prefix("www.")?;
    has_labels(without_www, surt_host_name).then_some(scheme | WWW_BIT)
}

/// Returns true if the labels of a host are those of a `surt_host_name`, which has them in reverse order.
fn has_labels(host: &str, surt_host_name: &str) -> bool {
    let mut rest = Some(host.as_bytes());
    let mut labels = surt_host_name.as_bytes().split(|byte| *byte == b',');
    host.len() == surt_host_name.len()
        && labels.all(|label| {
            let before = rest.and_then(|rest| rest.strip_suffix(label));
            // Nothing remains before the first label of the host.
            rest = before.and_then(|before| before.strip_suffix(b"."));
            before.is_some()
        })
}

/// Replaces `url` with the URL of a short form.
pub(super) fn expand_short_url(short: &[u8], surt_host_name: &str, url: &mut String) {
    url.clear();
    match short {
        [code, whole @ ..] if *code == WHOLE_URL_CODE => {
            url.push_str(std::str::from_utf8(whole).expect("it was written from a text"));
        }
        [code, ..] => {
            url.push_str(if code & HTTPS_BIT != 0 {
                "https://"
            } else {
                "http://"
            });
            if code & WWW_BIT != 0 {
                url.push_str("www.");
            }
            let mut rest = surt_host_name;
            while let Some(comma) = rest.bytes().rposition(|byte| byte == b',') {
                url.push_str(&rest[comma + 1..]);
                url.push('.');
                rest = &rest[..comma];
            }
            url.push_str(rest);
            url.push_str("/robots.txt");
        }
        [] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use urls::{UrlColumns, parse_url};

    #[test]
    fn urls_are_expanded_to_what_they_were() {
        for (url, length) in [
            ("https://example.com/robots.txt", 1),
            ("http://www.example.co.uk/robots.txt", 1),
            ("https://www.com/robots.txt", 1),
            ("https://www.www.com/robots.txt", 1),
            ("http://1.2.3.4/robots.txt", 1),
            ("https://localhost/robots.txt", 1),
            ("https://example.com:8080/robots.txt", 36),
            ("https://u@example.com/robots.txt", 33),
            ("https://example.com./robots.txt", 32),
            ("https://[::1]/robots.txt", 25),
            ("ftp://example.com/robots.txt", 29),
        ] {
            let columns = UrlColumns::new(parse_url(url.as_bytes()).unwrap());
            let host = &columns.host.as_ref().unwrap().surt_host_name;
            let (mut short, mut expanded) = (Vec::new(), String::from("x"));
            put_short_url(&mut short, &columns.url, host);
            assert_eq!(short.len(), length, "{url}");
            expand_short_url(&short, host, &mut expanded);
            assert_eq!(expanded, columns.url);
        }
    }
}
