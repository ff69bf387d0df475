//! Detects web application firewalls and their challenge pages.

use crate::capture::http::Response;
use aho_corasick::packed::Searcher;
use std::sync::LazyLock;

/// Header fields that indicate a firewall: field name, start of the value in lower case (empty for
/// any value), name of the firewall. The first match wins.
const HEADER_MARKS: &[(&str, &str, &str)] = &[
    ("cf-mitigated", "", "cloudflare"),
    ("cf-ray", "", "cloudflare"),
    ("server", "cloudflare", "cloudflare"),
    ("server", "akamai", "akamai"),
    ("x-akamai-transformed", "", "akamai"),
    ("akamai-grn", "", "akamai"),
    ("x-iinfo", "", "imperva"),
    ("x-cdn", "incapsula", "imperva"),
    ("x-cdn", "imperva", "imperva"),
    ("x-sucuri-id", "", "sucuri"),
    ("server", "sucuri", "sucuri"),
    ("x-datadome", "", "datadome"),
    ("server", "datadome", "datadome"),
    ("x-px-authorization", "", "perimeterx"),
    ("x-amzn-waf-action", "", "aws_waf"),
    ("server", "awselb", "aws"),
    ("x-amz-cf-id", "", "aws"),
    ("server", "cloudfront", "aws"),
    ("server", "ddos-guard", "ddos_guard"),
    ("x-kpsdk-ct", "", "kasada"),
    ("x-azure-ref", "", "azure"),
    ("server", "big-ip", "f5"),
    ("server", "bigip", "f5"),
    ("server", "qrator", "qrator"),
    ("server", "vercel", "vercel"),
    ("x-served-by", "cache-", "fastly"),
    ("via", "1.1 varnish", "varnish"),
];

/// Phrases of pages that ask visitors to prove that they are human.
const CHALLENGE_PHRASES: [&[u8]; 11] = [
    b"Just a moment...",
    b"challenge-platform",
    b"cf-chl",
    b"_Incapsula_Resource",
    b"sucuri_cloudproxy",
    b"aws-waf-token",
    b"captcha",
    b"Captcha",
    b"Making sure you're not a bot",
    b"anubis",
    b"ddos-guard",
];

/// Searches for all phrases in one pass; `None` if the CPU has no suitable vector instructions.
static PHRASE_SEARCHER: LazyLock<Option<Searcher>> =
    LazyLock::new(|| Searcher::new(CHALLENGE_PHRASES));

/// The number of bytes of a page that are searched for challenge phrases.
const MAX_CHALLENGE_BYTES: usize = 64 << 10;

/// Returns the firewall that the header fields of a response indicate.
pub(crate) fn hint(response: &Response<'_>) -> Option<&'static str> {
    HEADER_MARKS.iter().find_map(|&(header, begin, name)| {
        let value = response.header(header)?;
        let is_match = value
            .get(..begin.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(begin.as_bytes()));
        is_match.then_some(name)
    })
}

/// Returns true if an HTML page served in place of a robots.txt file is a challenge page.
pub(crate) fn is_challenge(response: &Response<'_>, html: &[u8]) -> bool {
    let html = &html[..html.len().min(MAX_CHALLENGE_BYTES)];
    response.status == Some(202)
        || response.header("cf-mitigated").is_some()
        || response.header("x-amzn-waf-action").is_some()
        || match &*PHRASE_SEARCHER {
            Some(phrases) => phrases.find(html).is_some(),
            None => CHALLENGE_PHRASES
                .iter()
                .any(|phrase| memchr::memmem::find(html, phrase).is_some()),
        }
}
