-- One row per capture of a robots.txt, whatever its status, and per capture of a target of a redirect from one.
CREATE TABLE robots_files (
  robots_id BIGINT NOT NULL, -- Key of the capture within its crawl, and of its rows in all other tables: XXH3-64 (signed) of `warc_filename`, a NUL, `warc_record_offset` (8 bytes) and `warc_record_in_member` (4 bytes), both little-endian. Across crawls join `USING (crawl, robots_id)`.
  url_surtkey VARCHAR, -- The URL in the sort-friendly form of cc-index, such as `com,example)/robots.txt` or `4,3,2,1)/robots.txt`. Unlike there, session ids are not removed.
  url VARCHAR, -- The URL in normal form: punycode host, no default port, no fragment. As the record has it where it cannot be parsed.
  surt_host_name VARCHAR, -- The host's labels in reverse order without a leading `www`, as in cc-host-index: `com,example`. The numbers of an IPv4 address are reversed too; an IPv6 address has no brackets.
  url_host_name VARCHAR, -- The host, in punycode.
  url_host_tld VARCHAR, -- The top-level domain; null for addresses.
  url_host_registry_suffix VARCHAR, -- The public suffix by the ICANN part of the Public Suffix List; null if it has none.
  url_host_registered_domain VARCHAR, -- The domain below that suffix.
  url_host_private_domain VARCHAR, -- The domain below the public suffix by the whole list, private part included.
  url_host_name_reversed VARCHAR, -- The host's labels in reverse order, with dots; null for addresses.
  url_protocol VARCHAR, -- The scheme: `http` or `https`.
  url_port INTEGER, -- The port, if it is not the scheme's own.
  url_path VARCHAR, -- The path.
  url_query VARCHAR, -- The query, without the question mark; null if there is none.
  fetch_time TIMESTAMP, -- When it was fetched (UTC); null where the record's date is missing or absurd.
  fetch_status SMALLINT, -- The HTTP status; null where none can be read, and for resource records.
  fetch_redirect VARCHAR, -- The absolute target of a redirect, in the normal form of `url`.
  content_digest VARCHAR, -- SHA-1 of the payload in base32, as cc-index has it; computed where the record does not say.
  content_mime_type VARCHAR, -- The media type that the server named, lower-cased, without parameters.
  content_mime_detected VARCHAR, -- The media type that the crawler detected.
  content_truncated VARCHAR, -- Why the payload is not whole: `length`, `time`, `disconnect`, `unspecified`; `length` too where our own limit cut it.
  warc_filename VARCHAR NOT NULL, -- The archive: the line of `--paths` as written, else its path from `crawl-data/` on, else its base name.
  warc_record_offset BIGINT NOT NULL, -- Offset of the record's gzip member, zstd frame or plain bytes in the archive.
  warc_record_length BIGINT, -- Their length; null where several records share them.
  warc_record_in_member INTEGER NOT NULL, -- The record's place among those that share the offset, from 0.
  warc_record_id VARCHAR, -- `WARC-Record-ID`, without angle brackets.
  warc_ip_address VARCHAR, -- The server's address.
  http_server VARCHAR, -- The header `Server`.
  http_last_modified VARCHAR, -- The header `Last-Modified`, as written.
  http_content_usage VARCHAR, -- The header `Content-Usage` (IETF AI preferences), as written.
  http_tdm_reservation VARCHAR, -- The header `TDM-Reservation` (W3C TDMRep), as written.
  waf_hint VARCHAR, -- The shield (web application firewall, CDN) that headers hint at.
  is_revisit BOOLEAN NOT NULL, -- Whether the record is a revisit: the same content, by `content_digest`, was stored elsewhere. Its content columns are null.
  is_robots_path BOOLEAN NOT NULL, -- True if the path is exactly `/robots.txt` and the URL has no query (so false for `/robots.txt?x`). Other captures are present only as targets of redirects.
  outcome VARCHAR NOT NULL, -- The fetch in the words of RFC 9309 §2.3.1: `successful`, `redirect`, `unavailable`, `unreachable`.
  fetch_class VARCHAR NOT NULL, -- The fetch in the classes of Common Crawl's statistics: `success`, `notfound`, `unauthorized`, `forbidden`, `defer_visits`, `redirect`, `other`.
  content_class VARCHAR, -- What the body is: `rules`, `no_rules`, `comments_only`, `empty`, `html`, `binary`; null unless the status is 2xx, and for revisits.
  effect_google VARCHAR NOT NULL, -- What Google does after this status: `parse`, `allow_all`, `disallow_all`, `follow`, `defer`.
  effect_rfc9309 VARCHAR NOT NULL, -- The same by RFC 9309 §2.3.1.
  effect_koster1996 VARCHAR NOT NULL, -- The same by Koster's draft of 1996, §3.1.
  body_bytes BIGINT, -- Bytes of the decoded body; null for revisits.
  n_lines INTEGER, -- Lines of the body, a last empty one included. This and all that follow speak of the whole body, and are null unless it was read as a robots.txt.
  n_groups INTEGER, -- Groups, by Google's reading.
  n_user_agents INTEGER, -- User-agent lines.
  n_rules INTEGER, -- Allow and disallow lines.
  n_allow INTEGER, -- Allow lines.
  n_disallow INTEGER, -- Disallow lines.
  n_sitemaps INTEGER, -- Sitemap lines.
  n_comment_lines INTEGER, -- Lines with nothing but a comment.
  n_blank_lines INTEGER, -- Lines with nothing at all.
  n_directives INTEGER, -- Lines with any other key.
  n_anomalies INTEGER NOT NULL, -- Rows of `anomalies`, also for captures that were not read as a robots.txt.
  max_line_bytes INTEGER, -- The longest line, in bytes.
  has_bom BOOLEAN, -- Whether a byte order mark of UTF-8 begins the body.
  line_endings VARCHAR, -- How lines end: `lf`, `crlf`, `cr`, `mixed`; `none` for a single line.
  over_500kib BOOLEAN, -- Whether the body has more than 512,000 bytes.
  is_valid_utf8 BOOLEAN, -- Whether the body is UTF-8. If not, `\` is written `\\` and each stray byte `\xHH` in all texts taken from it.
  ruleset_id BIGINT, -- Fingerprint of the file's meaning: equal for files that give every name the same rules, whatever their order. Null unless read as a robots.txt.
  template VARCHAR, -- The software or service that wrote the file, where its mark shows (detection version 1): `cloudflare_managed`, `wordpress`, `yoast`, `shopify`, `wix`, `squarespace`, and others.
  body VARCHAR, -- The decoded body; only with `--with-bodies`.
  is_doubtful BOOLEAN, -- True if the capture may be other than it was written: its gzip member or zstd frame cannot be decoded to its end or has a wrong checksum, or a digest of its record was compared and differs; `faults` has a row for each cause. False if no check failed, which is no proof: nothing but a digest guards plain archives and zstd frames without checksums. Null if the checksum was not reached before the row was written: several records in one member that is longer than what is kept of standard input or a pipe; such a capture is doubtful if `faults` has a row of its `warc_record_offset` with `bytes_skipped` > 0.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
