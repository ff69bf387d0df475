-- One row per period of a host: consecutive captures with the same state. A crawl that did not capture the host neither ends nor extends a period. The captures are in the order of their times; one without a time has the place of the median time of its crawl. Sorted by `surt_host_name`, then by `period_no`.
CREATE TABLE host_periods (
  host_no BIGINT NOT NULL, -- The number of the host: the position of the first crawl with a capture of it times 2^32, plus its number among the hosts that this crawl captured first, from 0. It does not change when later crawls are added.
  period_no INTEGER NOT NULL, -- Key of the period, together with `host_no`: its number among those of the host in the order of time, from 0.
  surt_host_name VARCHAR NOT NULL, -- The host, as in `hosts`.
  first_crawl VARCHAR NOT NULL, -- The crawl of the first capture.
  last_crawl VARCHAR NOT NULL, -- The crawl of the last capture.
  first_fetch TIMESTAMP, -- The time of the first capture (UTC).
  last_fetch TIMESTAMP, -- In files null where `n_captures` is 1. The time of the last capture (UTC).
  n_captures INTEGER NOT NULL, -- The number of captures, which is that of the crawls.
  domain_id BIGINT NOT NULL, -- A number of `domain` of the host, as in `hosts`: the `host_no` of the first host of the domain, also if it has no other host; less 2^52 for each other domain that begins with this host, such as `co.uk` and `www.co.uk`.
  policy_id VARCHAR, -- The lines that were read, as in `policies`; null if no line was. This column and the following ones are the state.
  preferences_id VARCHAR, -- Key of the statements about the use of the content, wherever their lines are (docs/tables.md#keys). Null if nothing is stated.
  preference_set_id VARCHAR, -- The rows in `preference_sets`.
  url_host_name VARCHAR NOT NULL, -- The host of the authoritative capture, in punycode.
  url_host_registered_domain VARCHAR, -- Its registered domain, as in `robots_files`.
  url_host_tld VARCHAR, -- Its top-level domain, as in `robots_files`.
  url_protocol VARCHAR, -- The scheme of the authoritative capture: `http` or `https`.
  url_port INTEGER, -- The port of the authoritative capture, if it is not the default port of the scheme.
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
  has_named_rows BOOLEAN NOT NULL -- False if `host_verdicts` has no rows for the host because its rules come from another capture and name more than 2,000 crawlers, or fewer if very many hosts share long files. The verdict of every crawler is then unknown.
);
