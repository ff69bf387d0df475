-- One row per crawl, host and crawler that the rules of the host name. Sorted by `agent`, then `surt_host_name`. Crawlers that are not named have the verdict of `*`, which is in `hosts`; the macro `verdicts_for` has both. `verdict` to `n_disallow` have a value in every row: they are nullable so that a left join from `hosts` gives null in ClickHouse, too.
CREATE TABLE host_verdicts (
  agent VARCHAR NOT NULL, -- The name, as in `verdicts`.
  host_id BIGINT NOT NULL, -- The row of `hosts`.
  surt_host_name VARCHAR NOT NULL, -- The host, as in `hosts`.
  url_host_registered_domain VARCHAR, -- Its registered domain.
  verdict VARCHAR, -- The verdict, as in `verdicts`.
  verdict_google VARCHAR, -- The verdict of Google's parser.
  verdict_rfc9309 VARCHAR, -- The verdict according to RFC 9309.
  verdict_koster1996 VARCHAR, -- The verdict according to Koster's draft of 1996.
  basis VARCHAR, -- The basis of `verdict`. `explicit` if the rules name the crawler. A row with another basis exists if a dialect addresses this name and gives it another verdict than `*`, so count rows `WHERE basis = 'explicit'`.
  root_allowed BOOLEAN, -- True if `/` may be fetched.
  n_allow INTEGER, -- The number of allow lines in the merged groups.
  n_disallow INTEGER, -- The number of disallow lines in the merged groups.
  crawl_delay_ms BIGINT, -- The crawl-delay for the crawler, in milliseconds.
  evidence_line INTEGER, -- The line that proves `verdict`, in the capture whose rules apply.
  crawl VARCHAR NOT NULL -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
);
