-- One row per allow or disallow line.
CREATE TABLE rules (
  robots_id BIGINT NOT NULL, -- The capture.
  surt_host_name VARCHAR, -- The host of the capture, as in `robots_files`.
  group_no INTEGER, -- The group, as in `groups`; null before any user-agent line.
  line_no INTEGER NOT NULL, -- The line number, from 1.
  record_no INTEGER NOT NULL, -- The record in Koster's dialect, as in `groups`.
  allow BOOLEAN NOT NULL, -- True for an allow line.
  path_raw VARCHAR NOT NULL, -- The value as written, up to a `#`, without surrounding blanks and tabs.
  path VARCHAR NOT NULL, -- The path as Google's parser compares it: cut at a NUL and at 16,663 bytes of the line, with hex digits upper-cased and octets above 0x7F percent-encoded.
  path_bytes INTEGER NOT NULL, -- The length of `path` in octets, which is the priority of the rule in Google's dialect.
  is_empty BOOLEAN NOT NULL, -- True if the path is empty.
  has_wildcard BOOLEAN NOT NULL, -- True if the path contains a `*`.
  has_end_anchor BOOLEAN NOT NULL, -- True if the last octet of the path is `$`.
  has_query BOOLEAN NOT NULL, -- True if the path contains a `?`.
  key_raw VARCHAR NOT NULL, -- The key as written, without surrounding blanks and tabs.
  has_colon BOOLEAN NOT NULL, -- True if the key is followed by a colon; otherwise a blank was read as one.
  counts BOOLEAN NOT NULL, -- True if the line counts for verdicts: it ends within the body limit and is not the last line of a truncated payload.
  beyond_500kib BOOLEAN NOT NULL, -- True if the line ends after the first 512,000 bytes.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
