-- One row per allow or disallow line.
CREATE TABLE rules (
  robots_id BIGINT NOT NULL, -- The capture.
  surt_host_name VARCHAR, -- Its host, as in `robots_files`.
  group_no INTEGER, -- The group, as in `groups`; null before any user-agent line.
  line_no INTEGER NOT NULL, -- The line, from 1.
  record_no INTEGER NOT NULL, -- The record by Koster's reading, as in `groups`.
  allow BOOLEAN NOT NULL, -- Whether it allows.
  path_raw VARCHAR NOT NULL, -- The value as written, up to a `#`, without the blanks and tabs around it.
  path VARCHAR NOT NULL, -- The path as Google's parser compares it: cut at a NUL and at 16,663 bytes of the line, hex upper-cased, octets above 0x7F percent-encoded.
  path_bytes INTEGER NOT NULL, -- The length of `path` in octets: the rule's priority for Google.
  is_empty BOOLEAN NOT NULL, -- Whether the path is empty.
  has_wildcard BOOLEAN NOT NULL, -- Whether the path has a `*`.
  has_end_anchor BOOLEAN NOT NULL, -- Whether `$` is the path's last octet.
  has_query BOOLEAN NOT NULL, -- Whether the path has a `?`.
  key_raw VARCHAR NOT NULL, -- The key as written, without the blanks and tabs around it.
  has_colon BOOLEAN NOT NULL, -- Whether a colon follows it; else a blank was taken for one.
  counts BOOLEAN NOT NULL, -- Whether the line counts for verdicts: it ends within the body limit, and is not the last of a truncated payload.
  beyond_500kib BOOLEAN NOT NULL, -- Whether the line ends beyond 512,000 bytes.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
