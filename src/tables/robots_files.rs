use super::OptionalColumns;
use super::column::Expression::{self, PerDialect, Same};
use super::record_rows::RowInput;
use super::value::Constant;
use crate::table;
use capture::Capture;
use capture::analysis::CaptureAnalysis;
use capture::http::header_text;
use escapes::escape_body;
use std::borrow::Cow;
use std::str::from_utf8;

table! { per_capture "One row per capture of a robots.txt file, regardless of its status, and per capture of the target of a redirect from one."
row(warc_filename: &str, analysis: &CaptureAnalysis<'_>, optional: OptionalColumns) {
    let Capture { url, url_raw, record, fetch, content, headers, body, .. } = analysis.capture;
    let location = analysis.location;
    let url = url.as_ref();
    let host = url.and_then(|url| url.host.as_ref());
    let body = body.as_deref();
    let summary = analysis.robots.as_ref().map(|robots| robots.summary());
    let vendor_lines = summary.and_then(|summary| summary.vendor_lines);
} {
    robots_id: Long delta, "Key of the capture, and of its rows in all other tables: the index of the archive in the list of inputs × 2^32 + the number of the capture in its archive, from 0. Below 2^53, and in the order of rows. Join across crawls `USING (crawl, robots_id)`." = analysis.robots_id;
    url: PlainText null, "The URL in normal form: punycode host, no default port, no fragment. If the URL cannot be parsed, it is stored as written in the record." = url.map_or_else(|| header_text(url_raw), |url| Cow::from(&*url.url));
    surt_host_name: PlainText null bloom_filter, "The labels of the host in reverse order without a leading `www` unless one label would be left, as in cc-host-index: `com,example`, `com,www`. The numbers of an IPv4 address are reversed as well. An IPv6 address has no brackets." = host.map(|host| &*host.surt_host_name);
    url_host_name: PlainText null bloom_filter, "The host, in punycode." = host.map(|host| &*host.name);
    url_host_tld: Text null, "The top-level domain; null for IP addresses." = host.and_then(|host| host.tld());
    url_host_registry_suffix: Text null, "The public suffix according to the ICANN section of the Public Suffix List; null if the list has no suffix for the host." = host.and_then(|host| host.registry_suffix());
    url_host_registered_domain: PlainText null bloom_filter, "The registered domain: the domain directly below the public suffix." = host.and_then(|host| host.registered_domain());
    url_host_private_suffix: Text null, "The public suffix according to the whole list, including its private section, such as `github.io`; null if the list has no suffix for the host." = host.and_then(|host| host.private_suffix());
    url_surt_path: Text null, "The path and the query in `url_surtkey`: escapes are decoded, repeated slashes are joined, letters are lower-cased and parameters are sorted. Null if the URL cannot be parsed." = url.map(|url| &*url.surt_path);
    fetch_time: Time null delta, "The time of the fetch (UTC); null if the date of the record is missing or implausible." = fetch.time;
    fetch_status: Short null, "The HTTP status; null if it cannot be read, for resource records, and if the fetch failed or the record ends before it (`content_truncated` is then not null)." = fetch.status;
    fetch_redirect: PlainText null, "The absolute target of a redirect, in the normal form of `url`." = fetch.redirect.as_deref();
    content_digest: PlainText null bloom_filter, "SHA-1 of the payload in base32, as in cc-index; computed if the record does not state it." = content.digest.as_deref();
    content_mime_type: Text null, "The media type stated by the server, lower-cased, without parameters." = content.mime_type.as_deref();
    content_mime_detected: Text null, "The media type that the crawler detected." = content.mime_detected.as_deref();
    content_truncated: Text null, "The reason why the payload is incomplete: `length`, `time`, `disconnect`, `unspecified`; also `length` if its coding is incomplete or a limit of robots-scan cut it, and `unspecified` if other bytes are known to be missing. Anomalies state how: `payload_truncated`, `record_cut`, `status_line_cut`, `header_section_cut`, `partial_content`, `coding_cut`, `short_body`, `fetch_failed`. Only whole lines count then." = content.truncated.as_deref();
    warc_filename: Text, "The archive: the line of `--paths`, or the name in a list of records, as written; otherwise its path from `crawl-data/` on; otherwise its base name. For a row of a table of bodies, `table:` and the name of the table." = warc_filename;
    warc_record_offset: Long delta, "Offset of the record's gzip member, zstd frame or plain bytes in the archive; for a table of bodies, the number of the row, from 0." = location.offset;
    warc_record_length: Long null plain, "The length of that member, frame or record in bytes; null if several records share it, and for tables of bodies." = location.length;
    warc_record_in_member: Int, "The index of the record among those that share the offset, from 0." = location.index_in_member;
    warc_record_id: PlainText null, "`WARC-Record-ID`, without angle brackets; only with `--with-record-ids`. cc-index has the 16 bytes of its UUID since CC-MAIN-2026-30: `unhex(replace(right(warc_record_id, 36), '-', ''))` in DuckDB and Spark." = record.id.as_deref().filter(|_| optional.warc_record_id);
    warc_ip_address: PlainText null, "The IP address of the server." = record.ip_address.as_deref();
    http_server: Text null, "The header `Server`." = headers.server.as_deref();
    http_last_modified: Text null, "The header `Last-Modified`, as written." = headers.last_modified.as_deref();
    http_content_usage: Text null, "The header `Content-Usage` (IETF AI preferences), as written." = headers.content_usage.as_deref();
    http_tdm_reservation: Text null, "The header `TDM-Reservation` (W3C TDMRep), as written." = headers.tdm_reservation.as_deref();
    waf_hint: Text null, "The web application firewall or CDN that the headers indicate. Null if no header indicates a known firewall or CDN; the site may still use one." = headers.waf_hint.map(Constant);
    is_revisit: Bool, "True if the record is a revisit: the same content, according to `content_digest`, is stored in another record. The content columns are null." = record.is_revisit;
    is_robots_path: Bool, "True if the path is exactly `/robots.txt` and the URL has no query, so false for `/robots.txt?x`. Other captures are present only as redirect targets." = analysis.capture.is_robots_path;
    content_class: Text null, "The kind of body: `rules`, `no_rules`, `comments_only`, `empty`, `html`, `binary`; null unless the status is 2xx, for revisits, and if nothing is known of the file, because bytes are missing and no whole line is a rule of a group." = summary.map(|it| Constant(it.content.name()));
    body_bytes: Long null plain, "The size of the decoded body in bytes; null for revisits, and if nothing is stored of a truncated payload." = body.map(|body| body.len() as u64);
    n_lines: Int null, "The number of lines of the body, including a last empty one. This column and those below up to `vendor_last_line`, except for `n_anomalies`, describe the whole body, and are null unless it was parsed as a robots.txt file." = summary.map(|it| it.n_lines);
    n_groups: Int null, "The number of groups in Google's dialect." = summary.map(|it| it.n_groups);
    n_user_agents: Int null, "User-agent lines." = summary.map(|it| it.n_user_agents);
    n_allow: Int null, "Allow lines." = summary.map(|it| it.n_allow);
    n_disallow: Int null, "Disallow lines." = summary.map(|it| it.n_disallow);
    n_sitemaps: Int null, "Sitemap lines." = summary.map(|it| it.n_sitemaps);
    n_comment_lines: Int null, "Lines that contain only a comment." = summary.map(|it| it.n_comment_lines);
    n_blank_lines: Int null, "Lines that are empty or have only blanks." = summary.map(|it| it.n_blank_lines);
    n_directives: Int null, "Lines with any other key. Those of HTML pages and binary files are counted here, but have no rows in `directives`." = summary.map(|it| it.n_directives);
    n_anomalies: Int, "The number of rows in `anomalies`, also for captures that were not parsed as a robots.txt file." = analysis.anomaly_count() as u32;
    max_line_bytes: Int null, "The length of the longest line in bytes." = summary.map(|it| it.max_line_bytes);
    has_bom: Bool null, "True if the body begins with a UTF-8 byte order mark." = summary.map(|it| it.has_bom);
    line_endings: Text null, "The line endings: `lf`, `crlf`, `cr`, `mixed`; `none` for a single line." = summary.map(|it| Constant(it.line_endings.name()));
    is_valid_utf8: Bool null, "True if the body is valid UTF-8. If it is not, all texts taken from it have `\\` written as `\\\\` and each invalid byte as `\\xHH`." = summary.map(|it| it.is_valid_utf8);
    ruleset_id: Long null, "A fingerprint of the meaning of the file, below 2^53: equal for files that give every name the same rules, regardless of order. Null unless the body was parsed as a robots.txt file." = analysis.ruleset_id;
    template: Text null, "The software or service that generated the file, recognized by its comments and rules, never by the host: `cloudflare_managed`, `yoast`, `wordpress`, `shopify`, `wix`, `squarespace`, `drupal`, `joomla`, `magento`, `prestashop`, `blogger`, `typo3`, `weebly`, `parked_domain`, `soft112`, `wikimedia`, `zendesk`, `stackexchange`, `substack`, `tumblr`, `medium`, `civicplus`, `govoffice`, `hubspot`, `salesforce`, `intercom`, `discourse`, `teamtailor`, `ghost`, `mastodon`, `contao`, `dotnetnuke`, `sharepoint`, `dedecms`, `libguides`, `freshdesk`, `gitbook`, `readme`, `successfactors`, `phenom`, `unbounce`, `yourmembership`, `bigcommerce`, `gitlab`, `flywheel`, `hestiacp`, `vestacp`, `seomatic`, `umbraco`, `invision_community`, `dspace`, `bitly`. Null means not recognized, not that the file was written by hand: the version of robots-scan (`runs.version`) determines which are known, so compare shares only between datasets of one version. A `ruleset_id` that many registered domains share indicates a common source, too. Also null unless the body was parsed as a robots.txt file." = summary.and_then(|it| it.template).map(|template| Constant(template.name()));
    vendor_first_line: Int null, "The first of the lines that the vendor of `template` wrote, if their extent is known: a block between the comments of Cloudflare, or the whole file if it has exactly the rules of the template. Null if the extent is not known, also for several such blocks or one without an end: the site may have written any line." = vendor_lines.map(|lines| lines.first);
    vendor_last_line: Int null, "The last of these lines." = vendor_lines.map(|lines| lines.last);
    body: PlainText null, "The decoded body; only with `--with-bodies`." = body.filter(|_| optional.body).map(|body| escape_body(body, from_utf8(body).is_ok()));
    is_doubtful: Bool null, "True if the capture may have been altered: its gzip member or zstd frame cannot be decoded to its end or has a wrong checksum, or a digest of its record was compared and differs. `faults` has a row for each cause. False if no check failed, which is no proof: plain archives and zstd frames without checksums are protected only by digests. Null if the checksum was not reached before the row was written: several records in one member that is longer than what is kept of standard input or a pipe; such a capture is doubtful if `faults` has a row of its `warc_record_offset` with `bytes_skipped` > 0." = record.is_doubtful;
} derived {
    url_surtkey: PlainText null, "The URL in the sort-friendly form (SURT) of cc-index, such as `com,example)/robots.txt` or `4,3,2,1)/robots.txt`. Session ids are not removed, unlike in cc-index. Null if the URL cannot be parsed." => SURT_KEY;
    url_host_private_domain: PlainText null, "The domain directly below `url_host_private_suffix`." => PRIVATE_DOMAIN;
    url_host_name_reversed: PlainText null, "The labels of the host in reverse order, separated by dots; null for IP addresses." => NAME_REVERSED;
    url_protocol: Text null, "The scheme: `http` or `https`." => Same("CASE WHEN url_surt_path IS NOT NULL THEN split_part(url, ':', 1) END");
    url_port: Int null, "The port, if it is not the default port of the scheme." => PORT;
    url_path: Text null, "The path." => PATH;
    url_query: Text null, "The query, without the question mark; null if the URL has no query." => QUERY;
    outcome: Text, "The result of the fetch in the terms of RFC 9309 §2.3.1: `successful`, `redirect`, `unavailable`, `unreachable`; and `failed` if there was no response, or one that ends before its status." => OUTCOME;
    fetch_class: Text, "The result of the fetch in the classes of Common Crawl's statistics: `success`, `notfound`, `unauthorized`, `forbidden`, `defer_visits`, `redirect`, `other`." => FETCH_CLASS;
    effect_google: Text, "The action that Google takes after this status: `parse`, `allow_all`, `disallow_all`, `follow`, `defer`." => EFFECT_GOOGLE;
    effect_rfc9309: Text, "The same according to RFC 9309 §2.3.1." => EFFECT_RFC9309;
    effect_koster1996: Text, "The same according to Koster's draft of 1996, §3.1." => EFFECT_KOSTER1996;
    n_rules: Int null, "Allow and disallow lines." => Same("n_allow + n_disallow");
    over_500kib: Bool null, "True if the body has more than 512,000 bytes." => Same("CASE WHEN n_lines IS NOT NULL THEN body_bytes > 512000 END");
}}

