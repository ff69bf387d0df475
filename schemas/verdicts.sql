-- One row per capture and name: `*` for every capture, and every whole name and token that the file holds.
CREATE TABLE verdicts (
  robots_id BIGINT NOT NULL, -- The capture.
  surt_host_name VARCHAR, -- Its host, as in `robots_files`.
  is_robots_path BOOLEAN NOT NULL, -- As in `robots_files`.
  agent VARCHAR NOT NULL, -- A whole name or a token, lower-cased, as in `groups`; `*` for everybody else.
  verdict VARCHAR NOT NULL, -- `disallow_all`, `partial`, `allow_all` or `unknown`: Google's rules and status table, with names compared whole. The macros `verdicts_for` and `verdicts_in` fill in names that the file does not hold.
  verdict_google VARCHAR NOT NULL, -- The same as Google's parser decides it for a crawler that calls itself by `agent`.
  verdict_rfc9309 VARCHAR NOT NULL, -- The same by RFC 9309, for a crawler that calls itself by `agent`, taken as it stands; by that dialect's own table of statuses.
  verdict_koster1996 VARCHAR NOT NULL, -- The same by Koster's draft of 1996.
  basis VARCHAR NOT NULL, -- What `verdict` rests on: `explicit` (groups that name it), `wildcard`, `no_group`, `no_rules`, `http_status`, `too_complex`. This and what follows speak of `verdict`.
  root_allowed BOOLEAN NOT NULL, -- Whether `/` may be fetched.
  n_allow INTEGER NOT NULL, -- Allow lines that were merged.
  n_disallow INTEGER NOT NULL, -- Disallow lines that were merged.
  crawl_delay DOUBLE, -- The first valid crawl-delay of the groups, in seconds.
  evidence_line INTEGER, -- The line that shows the verdict: the deciding rule, else the group's first line.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
