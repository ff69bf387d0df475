-- One row per set of preferences, crawler, mechanism and category: what hosts state about the use of their content, as in `host_preferences`. Sorted by `preference_set_id`, then in the order of `host_preferences`.
CREATE TABLE preference_sets (
  preference_set_id VARCHAR NOT NULL, -- Key of the set: a digest of its rows, in hexadecimal (docs/tables.md#keys).
  agent VARCHAR NOT NULL, -- The name, as in `file_preferences`.
  mechanism VARCHAR NOT NULL, -- The mechanism, as in `file_preferences`.
  category VARCHAR NOT NULL, -- The category of use, as in `file_preferences`.
  preference VARCHAR, -- The preference, as in `file_preferences`: `allow_all`, `disallow_all`, `unknown_all`, `mixed`, `not_crawlable`, `too_complex`; null for `rsl-license`.
  has_allowed BOOLEAN NOT NULL, -- True if it is allowed for some path that may be fetched.
  has_disallowed BOOLEAN NOT NULL, -- True if it is disallowed for some path that may be fetched.
  has_unknown BOOLEAN NOT NULL, -- True if it is unknown for some path that may be fetched.
  evidence_line INTEGER, -- The line that shows the preference, in the capture whose rules apply.
  address VARCHAR -- The address of the licence, for `rsl-license`.
);