/// An SQL expression for the port in `url`; null if the URL states none. The pattern allows for the
/// colons of an IPv6 address in brackets. In Spark, backslashes in a literal are doubled.
macro_rules! port {
    (duckdb) => {
        r"nullif(regexp_extract(url, '^[a-z][a-z0-9+.-]*://([^/?]*@)?(\[[0-9a-f:.]+\]|[^/:?\[]*):([0-9]+)', 3), '')"
    };
    (spark) => {
        r"nullif(regexp_extract(url, '^[a-z][a-z0-9+.-]*://([^/?]*@)?(\\[[0-9a-f:.]+\\]|[^/:?\\[]*):([0-9]+)', 3), '')"
    };
}

// Expressions of views. `url_surt_path` is null if the URL could not be parsed; the other columns
// of the URL are then null, too.

/// In the key, the host has neither a user nor a first label of `www` and digits, and its labels are in reverse order.
const SURT_KEY: Expression = PerDialect {
    duckdb: concat!(
        "CASE WHEN url_surt_path IS NOT NULL THEN concat(\
         CASE WHEN url_host_tld IS NULL THEN surt_host_name \
         ELSE array_to_string(list_reverse(string_split(\
         regexp_replace(trim(url_host_name, '.'), '^www[0-9]*[.]', ''), '.')), ',') END, \
         coalesce(':' || ",
        port!(duckdb),
        ", ''), ')', url_surt_path) END"
    ),
    spark: concat!(
        "CASE WHEN url_surt_path IS NOT NULL THEN concat(\
         CASE WHEN url_host_tld IS NULL THEN coalesce(surt_host_name, '') \
         ELSE array_join(reverse(split(\
         regexp_replace(trim(BOTH '.' FROM url_host_name), '^www[0-9]*[.]', ''), '[.]')), ',') END, \
         coalesce(':' || ",
        port!(spark),
        ", ''), ')', url_surt_path) END"
    ),
};

