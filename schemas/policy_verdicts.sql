-- One row per policy and crawler that it names, as in `host_verdicts`. Sorted by `policy_id`, then by `agent`.
CREATE TABLE policy_verdicts (
  policy_id VARCHAR NOT NULL, -- The policy, as in `policies`.
  agent VARCHAR NOT NULL, -- The name, as in `verdicts`.
  verdict VARCHAR, -- The verdict, as in `verdicts`.
  verdict_google VARCHAR, -- The verdict of Google's parser.
  verdict_rfc9309 VARCHAR, -- The verdict according to RFC 9309.
  verdict_koster1996 VARCHAR, -- The verdict according to Koster's draft of 1996.
  basis VARCHAR, -- The basis of `verdict`. `explicit` if the rules name the crawler. A row with another basis exists if a dialect addresses this name and gives it another verdict than `*`, so count rows `WHERE basis = 'explicit'`.
  root_allowed BOOLEAN, -- True if `/` may be fetched.
  n_allow INTEGER, -- The number of allow lines in the merged groups.
  n_disallow INTEGER, -- The number of disallow lines in the merged groups.
  crawl_delay_ms BIGINT, -- The crawl-delay for the crawler, in milliseconds.
  evidence_line INTEGER -- The line that proves `verdict`, in the capture whose rules apply.
);
