-- One row per capture, name, mechanism and category: what the statements mean for a crawler, over all paths that it may fetch. `*` and every whole name in the file have rows of `content-usage` and `content-signal` if any group states something of the mechanism, and of `any`, which reads both together, if any group states something of either. `rsl-license` and `tdmrep` concern all crawlers.
CREATE TABLE file_preferences (
  robots_id BIGINT NOT NULL, -- The capture.
  agent VARCHAR NOT NULL, -- A whole name, lower-cased, as in `verdicts`; `*` for all other crawlers.
  mechanism VARCHAR NOT NULL, -- `any` (`content-usage` and `content-signal` together), `content-usage`, `content-signal`, `rsl-license` (a row per line), or `tdmrep`: the header of this response, which need not be that of pages.
  category VARCHAR NOT NULL, -- The category of use: of `any` `training` (`train-ai` or `ai-train`) and `search`, decided path by path: disallowed if either word disallows it, else allowed if either allows it; of `content-usage` by the vocabulary at the time of the fetch, for example `train-ai`, `ai-use`, `search`; of `content-signal` `search`, `ai-input`, `ai-train`; `license`; `tdm`.
  preference VARCHAR, -- The preference over all paths that the crawler may fetch: `allow_all`, `disallow_all`, `unknown_all` (neither allowed nor disallowed), `mixed`, `not_crawlable` (no path may be fetched, so nothing is stated), `too_complex` (the work budget was exceeded). Null for `rsl-license`.
  has_allowed BOOLEAN NOT NULL, -- True if it is allowed for some path that may be fetched.
  has_disallowed BOOLEAN NOT NULL, -- True if it is disallowed for some path that may be fetched.
  has_unknown BOOLEAN NOT NULL, -- True if it is unknown for some path that may be fetched.
  evidence_line INTEGER, -- The line of a statement that has the most restrictive of these preferences; for `not_crawlable`, the rule that disallows all paths.
  address VARCHAR, -- The address of the licence, for `rsl-license`.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
