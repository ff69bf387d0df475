-- One row per sitemap line.
CREATE TABLE sitemaps (
  robots_id BIGINT NOT NULL, -- The capture.
  line_no INTEGER NOT NULL, -- The line number, from 1.
  sitemap_raw VARCHAR, -- In files null where it equals `sitemap_url`. The value as written, up to a `#`.
  sitemap_url VARCHAR, -- The absolute URL in normal form, resolved against the URL of the robots.txt file; null if it cannot be resolved.
  sitemap_registry_suffix VARCHAR, -- The public suffix of the host of the sitemap, as in `robots_files`; empty if the list has no suffix for the host, and null without a host.
  is_absolute BOOLEAN NOT NULL, -- True if the URL is written as an absolute URL, as sitemaps.org requires.
  same_host BOOLEAN, -- True if the sitemap is on the host of the robots.txt file; null if either host is unknown.
  same_registered_domain BOOLEAN, -- True if the sitemap is on the registered domain of the robots.txt file, or on its host if that has no registered domain.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL, -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
  -- Computed by the views, and not stored:
  sitemap_host_name VARCHAR, -- The host of the sitemap, in punycode.
  sitemap_registered_domain VARCHAR, -- The registered domain of the sitemap, as in `robots_files`.
  is_valid_url BOOLEAN NOT NULL -- True if `sitemap_url` is not null.
);
