-- One row per host and requested crawler, in the order of crawls, hosts and requested crawlers. Every host has a row for every crawler, whether its rules name the crawler or not. The table is not part of a dataset: `robots-scan verdicts` writes it.
CREATE TABLE crawler_verdicts (
  crawl VARCHAR NOT NULL, -- The crawl.
  surt_host_name VARCHAR NOT NULL, -- The host, as in `hosts`.
  url_host_name VARCHAR NOT NULL, -- The host of the authoritative capture, in punycode.
  domain VARCHAR NOT NULL, -- The registered domain, or `surt_host_name` if the host has none (an IP address, a public suffix).
  agent VARCHAR NOT NULL, -- The crawler by its whole name, in lower case: `gptbot` for `GPTBot/1.0`.
  verdict VARCHAR NOT NULL, -- The verdict for the crawler: that of its own group; otherwise of the group of the first of its fallbacks that has one; otherwise of `*`, unless the crawler ignores `*`. As in the macro `verdicts_for`.
  verdict_google VARCHAR NOT NULL, -- The verdict of Google's parser for a crawler of this name, without fallbacks.
  verdict_rfc9309 VARCHAR NOT NULL, -- The verdict according to RFC 9309, without fallbacks.
  verdict_koster1996 VARCHAR NOT NULL, -- The verdict according to Koster's draft of 1996, without fallbacks.
  basis VARCHAR NOT NULL, -- The basis of `verdict`, as in `verdicts`. `explicit` if the rules name the crawler or one of its fallbacks.
  by_name BOOLEAN, -- True if the crawler or one of its fallbacks is named and may fetch nothing. This column and the two following ones are null if `verdict` is `unknown`, so that their means are shares of the hosts with a known verdict.
  by_wildcard BOOLEAN, -- True if the rules of `*` apply and disallow everything.
  by_status BOOLEAN, -- True if the HTTP status disallows everything, as a 429 or 5xx does.
  root_allowed BOOLEAN, -- True if `/` may be fetched. Null if the host has no rows in `host_verdicts` (`has_named_rows`).
  rules_crawl VARCHAR NOT NULL, -- The crawl of `rules_robots_id`, as in `hosts`.
  rules_robots_id BIGINT NOT NULL, -- The capture whose rules and status apply, as in `hosts`.
  evidence_line INTEGER -- The line of that capture that proves `verdict`. Null if no line does, such as for a status.
);
