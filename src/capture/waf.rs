//! Detects web application firewalls and their challenge pages.

use crate::header_name::HeaderName as Name;
use crate::http::Response;
use aho_corasick::packed::Searcher;
use std::sync::LazyLock;

/// Header fields that indicate a firewall or a network: field name, start of the value in lower case (empty for
/// any value), name of the firewall. The first match wins.
///
/// Sources: <https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response>,
/// <https://vercel.com/docs/headers/response-headers>, <https://http.dev/x-vercel-id>,
/// <https://fastly.com/documentation/reference/http/http-headers/X-Served-By>,
/// <https://kb.sucuri.net/firewall/Troubleshooting/investigating-cache-headers>, and for Netlify the names of headers in
/// <https://github.com/netlify/primitives>; the others are those of responses in the archives of Common Crawl.
const FIREWALL_HEADERS: &[(Name, &str, &str)] = &[
    (Name::CfMitigated, "", "cloudflare"),
    (Name::CfRay, "", "cloudflare"),
    (Name::Server, "cloudflare", "cloudflare"),
    (Name::Server, "akamai", "akamai"),
    (Name::XAkamaiTransformed, "", "akamai"),
    (Name::AkamaiGrn, "", "akamai"),
    (Name::XIinfo, "", "imperva"),
    (Name::XCdn, "incapsula", "imperva"),
    (Name::XCdn, "imperva", "imperva"),
    (Name::XSucuriId, "", "sucuri"),
    (Name::Server, "sucuri", "sucuri"),
    (Name::XDatadome, "", "datadome"),
    (Name::Server, "datadome", "datadome"),
    (Name::XPxAuthorization, "", "perimeterx"),
    (Name::XAmznWafAction, "", "aws_waf"),
    (Name::Server, "awselb", "aws"),
    (Name::XAmzCfId, "", "aws"),
    (Name::Server, "cloudfront", "aws"),
    (Name::Server, "ddos-guard", "ddos_guard"),
    (Name::XKpsdkCt, "", "kasada"),
    (Name::XAzureRef, "", "azure"),
    (Name::Server, "big-ip", "f5"),
    (Name::Server, "bigip", "f5"),
    (Name::Server, "qrator", "qrator"),
    (Name::XVercelId, "", "vercel"),
    (Name::Server, "vercel", "vercel"),
    (Name::XServedBy, "cache-", "fastly"),
    (Name::XNfRequestId, "", "netlify"),
    (Name::Server, "netlify", "netlify"),
    (Name::Via, "1.1 varnish", "varnish"),
];

/// Phrases of challenge pages, on which visitors must prove that they are human.
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
pub(crate) fn detect_firewall(response: &Response<'_>) -> Option<&'static str> {
    FIREWALL_HEADERS
        .iter()
        .find_map(|&(header, value_prefix, name)| {
            let value = response.header(header)?;
            let is_match = value
                .get(..value_prefix.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(value_prefix.as_bytes()));
            is_match.then_some(name)
        })
}

/// Returns the name of a known firewall.
pub(crate) fn firewall_name(name: &[u8]) -> Option<&'static str> {
    let mut names = FIREWALL_HEADERS.iter().map(|&(_, _, name)| name);
    names.find(|known| known.as_bytes() == name)
}

/// Returns true if a header field says that a firewall sent a challenge instead of what was requested.
pub(crate) fn has_challenge_header(response: &Response<'_>) -> bool {
    let fields = [Name::CfMitigated, Name::XAmznWafAction];
    fields.iter().any(|&name| response.header(name).is_some())
}

/// Returns true if a page, provided that it is HTML, is a challenge. Pages of 404 and 410 are not searched: pages of
/// sites have the scripts of firewalls and forms with captchas, too.
pub(crate) fn is_challenge_page(status: Option<u16>, page: &[u8]) -> bool {
    let page = &page[..page.len().min(MAX_CHALLENGE_BYTES)];
    if matches!(status, Some(404 | 410)) || !page.trim_ascii_start().starts_with(b"<") {
        return false;
    }
    status == Some(202)
        || match &*PHRASE_SEARCHER {
            Some(phrases) => phrases.find(page).is_some(),
            None => CHALLENGE_PHRASES
                .iter()
                .any(|phrase| memchr::memmem::find(page, phrase).is_some()),
        }
}
