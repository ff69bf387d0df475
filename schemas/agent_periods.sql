-- One row per period of a host and crawler: consecutive captures of the host whose rules name the crawler, with the same verdict. The period ends where the rules stop naming the crawler. Sorted by `agent`, then `surt_host_name`, then by time.
CREATE TABLE agent_periods (
  agent VARCHAR NOT NULL, -- The name, as in `verdicts`.
  surt_host_name VARCHAR NOT NULL, -- The host, as in `hosts`.
  url_host_registered_domain VARCHAR, -- Its registered domain.
  first_crawl VARCHAR NOT NULL, -- The crawl of the first capture.
  last_crawl VARCHAR NOT NULL, -- The crawl of the last capture.
  first_period_no INTEGER NOT NULL, -- The first period of the host, in `host_periods`. The period of the crawler consists of this period and the following ones.
  n_periods INTEGER NOT NULL, -- The number of these periods.
  n_captures INTEGER NOT NULL, -- The number of captures, which is that of the crawls.
  verdict VARCHAR, -- The verdict, as in `verdicts`.
  verdict_google VARCHAR, -- The verdict of Google's parser.
  verdict_rfc9309 VARCHAR, -- The verdict according to RFC 9309.
  verdict_koster1996 VARCHAR, -- The verdict according to Koster's draft of 1996.
  basis VARCHAR, -- The basis of `verdict`. `explicit` if the rules name the crawler. A row with another basis exists if a dialect addresses this name and gives it another verdict than `*`, so count rows `WHERE basis = 'explicit'`.
  root_allowed BOOLEAN, -- True if `/` may be fetched.
  n_allow INTEGER, -- The number of allow lines in the merged groups.
  n_disallow INTEGER, -- The number of disallow lines in the merged groups.
  crawl_delay_ms BIGINT -- The crawl-delay for the crawler, in milliseconds.
);
