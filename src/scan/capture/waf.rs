//! Detects web application firewalls and their challenge pages.

use crate::capture::header_name::HeaderName::{self, *};
use crate::capture::http::Response;
use aho_corasick::packed::Searcher;
use std::sync::LazyLock;

/// Header fields that indicate a firewall: field name, start of the value in lower case (empty for
/// any value), name of the firewall. The first match wins.
const HEADER_MARKS: &[(HeaderName, &str, &str)] = &[
    (CfMitigated, "", "cloudflare"),
    (CfRay, "", "cloudflare"),
    (Server, "cloudflare", "cloudflare"),
    (Server, "akamai", "akamai"),
    (XAkamaiTransformed, "", "akamai"),
    (AkamaiGrn, "", "akamai"),
    (XIinfo, "", "imperva"),
    (XCdn, "incapsula", "imperva"),
    (XCdn, "imperva", "imperva"),
    (XSucuriId, "", "sucuri"),
    (Server, "sucuri", "sucuri"),
    (XDatadome, "", "datadome"),
    (Server, "datadome", "datadome"),
    (XPxAuthorization, "", "perimeterx"),
    (XAmznWafAction, "", "aws_waf"),
    (Server, "awselb", "aws"),
    (XAmzCfId, "", "aws"),
    (Server, "cloudfront", "aws"),
    (Server, "ddos-guard", "ddos_guard"),
    (XKpsdkCt, "", "kasada"),
    (XAzureRef, "", "azure"),
    (Server, "big-ip", "f5"),
    (Server, "bigip", "f5"),
    (Server, "qrator", "qrator"),
    (Server, "vercel", "vercel"),
    (XServedBy, "cache-", "fastly"),
    (Via, "1.1 varnish", "varnish"),
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
        || response.header(CfMitigated).is_some()
        || response.header(XAmznWafAction).is_some()
        || match &*PHRASE_SEARCHER {
            Some(phrases) => phrases.find(html).is_some(),
            None => CHALLENGE_PHRASES
                .iter()
                .any(|phrase| memchr::memmem::find(html, phrase).is_some()),
        }
}
