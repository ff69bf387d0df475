//! Shields in front of a server, known by the headers they leave.

use crate::capture::http::Response;
use aho_corasick::packed::Searcher;
use std::sync::LazyLock;

/// Header, beginning of its value in lower case (empty: any), name of the shield.
const MARKS: &[(&str, &str, &str)] = &[
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

/// Phrases of pages that ask a visitor to prove to be a person.
const CHALLENGES: [&[u8]; 11] = [
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

/// Finds any of them in one pass, where the machine has vectors.
static PHRASES: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(CHALLENGES));

/// How much of a page is searched for such phrases.
const CHALLENGE_BYTES_MAX: usize = 64 << 10;

/// The shield that the headers hint at.
pub(crate) fn hint(response: &Response<'_>) -> Option<&'static str> {
    MARKS.iter().find_map(|&(header, begin, name)| {
        let value = response.header(header)?;
        let is_so = value
            .get(..begin.len())
            .is_some_and(|it| it.eq_ignore_ascii_case(begin.as_bytes()));
        is_so.then_some(name)
    })
}

/// Whether an HTML page that stands for a robots.txt is a challenge.
pub(crate) fn is_challenge(response: &Response<'_>, html: &[u8]) -> bool {
    let html = &html[..html.len().min(CHALLENGE_BYTES_MAX)];
    response.status == Some(202)
        || response.header("cf-mitigated").is_some()
        || response.header("x-amzn-waf-action").is_some()
        || match &*PHRASES {
            Some(phrases) => phrases.find(html).is_some(),
            None => CHALLENGES
                .iter()
                .any(|phrase| memchr::memmem::find(html, phrase).is_some()),
        }
}
