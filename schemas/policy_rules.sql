-- One row per policy and allow or disallow line, as in `rules`. Sorted by `policy_id`, then by line.
CREATE TABLE policy_rules (
  policy_id VARCHAR NOT NULL, -- The policy, as in `policies`.
  group_no INTEGER, -- The group, as in `groups`; null before any user-agent line.
  line_no INTEGER NOT NULL, -- The line number, from 1.
  record_no INTEGER NOT NULL, -- The record in Koster's dialect, as in `groups`.
  allow BOOLEAN NOT NULL, -- True for an allow line.
  path_raw VARCHAR, -- In files null where it equals `path`. The value as written, up to a `#`, without surrounding blanks and tabs.
  path VARCHAR NOT NULL, -- The path as Google's parser compares it: cut at a NUL and at 16,663 bytes of the line, with hex digits upper-cased and octets above 0x7F percent-encoded. It is ASCII, so that its backslashes are not doubled in a file that is not UTF-8.
  key_raw VARCHAR, -- In files null where it is `Allow` for an allow line or `Disallow` for a disallow line. The key as written, without surrounding blanks and tabs.
  has_colon BOOLEAN NOT NULL, -- True if the key is followed by a colon; otherwise a blank was read as one.
  counts BOOLEAN NOT NULL, -- True if the line counts for verdicts: it ends within the body limit and is not the last line of a truncated payload.
  is_repeated BOOLEAN NOT NULL, -- True if an earlier line of the file has the same direction and path, for the same or another agent. Files and hosts are counted by path `WHERE NOT is_repeated`.
  -- Computed by the views, and not stored:
  path_bytes INTEGER NOT NULL, -- The length of the path in octets, which is the priority of the rule in Google's dialect.
  is_empty BOOLEAN NOT NULL, -- True if the path is empty.
  has_wildcard BOOLEAN NOT NULL, -- True if the path contains a `*`.
  has_end_anchor BOOLEAN NOT NULL, -- True if the last octet of the path is `$`.
  has_query BOOLEAN NOT NULL -- True if the path contains a `?`.
);
