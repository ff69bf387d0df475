-- One row per liberty taken and oddity met.
CREATE TABLE anomalies (
  robots_id BIGINT NOT NULL, -- The capture.
  surt_host_name VARCHAR, -- Its host, as in `robots_files`.
  line_no INTEGER, -- The line, from 1; null where the whole file, its response or its record is meant.
  code VARCHAR NOT NULL, -- What was met, a permanent code; `robots-scan schema --anomalies` lists them.
  severity VARCHAR NOT NULL, -- How much it matters to who wrote the file: `info`, `warning`, `error`.
  changes_verdict BOOLEAN, -- Whether reading this one line by RFC 9309's grammar, all others unchanged, gives `*` or any name of the file another `verdict`; false for oddities that are no liberty; null past a work limit.
  detail VARCHAR NOT NULL, -- The bytes it was met in, at most 200 of them; may be empty.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
