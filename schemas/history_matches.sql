-- One row per URL and requested agent, in the order of the URL list: whether the agent was allowed at the time of the row, when it was first disallowed after that, and whether it is allowed now. The table is not part of a history: `robots-scan match` writes it.
CREATE TABLE history_matches (
  url VARCHAR NOT NULL, -- The URL as written in the list, without surrounding blanks; bytes that are not UTF-8 are written as `\xHH`.
  agent VARCHAR NOT NULL, -- The requested crawler name.
  time TIMESTAMP, -- The time of the row: the last capture is asked for if it is null.
  access VARCHAR NOT NULL, -- `allowed` or `disallowed` by the capture; `unknown` if it cannot be decided.
  basis VARCHAR NOT NULL, -- The basis of `access`, as in `matches`; `no_capture` if the host has no capture that is not later than `time`; `other_origin` if the capture has another scheme, host or port than the URL, without `--any-origin`.
  line_no INTEGER, -- The line of the deciding rule, as in `matches`.
  crawl VARCHAR, -- The crawl of the capture: the latest one of the host that is not later than `time`. Its rules are those of the authoritative capture of the host in this crawl.
  fetch_time TIMESTAMP, -- The time of the capture.
  seconds_before BIGINT, -- The seconds between the capture and `time`.
  is_same_origin BOOLEAN, -- True if the capture has the scheme, host and port of the URL.
  archive_no BIGINT, -- The archive of the capture, as in `host_captures`.
  warc_record_offset BIGINT, -- The offset of its record.
  next_disallowed_crawl VARCHAR, -- The crawl of the first capture after `time` that disallows the URL; null if none does.
  next_disallowed_time TIMESTAMP, -- The time of that capture.
  last_access VARCHAR NOT NULL, -- As `access`, by the last capture of the host.
  last_crawl VARCHAR, -- The crawl of the last capture.
  last_fetch_time TIMESTAMP, -- Its time.
  preference VARCHAR, -- The preference of the chosen category for this URL by the capture at the time of the row, as in `matches`. The vocabulary is that of the time of this capture, also if it is a revisit.
  preference_line INTEGER -- The line that decides `preference`, as in `matches`.
);
