-- One row per key of a statement on AI use or licence.
CREATE TABLE preferences (
  robots_id BIGINT NOT NULL, -- The capture.
  surt_host_name VARCHAR, -- Its host, as in `robots_files`.
  group_no INTEGER, -- The group it stands in; null before any user-agent line.
  line_no INTEGER NOT NULL, -- The line, from 1.
  mechanism VARCHAR NOT NULL, -- The syntax: `content-signal`, `content-usage`, `rsl-license`, `disallow-ai-training`, `allow-ai-training`, `llm-policy`.
  path VARCHAR, -- The path that the statement is limited to; null for none.
  pref_key VARCHAR NOT NULL, -- What is spoken of, lower-cased, e.g. `ai-train`.
  pref_value VARCHAR, -- What is said of it, as written, e.g. `no`; null where nothing is.
  allow BOOLEAN, -- The same as a yes or no, where it is one.
  is_valid BOOLEAN NOT NULL, -- Whether the current text of its draft defines both.
  from_template BOOLEAN NOT NULL, -- Whether it stands in a block that a vendor manages (Cloudflare), not the site.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
