-- One row per capture of a robots.txt file, regardless of its status, and per capture of the target of a redirect from one.
CREATE TABLE robots_files (
  robots_id BIGINT NOT NULL, -- Key of the capture, and of its rows in all other tables: the index of the archive in the list of inputs × 2^32 + the number of the capture in its archive, from 0. Below 2^53, and in the order of rows. Join across crawls `USING (crawl, robots_id)`.
  url VARCHAR, -- The URL in normal form: punycode host, no default port, no fragment. If the URL cannot be parsed, it is stored as written in the record.
  surt_host_name VARCHAR, -- The labels of the host in reverse order without a leading `www` unless one label would be left, as in cc-host-index: `com,example`, `com,www`. The numbers of an IPv4 address are reversed as well. An IPv6 address has no brackets.
  url_host_name VARCHAR, -- The host, in punycode.
  url_host_tld VARCHAR, -- The top-level domain; null for IP addresses.
  url_host_registry_suffix VARCHAR, -- The public suffix according to the ICANN section of the Public Suffix List; null if the list has no suffix for the host.
  url_host_registered_domain VARCHAR, -- The registered domain: the domain directly below the public suffix.
  url_host_private_suffix VARCHAR, -- The public suffix according to the whole list, including its private section, such as `github.io`; null if the list has no suffix for the host.
  url_surt_path VARCHAR, -- The path and the query in `url_surtkey`: escapes are decoded, repeated slashes are joined, letters are lower-cased and parameters are sorted. Null if the URL cannot be parsed.
  fetch_time TIMESTAMP, -- The time of the fetch (UTC); null if the date of the record is missing or implausible.
  fetch_status SMALLINT, -- The HTTP status; null if it cannot be read, for resource records, and if the fetch failed or the record ends before it (`content_truncated` is then not null).
  fetch_redirect VARCHAR, -- The absolute target of a redirect, in the normal form of `url`.
  content_digest VARCHAR, -- SHA-1 of the payload in base32, as in cc-index; computed if the record does not state it.
  content_mime_type VARCHAR, -- The media type stated by the server, lower-cased, without parameters.
  content_mime_detected VARCHAR, -- The media type that the crawler detected.
  content_truncated VARCHAR, -- The reason why the payload is incomplete: `length`, `time`, `disconnect`, `unspecified`; also `length` if its coding is incomplete or a limit of robots-scan cut it, and `unspecified` if other bytes are known to be missing. Anomalies state how: `payload_truncated`, `record_cut`, `status_line_cut`, `header_section_cut`, `partial_content`, `coding_cut`, `short_body`, `fetch_failed`. Only whole lines count then.
  warc_filename VARCHAR NOT NULL, -- The archive: the line of `--paths`, or the name in a list of records, as written; otherwise its path from `crawl-data/` on; otherwise its base name. For a row of a table of bodies, `table:` and the name of the table.
  warc_record_offset BIGINT NOT NULL, -- Offset of the record's gzip member, zstd frame or plain bytes in the archive; for a table of bodies, the number of the row, from 0.
  warc_record_length BIGINT, -- The length of that member, frame or record in bytes; null if several records share it, and for tables of bodies.
  warc_record_in_member INTEGER NOT NULL, -- The index of the record among those that share the offset, from 0.
  warc_record_id VARCHAR, -- `WARC-Record-ID`, without angle brackets; only with `--with-record-ids`. cc-index has the 16 bytes of its UUID since CC-MAIN-2026-30: `unhex(replace(right(warc_record_id, 36), '-', ''))` in DuckDB and Spark.
  warc_ip_address VARCHAR, -- The IP address of the server.
  http_server VARCHAR, -- The header `Server`.
  http_last_modified VARCHAR, -- The header `Last-Modified`, as written.
  http_content_usage VARCHAR, -- The header `Content-Usage` (IETF AI preferences), as written.
  http_tdm_reservation VARCHAR, -- The header `TDM-Reservation` (W3C TDMRep), as written.
  waf_hint VARCHAR, -- The web application firewall or CDN that the headers indicate. Null if no header indicates a known firewall or CDN; the site may still use one.
  is_revisit BOOLEAN NOT NULL, -- True if the record is a revisit: the same content, according to `content_digest`, is stored in another record. The content columns are null.
  is_robots_path BOOLEAN NOT NULL, -- True if the path is exactly `/robots.txt` and the URL has no query, so false for `/robots.txt?x`. Other captures are present only as redirect targets.
  content_class VARCHAR, -- The kind of body: `rules`, `no_rules`, `comments_only`, `empty`, `html`, `binary`; null unless the status is 2xx, for revisits, and if nothing is known of the file, because bytes are missing and no whole line is a rule of a group.
  body_bytes BIGINT, -- The size of the decoded body in bytes; null for revisits, and if nothing is stored of a truncated payload.
  n_lines INTEGER, -- The number of lines of the body, including a last empty one. This column and those below up to `vendor_last_line`, except for `n_anomalies`, describe the whole body, and are null unless it was parsed as a robots.txt file.
  n_groups INTEGER, -- The number of groups in Google's dialect.
  n_user_agents INTEGER, -- User-agent lines.
  n_allow INTEGER, -- Allow lines.
  n_disallow INTEGER, -- Disallow lines.
  n_sitemaps INTEGER, -- Sitemap lines.
  n_comment_lines INTEGER, -- Lines that contain only a comment.
  n_blank_lines INTEGER, -- Lines that are empty or have only blanks.
  n_directives INTEGER, -- Lines with any other key. Those of HTML pages and binary files are counted here, but have no rows in `directives`.
  n_anomalies INTEGER NOT NULL, -- The number of rows in `anomalies`, also for captures that were not parsed as a robots.txt file.
  max_line_bytes INTEGER, -- The length of the longest line in bytes.
  has_bom BOOLEAN, -- True if the body begins with a UTF-8 byte order mark.
  line_endings VARCHAR, -- The line endings: `lf`, `crlf`, `cr`, `mixed`; `none` for a single line.
  is_valid_utf8 BOOLEAN, -- True if the body is valid UTF-8. If it is not, all texts taken from it have `\` written as `\\` and each invalid byte as `\xHH`.
  ruleset_id BIGINT, -- A fingerprint of the meaning of the file, below 2^53: equal for files that give every name the same rules, regardless of order. Null unless the body was parsed as a robots.txt file.
  template VARCHAR, -- The software or service that generated the file, recognized by its comments and rules, never by the host: `cloudflare_managed`, `yoast`, `wordpress`, `shopify`, `wix`, `squarespace`, `drupal`, `joomla`, `magento`, `prestashop`, `blogger`, `typo3`, `weebly`, `parked_domain`, `soft112`, `wikimedia`, `zendesk`, `stackexchange`, `substack`, `tumblr`, `medium`, `civicplus`, `govoffice`, `hubspot`, `salesforce`, `intercom`, `discourse`, `teamtailor`, `ghost`, `mastodon`, `contao`, `dotnetnuke`, `sharepoint`, `dedecms`, `libguides`, `freshdesk`, `gitbook`, `readme`, `successfactors`, `phenom`, `unbounce`, `yourmembership`, `bigcommerce`, `gitlab`, `flywheel`, `hestiacp`, `vestacp`, `seomatic`, `umbraco`, `invision_community`, `dspace`, `bitly`. Null means not recognized, not that the file was written by hand: the version of robots-scan (`runs.version`) determines which are known, so compare shares only between datasets of one version. A `ruleset_id` that many registered domains share indicates a common source, too. Also null unless the body was parsed as a robots.txt file.
  vendor_first_line INTEGER, -- The first of the lines that the vendor of `template` wrote, if their extent is known: a block between the comments of Cloudflare, or the whole file if it has exactly the rules of the template. Null if the extent is not known, also for several such blocks or one without an end: the site may have written any line.
  vendor_last_line INTEGER, -- The last of these lines.
  body VARCHAR, -- The decoded body; only with `--with-bodies`.
  is_doubtful BOOLEAN, -- True if the capture may have been altered: its gzip member or zstd frame cannot be decoded to its end or has a wrong checksum, or a digest of its record was compared and differs. `faults` has a row for each cause. False if no check failed, which is no proof: plain archives and zstd frames without checksums are protected only by digests. Null if the checksum was not reached before the row was written: several records in one member that is longer than what is kept of standard input or a pipe; such a capture is doubtful if `faults` has a row of its `warc_record_offset` with `bytes_skipped` > 0.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL, -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
  -- Computed by the views, and not stored:
  url_surtkey VARCHAR, -- The URL in the sort-friendly form (SURT) of cc-index, such as `com,example)/robots.txt` or `4,3,2,1)/robots.txt`. Session ids are not removed, unlike in cc-index. Null if the URL cannot be parsed.
  url_host_private_domain VARCHAR, -- The domain directly below `url_host_private_suffix`.
  url_host_name_reversed VARCHAR, -- The labels of the host in reverse order, separated by dots; null for IP addresses.
  url_protocol VARCHAR, -- The scheme: `http` or `https`.
  url_port INTEGER, -- The port, if it is not the default port of the scheme.
  url_path VARCHAR, -- The path.
  url_query VARCHAR, -- The query, without the question mark; null if the URL has no query.
  outcome VARCHAR NOT NULL, -- The result of the fetch in the terms of RFC 9309 §2.3.1: `successful`, `redirect`, `unavailable`, `unreachable`; and `failed` if there was no response, or one that ends before its status.
  fetch_class VARCHAR NOT NULL, -- The result of the fetch in the classes of Common Crawl's statistics: `success`, `notfound`, `unauthorized`, `forbidden`, `defer_visits`, `redirect`, `other`.
  effect_google VARCHAR NOT NULL, -- The action that Google takes after this status: `parse`, `allow_all`, `disallow_all`, `follow`, `defer`.
  effect_rfc9309 VARCHAR NOT NULL, -- The same according to RFC 9309 §2.3.1.
  effect_koster1996 VARCHAR NOT NULL, -- The same according to Koster's draft of 1996, §3.1.
  n_rules INTEGER, -- Allow and disallow lines.
  over_500kib BOOLEAN -- True if the body has more than 512,000 bytes.
);
