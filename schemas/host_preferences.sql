-- One row per crawl, host, crawler, mechanism and category: what the host states about the use of its content, over all paths that the crawler may fetch. Sorted by `agent`, then `surt_host_name`. Hosts that state nothing have no rows, and crawlers that are not named have those of `*`.
CREATE TABLE host_preferences (
  agent VARCHAR NOT NULL, -- The name, as in `file_preferences`.
  host_id BIGINT NOT NULL, -- The row of `hosts`.
  surt_host_name VARCHAR NOT NULL, -- The host, as in `hosts`.
  url_host_registered_domain VARCHAR, -- Its registered domain.
  mechanism VARCHAR NOT NULL, -- The mechanism, as in `file_preferences`.
  category VARCHAR NOT NULL, -- The category of use, as in `file_preferences`.
  preference VARCHAR, -- The preference, as in `file_preferences`: `allow_all`, `disallow_all`, `unknown_all`, `mixed`, `not_crawlable`, `too_complex`; null for `rsl-license`.
  has_allowed BOOLEAN NOT NULL, -- True if it is allowed for some path that may be fetched.
  has_disallowed BOOLEAN NOT NULL, -- True if it is disallowed for some path that may be fetched.
  has_unknown BOOLEAN NOT NULL, -- True if it is unknown for some path that may be fetched.
  evidence_line INTEGER, -- The line that shows the preference, in the capture whose rules apply.
  address VARCHAR, -- The address of the licence, for `rsl-license`.
  crawl VARCHAR NOT NULL -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
);
