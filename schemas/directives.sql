-- One row per line whose key is not user-agent, allow, disallow or sitemap, unless the body is an HTML page or not text.
CREATE TABLE directives (
  robots_id BIGINT NOT NULL, -- The capture.
  group_no INTEGER, -- The group that contains the line; null before any user-agent line.
  line_no INTEGER NOT NULL, -- The line number, from 1.
  directive VARCHAR NOT NULL, -- The key, lower-cased; `content-signals` is written `content-signal`.
  directive_raw VARCHAR, -- In files null where it equals `directive`. The key as written.
  value VARCHAR NOT NULL, -- The value as written, up to a `#`, without surrounding blanks and tabs.
  counts BOOLEAN, -- True if the line is complete and within the body limit, as in `rules`.
  has_colon BOOLEAN, -- True if there is a colon between key and value, as in `rules`.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL, -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
  -- Computed by the views, and not stored:
  known BOOLEAN NOT NULL -- True if a specification or a known crawler defines the key.
);
