//! The table `robots_files`.

use super::{column::table, int};
use crate::analysis::CaptureAnalysis;
use crate::escaped_text::escape_body;
use robots::BODY_LIMIT_BYTES;
use std::str::from_utf8;

table! { "One row per capture of a robots.txt, whatever its status, and per capture of a target of a redirect from one." {
    robots_id: Long, "Key of the capture within its crawl, and of its rows in all other tables: XXH3-64 (signed) of `warc_filename`, a NUL, `warc_record_offset` (8 bytes) and `warc_record_in_member` (4 bytes), both little-endian. Across crawls join `USING (crawl, robots_id)`.";
    url_surtkey: PlainText null, "The URL in the sort-friendly form of cc-index, such as `com,example)/robots.txt` or `4,3,2,1)/robots.txt`. Unlike there, session ids are not removed.";
    url: PlainText null, "The URL in normal form: punycode host, no default port, no fragment. As the record has it where it cannot be parsed.";
    surt_host_name: PlainText null bloom_filter, "The host's labels in reverse order without a leading `www`, as in cc-host-index: `com,example`. The numbers of an IPv4 address are reversed too; an IPv6 address has no brackets.";
    url_host_name: PlainText null bloom_filter, "The host, in punycode.";
    url_host_tld: Text null, "The top-level domain; null for addresses.";
    url_host_registry_suffix: Text null, "The public suffix by the ICANN part of the Public Suffix List; null if it has none.";
    url_host_registered_domain: PlainText null bloom_filter, "The domain below that suffix.";
    url_host_private_domain: PlainText null, "The domain below the public suffix by the whole list, private part included.";
    url_host_name_reversed: PlainText null, "The host's labels in reverse order, with dots; null for addresses.";
    url_protocol: Text null, "The scheme: `http` or `https`.";
    url_port: Int null, "The port, if it is not the scheme's own.";
    url_path: Text null, "The path.";
    url_query: Text null, "The query, without the question mark; null if there is none.";
    fetch_time: Time null, "When it was fetched (UTC); null where the record's date is missing or absurd.";
    fetch_status: Short null, "The HTTP status; null where none can be read, and for resource records.";
    fetch_redirect: PlainText null, "The absolute target of a redirect, in the normal form of `url`.";
    content_digest: PlainText null bloom_filter, "SHA-1 of the payload in base32, as cc-index has it; computed where the record does not say.";
    content_mime_type: Text null, "The media type that the server named, lower-cased, without parameters.";
    content_mime_detected: Text null, "The media type that the crawler detected.";
    content_truncated: Text null, "Why the payload is not whole: `length`, `time`, `disconnect`, `unspecified`; `length` too where our own limit cut it.";
    warc_filename: Text, "The archive: the line of `--paths` as written, else its path from `crawl-data/` on, else its base name.";
    warc_record_offset: Long, "Offset of the record's gzip member, zstd frame or plain bytes in the archive.";
    warc_record_length: Long null, "Their length; null where several records share them.";
    warc_record_in_member: Int, "The record's place among those that share the offset, from 0.";
    warc_record_id: PlainText null, "`WARC-Record-ID`, without angle brackets.";
    warc_ip_address: Text null, "The server's address.";
    http_server: Text null, "The header `Server`.";
    http_last_modified: Text null, "The header `Last-Modified`, as written.";
    http_content_usage: Text null, "The header `Content-Usage` (IETF AI preferences), as written.";
    http_tdm_reservation: Text null, "The header `TDM-Reservation` (W3C TDMRep), as written.";
    waf_hint: Text null, "The shield (web application firewall, CDN) that headers hint at.";
    is_revisit: Bool, "Whether the record is a revisit: the same content, by `content_digest`, was stored elsewhere. Its content columns are null.";
    is_robots_path: Bool, "True if the path is exactly `/robots.txt` and the URL has no query (so false for `/robots.txt?x`). Other captures are present only as targets of redirects.";
    outcome: Text, "The fetch in the words of RFC 9309 §2.3.1: `successful`, `redirect`, `unavailable`, `unreachable`.";
    fetch_class: Text, "The fetch in the classes of Common Crawl's statistics: `success`, `notfound`, `unauthorized`, `forbidden`, `defer_visits`, `redirect`, `other`.";
    content_class: Text null, "What the body is: `rules`, `no_rules`, `comments_only`, `empty`, `html`, `binary`; null unless the status is 2xx, and for revisits.";
    effect_google: Text, "What Google does after this status: `parse`, `allow_all`, `disallow_all`, `follow`, `defer`.";
    effect_rfc9309: Text, "The same by RFC 9309 §2.3.1.";
    effect_koster1996: Text, "The same by Koster's draft of 1996, §3.1.";
    body_bytes: Long null, "Bytes of the decoded body; null for revisits.";
    n_lines: Int null, "Lines of the body, a last empty one included. This and all that follow speak of the whole body, and are null unless it was read as a robots.txt.";
    n_groups: Int null, "Groups, by Google's reading.";
    n_user_agents: Int null, "User-agent lines.";
    n_rules: Int null, "Allow and disallow lines.";
    n_allow: Int null, "Allow lines.";
    n_disallow: Int null, "Disallow lines.";
    n_sitemaps: Int null, "Sitemap lines.";
    n_comment_lines: Int null, "Lines with nothing but a comment.";
    n_blank_lines: Int null, "Lines with nothing at all.";
    n_directives: Int null, "Lines with any other key.";
    n_anomalies: Int, "Rows of `anomalies`, also for captures that were not read as a robots.txt.";
    max_line_bytes: Int null, "The longest line, in bytes.";
    has_bom: Bool null, "Whether a byte order mark of UTF-8 begins the body.";
    line_endings: Text null, "How lines end: `lf`, `crlf`, `cr`, `mixed`; `none` for a single line.";
    over_500kib: Bool null, "Whether the body has more than 512,000 bytes.";
    is_valid_utf8: Bool null, "Whether the body is UTF-8. If not, `\\` is written `\\\\` and each stray byte `\\xHH` in all texts taken from it.";
    ruleset_id: Long null, "Fingerprint of the file's meaning: equal for files that give every name the same rules, whatever their order. Null unless read as a robots.txt.";
    template: Text null, "The software or service that wrote the file, where its mark shows (detection version 1): `cloudflare_managed`, `wordpress`, `yoast`, `shopify`, `wix`, `squarespace`, and others.";
    body: PlainText null, "The decoded body; only with `--with-bodies`.";
    is_doubtful: Bool null, "True if the capture may be other than it was written: its gzip member or zstd frame cannot be decoded to its end or has a wrong checksum, or a digest of its record was compared and differs; `faults` has a row for each cause. False if no check failed, which is no proof: nothing but a digest guards plain archives and zstd frames without checksums. Null if the checksum was not reached before the row was written: several records in one member that is longer than what is kept of standard input or a pipe; such a capture is doubtful if `faults` has a row of its `warc_record_offset` with `bytes_skipped` > 0.";
}}

