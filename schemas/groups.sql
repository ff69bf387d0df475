-- One row per user-agent line.
CREATE TABLE groups (
  robots_id BIGINT NOT NULL, -- The capture.
  surt_host_name VARCHAR, -- Its host, as in `robots_files`.
  group_no INTEGER NOT NULL, -- The group, from 1, by Google's reading: user-agent lines with no rule between them share one.
  agent_no INTEGER NOT NULL, -- The line's place among the user-agent lines of its group, from 1.
  line_no INTEGER NOT NULL, -- The line, from 1.
  record_no INTEGER NOT NULL, -- The record, from 1, by Koster's reading: a blank line ends one, and a user-agent line after rules begins one.
  key_raw VARCHAR NOT NULL, -- The key as written, without the blanks and tabs around it.
  has_colon BOOLEAN NOT NULL, -- Whether a colon follows it; else a blank was taken for one.
  counts BOOLEAN NOT NULL, -- Whether the line counts for verdicts: it ends within the body limit, and is not the last of a truncated payload.
  agent_raw VARCHAR NOT NULL, -- The value as written, up to a `#`, without the blanks and tabs around it.
  agent VARCHAR NOT NULL, -- The whole name: lower-cased, cut at the first of `/ , ; ( *`, inner blanks made one, a last word of digits and dots dropped; `*` for everybody; empty if it addresses nobody.
  agent_token VARCHAR NOT NULL, -- What Google's parser reads: the leading run of letters, `_` and `-`, lower-cased; `*` for everybody; may be empty.
  token_valid BOOLEAN NOT NULL, -- Whether the value is a product token by RFC 9309 §2.2.1.
  n_rules INTEGER NOT NULL, -- Allow and disallow lines of the group.
  n_allow INTEGER NOT NULL, -- Allow lines of the group.
  n_disallow INTEGER NOT NULL, -- Disallow lines of the group.
  crawl_delay DOUBLE, -- The group's first valid `Crawl-delay` that counts, in seconds.
  request_rate VARCHAR, -- The group's first `Request-rate` that counts.
  visit_time VARCHAR, -- The group's first `Visit-time` that counts.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
