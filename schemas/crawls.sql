-- One row per crawl of a history, in the order of the median times of their captures, then of their names.
CREATE TABLE crawls (
  crawl VARCHAR NOT NULL, -- The crawl.
  position INTEGER NOT NULL, -- Its place in the order of crawls, from 0. It changes when an earlier crawl is added.
  first_fetch TIMESTAMP, -- The first time at which an authoritative capture of its hosts was fetched (UTC); null if no capture has a time.
  median_fetch TIMESTAMP, -- The median of these times. Crawls are ordered by it.
  last_fetch TIMESTAMP, -- The last of these times.
  captures BIGINT NOT NULL, -- The captures of the crawl: rows of `robots_files` in its dataset.
  hosts BIGINT NOT NULL, -- Hosts with a capture: rows of `host_captures`.
  domains BIGINT NOT NULL, -- Their registered domains; a host without one counts as one.
  archives_read BIGINT NOT NULL, -- The archives from which its captures come.
  archives_listed BIGINT NOT NULL, -- The archives of the whole list of the crawl, from which a sample was drawn; with those of other crawls if it was drawn from all of them.
  is_sample BOOLEAN NOT NULL, -- True if the archives were drawn at random.
  meaning INTEGER NOT NULL -- The meaning of its rows (docs/limits.md#formats).
);
