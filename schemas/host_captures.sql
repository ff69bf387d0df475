-- One row per host and crawl with a capture of its robots.txt: when and where the authoritative capture was made, and the period to which it belongs. The captures of a crawl are in files of their own, and do not change when later crawls are added. Sorted by crawl in the order of crawls, then by `host_no`.
CREATE TABLE host_captures (
  capture_no BIGINT NOT NULL, -- Key of the row: the position of the crawl times 2^32, plus the number of the row among those of the crawl, from 0. It is `host_id` in `hosts`.
  crawl VARCHAR NOT NULL, -- The crawl.
  host_no BIGINT NOT NULL, -- The host, as in `host_periods`.
  fetch_time TIMESTAMP, -- The time at which the authoritative capture was fetched (UTC).
  archive_no BIGINT NOT NULL, -- The archive of the capture: its row in `archives`, together with `crawl`.
  warc_record_offset BIGINT NOT NULL, -- The offset of the record in the archive, as in `robots_files`.
  warc_record_in_member INTEGER NOT NULL, -- The index of the record among those that share the offset, as in `robots_files`.
  period_no INTEGER NOT NULL, -- The period of the capture, in `host_periods`, together with `host_no`.
  content_no INTEGER -- The content of the capture, in `host_contents`: its number among those of the host; null if no body was read.
);
