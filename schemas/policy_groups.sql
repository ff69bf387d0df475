-- One row per policy and user-agent line, as in `groups`. Sorted by `policy_id`, then by line.
CREATE TABLE policy_groups (
  policy_id VARCHAR NOT NULL, -- The policy, as in `policies`.
  group_no INTEGER NOT NULL, -- The number of the group in Google's dialect, from 1: user-agent lines with no rule between them share a group.
  agent_no INTEGER NOT NULL, -- The position of the line among the user-agent lines of its group, from 1.
  line_no INTEGER NOT NULL, -- The line number, from 1.
  record_no INTEGER NOT NULL, -- The number of the record in Koster's dialect, from 1: a blank line ends a record, and a user-agent line after rules begins one.
  key_raw VARCHAR, -- In files null where it is `User-agent`. The key as written, without surrounding blanks and tabs.
  has_colon BOOLEAN NOT NULL, -- True if the key is followed by a colon; otherwise a blank was read as one.
  counts BOOLEAN NOT NULL, -- True if the line counts for verdicts: it ends within the body limit and is not the last line of a truncated payload.
  agent_raw VARCHAR, -- In files null where it equals `agent`. The value as written, up to a `#`, without surrounding blanks and tabs.
  agent VARCHAR NOT NULL, -- The whole name: lower-cased, cut at the first of `/ , ; ( *`, with inner blanks collapsed and a last word of digits and dots removed if another word is before it. `*` for all crawlers; empty if the line addresses no crawler.
  token_valid BOOLEAN NOT NULL, -- True if the value is a product token according to RFC 9309 §2.2.1. A value is cut at a NUL and at 16,663 bytes of the line.
  n_allow INTEGER NOT NULL, -- Allow lines of the group.
  n_disallow INTEGER NOT NULL, -- Disallow lines of the group.
  crawl_delay_ms BIGINT, -- The first valid `Crawl-delay` that counts, in milliseconds, rounded up, of the lines after this and adjacent user-agent lines, up to the next user-agent line.
  request_rate VARCHAR, -- The first `Request-rate` that counts, of the same lines as `crawl_delay_ms`.
  visit_time VARCHAR, -- The first `Visit-time` that counts, of the same lines as `crawl_delay_ms`.
  -- Computed by the views, and not stored:
  agent_token VARCHAR NOT NULL, -- The name as Google's parser reads it: the leading run of letters, `_` and `-`, lower-cased; `*` for all crawlers; may be empty.
  n_rules INTEGER NOT NULL -- Allow and disallow lines of the group.
);