impl Builder {
    /// Adds the row of a capture.
    pub(crate) fn push(
        &mut self,
        warc_filename: &str,
        facts: &CaptureAnalysis<'_>,
        with_bodies: bool,
    ) {
        let capture = facts.capture;
        let url = capture.url.as_ref();
        let host = url.and_then(|url| url.host.as_ref());
        self.robots_id.append_value(facts.robots_id);
        self.url_surtkey.append_option(url.map(|url| &url.surtkey));
        match url {
            Some(url) => self.url.append_value(&url.url),
            None => self
                .url
                .append_value(crate::escaped_text::header_text(capture.url_raw)),
        }
        self.surt_host_name.append_option(facts.surt_host_name());
        self.url_host_name
            .append_option(host.map(|host| &host.name));
        self.url_host_tld.append_option(
            host.and_then(|host| host.tld.as_ref())
                .map(|it| self.texts.intern(it)),
        );
        self.url_host_registry_suffix.append_option(
            host.and_then(|host| host.registry_suffix.as_ref())
                .map(|it| self.texts.intern(it)),
        );
        self.url_host_registered_domain
            .append_option(host.and_then(|host| host.registered_domain.as_ref()));
        self.url_host_private_domain
            .append_option(host.and_then(|host| host.private_domain.as_ref()));
        self.url_host_name_reversed
            .append_option(host.and_then(|host| host.reversed.as_ref()));
        self.url_protocol
            .append_option(url.map(|url| &url.protocol).map(|it| self.texts.intern(it)));
        self.url_port
            .append_option(url.and_then(|url| url.port).map(i32::from));
        self.url_path
            .append_option(url.map(|url| &url.path).map(|it| self.texts.intern(it)));
        self.url_query.append_option(
            url.and_then(|url| url.query.as_ref())
                .map(|it| self.texts.intern(it)),
        );
        self.fetch_time.append_option(capture.fetch.time);
        self.fetch_status
            .append_option(capture.fetch.status.map(i32::from));
        self.fetch_redirect
            .append_option(capture.fetch.redirect.as_ref());
        self.content_digest
            .append_option(capture.content.digest.as_ref());
        self.content_mime_type.append_option(
            capture
                .content
                .mime_type
                .as_ref()
                .map(|it| self.texts.intern(it)),
        );
        self.content_mime_detected.append_option(
            capture
                .content
                .mime_detected
                .as_ref()
                .map(|it| self.texts.intern(it)),
        );
        self.content_truncated.append_option(
            capture
                .content
                .truncated
                .as_ref()
                .map(|it| self.texts.intern(it)),
        );
        self.warc_filename
            .append_value(self.texts.intern(warc_filename));
        self.warc_record_offset
            .append_value(facts.location.offset as i64);
        self.warc_record_length
            .append_option(facts.location.length.map(|length| length as i64));
        self.warc_record_in_member
            .append_value(int(facts.location.index_in_member));
        self.warc_record_id
            .append_option(capture.record.id.as_ref());
        self.warc_ip_address.append_option(
            capture
                .record
                .ip_address
                .as_ref()
                .map(|it| self.texts.intern(it)),
        );
        self.http_server.append_option(
            capture
                .headers
                .server
                .as_ref()
                .map(|it| self.texts.intern(it)),
        );
        self.http_last_modified.append_option(
            capture
                .headers
                .last_modified
                .as_ref()
                .map(|it| self.texts.intern(it)),
        );
        self.http_content_usage.append_option(
            capture
                .headers
                .content_usage
                .as_ref()
                .map(|it| self.texts.intern(it)),
        );
        self.http_tdm_reservation.append_option(
            capture
                .headers
                .tdm_reservation
                .as_ref()
                .map(|it| self.texts.intern(it)),
        );
        self.waf_hint.append_option(
            capture
                .headers
                .waf_hint
                .map(|it| self.texts.intern_static(it)),
        );
        self.is_revisit.append_value(capture.record.is_revisit);
        self.is_robots_path.append_value(capture.is_robots_path);
        self.outcome.append_value(
            self.texts
                .intern_static(capture.fetch.http_status.outcome().name()),
        );
        self.fetch_class.append_value(
            self.texts
                .intern_static(capture.fetch.http_status.fetch_class().name()),
        );
        let figures = facts.robots.as_ref().map(|robots| robots.summary());
        self.content_class.append_option(
            figures
                .map(|it| it.content.name())
                .map(|it| self.texts.intern_static(it)),
        );
        self.effect_google.append_value(
            self.texts
                .intern_static(capture.fetch.http_status.effect_google().name()),
        );
        self.effect_rfc9309.append_value(
            self.texts
                .intern_static(capture.fetch.http_status.effect_rfc9309().name()),
        );
        self.effect_koster1996.append_value(
            self.texts
                .intern_static(capture.fetch.http_status.effect_koster1996().name()),
        );
        let body = capture.body.as_deref();
        self.body_bytes
            .append_option(body.map(|body| body.len() as i64));
        self.n_lines
            .append_option(figures.map(|it| int(it.n_lines)));
        self.n_groups
            .append_option(figures.map(|it| int(it.n_groups)));
        self.n_user_agents
            .append_option(figures.map(|it| int(it.n_user_agents)));
        self.n_rules
            .append_option(figures.map(|it| int(it.n_allow + it.n_disallow)));
        self.n_allow
            .append_option(figures.map(|it| int(it.n_allow)));
        self.n_disallow
            .append_option(figures.map(|it| int(it.n_disallow)));
        self.n_sitemaps
            .append_option(figures.map(|it| int(it.n_sitemaps)));
        self.n_comment_lines
            .append_option(figures.map(|it| int(it.n_comment_lines)));
        self.n_blank_lines
            .append_option(figures.map(|it| int(it.n_blank_lines)));
        self.n_directives
            .append_option(figures.map(|it| int(it.n_directives)));
        self.n_anomalies
            .append_value(int(facts.anomaly_count() as u32));
        self.max_line_bytes
            .append_option(figures.map(|it| int(it.max_line_bytes)));
        self.has_bom.append_option(figures.map(|it| it.has_bom));
        self.line_endings.append_option(
            figures
                .map(|it| it.line_endings.name())
                .map(|it| self.texts.intern_static(it)),
        );
        self.over_500kib.append_option(
            figures
                .and(body)
                .map(|body| body.len() as u64 > BODY_LIMIT_BYTES),
        );
        self.is_valid_utf8
            .append_option(figures.map(|it| it.is_valid_utf8));
        self.ruleset_id.append_option(facts.ruleset_id);
        self.template.append_option(
            figures
                .and_then(|it| it.template)
                .map(|template| template.name())
                .map(|it| self.texts.intern_static(it)),
        );
        let kept = body.filter(|_| with_bodies);
        self.body
            .append_option(kept.map(|body| escape_body(body, from_utf8(body).is_ok())));
        self.is_doubtful.append_option(capture.record.is_doubtful);
        self.end_rows(1);
    }
}
