-- One row per key of a statement about AI use or licences.
CREATE TABLE preferences (
  robots_id BIGINT NOT NULL, -- The capture.
  group_no INTEGER, -- The group that contains the line; null before any user-agent line.
  line_no INTEGER NOT NULL, -- The line number, from 1.
  mechanism VARCHAR NOT NULL, -- The syntax: `content-signal`, `content-usage`, `rsl-license`, `disallow-ai-training`, `allow-ai-training`, `llm-policy`.
  path VARCHAR, -- The path that the statement is limited to; null for none.
  pref_key VARCHAR NOT NULL, -- The use that the statement is about, lower-cased, for example `ai-train`.
  pref_value VARCHAR, -- The value of the statement as written, for example `no`; null if the statement has no value.
  allow BOOLEAN, -- The value as a boolean, if it means yes or no, read item by item: `preference` is the reading of the specification.
  is_valid BOOLEAN NOT NULL, -- True if the current draft of the mechanism defines both the key and the value.
  from_template BOOLEAN NOT NULL, -- True if the line is in a block that is managed by a vendor (Cloudflare) and not by the site.
  counts BOOLEAN, -- True if the line is complete and within the body limit, as in `rules`.
  preference VARCHAR, -- The preference that the statement has for this key according to its specification: `allowed`, `disallowed`, `unknown`. A `Content-Usage` line that is no dictionary of structured fields states nothing. Null if a later item of the line has the same key.
  category VARCHAR, -- The category that the key means at the time of the fetch, by the vocabulary of `content-usage` or `content-signal`: a category keeps its name when its label changes. Null if it means none.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