/// The private suffix with one more label; null if the host is the suffix itself.
const PRIVATE_DOMAIN: Expression = Same(
    "nullif(regexp_extract(substr(url_host_name, 1, \
     greatest(length(url_host_name) - length(url_host_private_suffix) - 1, 0)), '[^.]+$', 0), '') \
     || '.' || url_host_private_suffix",
);

const NAME_REVERSED: Expression = PerDialect {
    duckdb: "CASE WHEN url_host_tld IS NOT NULL \
             THEN array_to_string(list_reverse(string_split(url_host_name, '.')), '.') END",
    spark: "CASE WHEN url_host_tld IS NOT NULL \
            THEN array_join(reverse(split(url_host_name, '[.]')), '.') END",
};

const PORT: Expression = PerDialect {
    duckdb: concat!(
        "CASE WHEN url_surt_path IS NOT NULL THEN ",
        port!(duckdb),
        " END"
    ),
    spark: concat!(
        "CASE WHEN url_surt_path IS NOT NULL THEN ",
        port!(spark),
        " END"
    ),
};

/// In a URL without a host, a path that begins with two slashes is written after `/.`, which is
/// removed.
const PATH: Expression = Same(
    "CASE WHEN url_surt_path IS NOT NULL THEN regexp_replace(regexp_extract(url, \
     '^[a-z][a-z0-9+.-]*:(//[^/?]*)?([^?]*)', 2), '^/[.]//', '//') END",
);

