-- One row per key of a statement about AI use or licences.
CREATE TABLE preferences (
  robots_id BIGINT NOT NULL, -- The capture.
  group_no INTEGER, -- The group that contains the line; null before any user-agent line.
  line_no INTEGER NOT NULL, -- The line number, from 1.
  mechanism VARCHAR NOT NULL, -- The syntax: `content-signal`, `content-usage`, `rsl-license`, `disallow-ai-training`, `allow-ai-training`, `llm-policy`.
  path VARCHAR, -- The path that the statement is limited to; null for none.
  pref_key VARCHAR NOT NULL, -- The use that the statement is about, lower-cased, for example `ai-train`.
  pref_value VARCHAR, -- The value of the statement as written, for example `no`; null if the statement has no value.
  allow BOOLEAN, -- The value as a boolean, if it means yes or no.
  is_valid BOOLEAN NOT NULL, -- True if the current draft of the mechanism defines both the key and the value.
  from_template BOOLEAN NOT NULL, -- True if the line is in a block that is managed by a vendor (Cloudflare) and not by the site.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
