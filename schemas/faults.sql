-- One row per range of an archive, or row of a table of bodies, that could not be read.
CREATE TABLE faults (
  warc_filename VARCHAR NOT NULL, -- The archive, as in `robots_files`.
  warc_record_offset BIGINT NOT NULL, -- The offset at which the damage begins; for a table of bodies, the number of the row, from 0.
  bytes_skipped BIGINT NOT NULL, -- The number of bytes from there to the offset at which reading resumed; 0 for damage within a member of many records.
  code VARCHAR NOT NULL, -- The permanent code of the fault.
  detail VARCHAR NOT NULL, -- A description of the fault.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
