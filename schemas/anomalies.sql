-- One row per anomaly: a leniency of the parser, or something that the author probably did not intend.
CREATE TABLE anomalies (
  robots_id BIGINT NOT NULL, -- The capture.
  line_no INTEGER, -- The line number, from 1; null if the anomaly concerns the whole file, its response or its record.
  code VARCHAR NOT NULL, -- The permanent code of the anomaly; `robots-scan schema --anomalies` lists all codes.
  changes_verdict BOOLEAN, -- True if reading this one line according to RFC 9309's grammar, with all other lines unchanged, gives `*` or any name in the file another `verdict`. False for anomalies that are not a leniency of the parser; null if a work limit was exceeded.
  detail VARCHAR NOT NULL, -- The bytes that caused the anomaly, at most 200; may be empty.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL, -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
  -- Computed by the views, and not stored:
  severity VARCHAR NOT NULL -- The severity for the author of the file: `info`, `warning`, `error`.
);