const QUERY: Expression = Same(
    "CASE WHEN url_surt_path IS NOT NULL AND instr(url, '?') > 0 \
     THEN substr(url, instr(url, '?') + 1) END",
);

/// An SQL expression for the status; 200 for a resource record, which has no HTTP response but a
/// body that is parsed.
macro_rules! status {
    () => {
        "coalesce(fetch_status, CASE WHEN content_class IS NOT NULL THEN 200 END)"
    };
}

/// An SQL expression for the effect of a redirect, which is followed if it has a target.
macro_rules! redirect_effect {
    () => {
        "CASE WHEN fetch_redirect IS NOT NULL AND fetch_status <> 304 THEN 'follow' ELSE 'defer' END"
    };
}

/// An SQL expression for the effect if no status is known: none if the response is cut before it.
macro_rules! no_status_effect {
    () => {
        "WHEN fetch_status IS NULL AND content_truncated IS NOT NULL THEN 'defer' ELSE 'disallow_all' END"
    };
}

/// An SQL expression for the outcome. `$unknown` is the condition of a capture without a status of which nothing is known.
macro_rules! outcome {
    ($unknown:literal) => {
        concat!(
            "CASE WHEN ",
            status!(),
            " BETWEEN 200 AND 299 THEN 'successful' \
             WHEN fetch_status BETWEEN 300 AND 399 THEN 'redirect' \
             WHEN fetch_status BETWEEN 400 AND 499 THEN 'unavailable' \
             WHEN fetch_status IS NULL AND ",
            $unknown,
            " THEN 'failed' ELSE 'unreachable' END"
        )
    };
}

