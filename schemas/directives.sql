-- One row per line with a key that is neither user-agent, allow, disallow nor sitemap.
CREATE TABLE directives (
  robots_id BIGINT NOT NULL, -- The capture.
  surt_host_name VARCHAR, -- Its host, as in `robots_files`.
  group_no INTEGER, -- The group it stands in; null before any user-agent line.
  line_no INTEGER NOT NULL, -- The line, from 1.
  directive VARCHAR NOT NULL, -- The key, lower-cased; `content-signals` is written `content-signal`.
  directive_raw VARCHAR NOT NULL, -- The key as written.
  value VARCHAR NOT NULL, -- The value as written, up to a `#`, without the blanks and tabs around it.
  known BOOLEAN NOT NULL, -- Whether any specification or known crawler defines the key.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
