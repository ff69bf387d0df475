-- One row per place of an archive that could not be read: nothing is lost in silence.
CREATE TABLE faults (
  warc_filename VARCHAR NOT NULL, -- The archive, as in `robots_files`.
  warc_record_offset BIGINT NOT NULL, -- Where the damage begins.
  bytes_skipped BIGINT NOT NULL, -- Bytes from there to where reading went on; 0 for damage within a member of many records.
  code VARCHAR NOT NULL, -- What is wrong, a permanent code.
  detail VARCHAR NOT NULL, -- The same in words.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