const OUTCOME: Expression = Same(outcome!("content_truncated IS NOT NULL"));

/// The outcome of a host, whose table does not have the reason why a response is not whole.
pub(super) const OUTCOME_OF_HOST: Expression =
    Same(outcome!("wildcard_verdict = 'unknown' AND NOT is_revisit"));

pub(super) const FETCH_CLASS: Expression = Same(concat!(
    "CASE WHEN ",
    status!(),
    " = 200 THEN 'success' \
     WHEN fetch_status BETWEEN 300 AND 399 THEN 'redirect' \
     WHEN fetch_status IN (400, 404, 410) THEN 'notfound' \
     WHEN fetch_status = 401 THEN 'unauthorized' \
     WHEN fetch_status = 403 THEN 'forbidden' \
     WHEN fetch_status = 429 OR fetch_status BETWEEN 500 AND 599 THEN 'defer_visits' \
     ELSE 'other' END",
));

const EFFECT_GOOGLE: Expression = Same(concat!(
    "CASE WHEN ",
    status!(),
    " BETWEEN 200 AND 299 THEN 'parse' \
     WHEN fetch_status BETWEEN 300 AND 399 THEN ",
    redirect_effect!(),
    " \
     WHEN fetch_status BETWEEN 400 AND 499 AND fetch_status <> 429 THEN 'allow_all' ",
    no_status_effect!(),
));

const EFFECT_RFC9309: Expression = Same(concat!(
    "CASE WHEN ",
    status!(),
    " BETWEEN 200 AND 299 THEN 'parse' \
     WHEN fetch_status BETWEEN 300 AND 399 THEN ",
    redirect_effect!(),
    " \
     WHEN fetch_status BETWEEN 400 AND 499 THEN 'allow_all' ",
    no_status_effect!(),
));

const EFFECT_KOSTER1996: Expression = Same(concat!(
    "CASE WHEN ",
    status!(),
    " BETWEEN 200 AND 299 THEN 'parse' \
     WHEN fetch_status BETWEEN 300 AND 399 THEN ",
    redirect_effect!(),
    " \
     WHEN fetch_status IN (401, 403) THEN 'disallow_all' \
     WHEN fetch_status = 404 THEN 'allow_all' ELSE 'defer' END",
));

impl Builder {
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        self.push_row(
            capture.warc_filename,
            capture.analysis,
            capture.optional_columns,
        );
    }
}
