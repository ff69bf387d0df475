-- One row per policy and line with a crawl-delay, a request rate, a visit time, or a statement about the use of content, as in `directives`. Sorted by `policy_id`, then by line.
CREATE TABLE policy_directives (
  policy_id VARCHAR NOT NULL, -- The policy, as in `policies`.
  group_no INTEGER, -- The group that contains the line; null before any user-agent line.
  line_no INTEGER NOT NULL, -- The line number, from 1.
  directive VARCHAR NOT NULL, -- The key, lower-cased; `content-signals` is written `content-signal`.
  directive_raw VARCHAR, -- In files null where it equals `directive`. The key as written.
  value VARCHAR NOT NULL, -- The value as written, up to a `#`, without surrounding blanks and tabs.
  counts BOOLEAN, -- True if the line is complete and within the body limit, as in `rules`.
  has_colon BOOLEAN, -- True if there is a colon between key and value, as in `rules`.
  -- Computed by the views, and not stored:
  known BOOLEAN NOT NULL -- True if a specification or a known crawler defines the key.
);
