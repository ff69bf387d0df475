-- One row per part: how it was written. The rows are equal for two runs over the same inputs.
CREATE TABLE runs (
  part INTEGER NOT NULL, -- The number of the part, from 0.
  version VARCHAR NOT NULL, -- The version of robots-scan.
  options VARCHAR NOT NULL, -- The options that change rows, as JSON.
  psl_version VARCHAR NOT NULL, -- The version of the Public Suffix List: the version of the crate that contains it.
  agents_version VARCHAR NOT NULL, -- The digest of the registry of crawlers.
  listed_inputs INTEGER NOT NULL, -- The archives of the whole list, from which the sample and the shards were taken.
  sample_seed BIGINT, -- The seed of `--sample`; null without it.
  inputs INTEGER NOT NULL, -- Archives of the part.
  input_bytes BIGINT NOT NULL, -- The bytes of the archives, each counted once, even if it was read several times.
  records BIGINT NOT NULL, -- Records read, of every type.
  captures BIGINT NOT NULL, -- Rows of `robots_files`.
  faults BIGINT NOT NULL, -- Rows of `faults`.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
