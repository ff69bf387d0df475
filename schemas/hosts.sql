-- One row per crawl and host with a capture of a robots.txt: the authoritative capture of the host, and the rules that apply to it. Sorted by `surt_host_name`.
CREATE TABLE hosts (
  host_id BIGINT NOT NULL, -- Key of the row, only to join `host_verdicts` of the same dataset: the place of the crawl in the order of the times of their first captures × 2^32 + the number of the host in the crawl, both from 0. Other datasets number hosts differently.
  surt_host_name VARCHAR NOT NULL, -- The host in reverse order, without a leading `www` as in `robots_files`. Unique in a crawl.
  url_host_name VARCHAR NOT NULL, -- The host of the authoritative capture, in punycode.
  url_host_registered_domain VARCHAR, -- Its registered domain, as in `robots_files`.
  domain_id BIGINT, -- A number of `domain`, by which hosts are grouped faster than by text: the smallest `host_id` of the hosts of the domain in this crawl. Null only if the crawl has no other host of the domain.
  url_host_tld VARCHAR, -- Its top-level domain, as in `robots_files`.
  url_protocol VARCHAR, -- The scheme of the authoritative capture: `http` or `https`.
  url_port INTEGER, -- The port of the authoritative capture, if it is not the default port of the scheme.
  fetch_time TIMESTAMP, -- The time at which the authoritative capture was fetched (UTC).
  authoritative_robots_id BIGINT NOT NULL, -- The authoritative capture: of the captures of `/robots.txt` on this host in this crawl, the one that decides most (content; then a status that allows all; then 401 or 403; then one that asks to come back; a redirect counts as the end of its chain), then https, then the default port, then the latest, then the smallest `robots_id`.
  rules_robots_id BIGINT NOT NULL, -- The capture whose rules and status apply: the authoritative one, the end of its redirects, or the capture with the content of a revisit. Join other tables by it: `ON x.crawl = h.crawl AND x.robots_id = h.rules_robots_id`.
  n_redirects INTEGER NOT NULL, -- The number of redirects from the authoritative capture that were followed to another capture.
  redirect_end VARCHAR, -- How the redirects ended: `resolved`, `not_captured` (the next URL was not captured in this crawl), `loop`, `too_many` (more than five). Null if the authoritative capture is not a redirect that can be followed.
  fetch_status SMALLINT, -- The HTTP status of the capture whose rules apply. This column and the following ones describe that capture.
  is_revisit BOOLEAN NOT NULL, -- True if that capture is a revisit and no capture of this crawl has its content.
  content_class VARCHAR, -- The kind of body, as in `robots_files`.
  ruleset_id BIGINT, -- The fingerprint of its rules, as in `robots_files`.
  template VARCHAR, -- The software that generated the file, as in `robots_files`.
  vendor_first_line INTEGER, -- The first of the lines that the vendor of `template` wrote, as in `robots_files`.
  vendor_last_line INTEGER, -- The last of these lines.
  wildcard_verdict VARCHAR NOT NULL, -- The verdict for `*`: for all crawlers that the file does not name. This column and the following ones are as in `verdicts`.
  wildcard_verdict_google VARCHAR NOT NULL, -- The verdict for `*` according to Google's parser.
  wildcard_verdict_rfc9309 VARCHAR NOT NULL, -- The verdict for `*` according to RFC 9309.
  wildcard_verdict_koster1996 VARCHAR NOT NULL, -- The verdict for `*` according to Koster's draft of 1996.
  wildcard_basis VARCHAR NOT NULL, -- The basis of `wildcard_verdict`.
  wildcard_root_allowed BOOLEAN NOT NULL, -- True if `/` may be fetched.
  wildcard_n_allow INTEGER NOT NULL, -- The number of allow lines for `*`.
  wildcard_n_disallow INTEGER NOT NULL, -- The number of disallow lines for `*`.
  wildcard_crawl_delay_ms BIGINT, -- The crawl-delay for `*`, in milliseconds.
  wildcard_evidence_line INTEGER, -- The line that proves `wildcard_verdict`.
  n_named INTEGER NOT NULL, -- The number of names that the rules address in any dialect: names in the file, and tokens that Google's parser reads instead of some of them. `host_verdicts` has a row for each of them, unless `has_named_rows` is false.
  has_named_rows BOOLEAN NOT NULL, -- False if `host_verdicts` has no rows for the host because its rules come from another capture and name more than 2,000 crawlers, or fewer if very many hosts share long files. The verdict of every crawler is then unknown.
  n_captures INTEGER NOT NULL, -- The number of captures of `/robots.txt` on this host in this crawl.
  n_changes INTEGER NOT NULL, -- How often the content changed between successive captures of the same URL, by `content_digest`; of several URLs of the host, the largest number.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  -- Computed by the views, and not stored:
  url VARCHAR NOT NULL, -- The URL of the robots.txt of the authoritative capture: `url_protocol`, `url_host_name`, `url_port` and `/robots.txt`. A user and a final dot of the host are only in `robots_files`.
  outcome VARCHAR NOT NULL, -- The result of the fetch, as in `robots_files`.
  fetch_class VARCHAR NOT NULL, -- The class of the fetch, as in `robots_files`.
  domain VARCHAR NOT NULL, -- The registered domain, or `surt_host_name` if the host has none (an IP address, a public suffix): the unit of shares by registered domain.
  archive_no BIGINT NOT NULL -- The number of the archive of the authoritative capture in the list of archives, from 0: the unit that `--sample` draws.
);
