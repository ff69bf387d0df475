-- One row per capture and name: `*` for every capture, and every whole name and token in the file.
CREATE TABLE verdicts (
  robots_id BIGINT NOT NULL, -- The capture.
  is_robots_path BOOLEAN NOT NULL, -- As in `robots_files`.
  agent VARCHAR NOT NULL, -- A whole name or a token, lower-cased, as in `groups`; `*` for all other crawlers.
  verdict VARCHAR NOT NULL, -- `disallow_all`, `partial`, `allow_all` or `unknown`: according to Google's rules and status table, with names compared whole. The macros `verdicts_for` and `verdicts_in` add names that the file does not contain.
  verdict_google VARCHAR NOT NULL, -- The verdict of Google's parser for a crawler whose name is `agent`.
  verdict_rfc9309 VARCHAR NOT NULL, -- The verdict according to RFC 9309 and its status table, for a crawler whose name is exactly `agent`.
  verdict_koster1996 VARCHAR NOT NULL, -- The verdict according to Koster's draft of 1996.
  basis VARCHAR NOT NULL, -- The basis of `verdict`: `explicit` (groups that name the agent), `wildcard`, `no_group`, `no_rules` (text that addresses no crawler), `empty`, `html`, `binary` (such a body that addresses no crawler), `http_status`, `too_complex`. This column and the following ones describe `verdict`.
  root_allowed BOOLEAN NOT NULL, -- True if `/` may be fetched.
  n_allow INTEGER NOT NULL, -- The number of allow lines in the merged groups.
  n_disallow INTEGER NOT NULL, -- The number of disallow lines in the merged groups.
  crawl_delay_ms BIGINT, -- The first valid crawl-delay of the user-agent lines with this name, in milliseconds, rounded up; it belongs only to the names directly above it.
  evidence_line INTEGER, -- The line that proves the verdict: a rule that decides (for `allow_all` one that allows, otherwise one that disallows), or the first line of the group if no rule does.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
