-- One row per host and crawl with a capture of its robots.txt: when and where the authoritative capture was made, and the period to which it belongs. Sorted by `surt_host_name`, then by time; a capture without a time has the place of the median time of its crawl.
CREATE TABLE host_captures (
  capture_no BIGINT NOT NULL, -- Key of the row: its number, from 0. The captures of a period are consecutive.
  surt_host_name VARCHAR NOT NULL, -- The host, as in `hosts`.
  crawl VARCHAR NOT NULL, -- The crawl.
  fetch_time TIMESTAMP, -- The time at which the authoritative capture was fetched (UTC).
  archive_no BIGINT NOT NULL, -- The archive of the capture: its row in `archives`, together with `crawl`.
  warc_record_offset BIGINT NOT NULL, -- The offset of the record in the archive, as in `robots_files`.
  warc_record_in_member INTEGER NOT NULL, -- The index of the record among those that share the offset, as in `robots_files`.
  period_id BIGINT NOT NULL -- The period of the capture, in `host_periods`.
);
