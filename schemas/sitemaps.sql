-- One row per sitemap line.
CREATE TABLE sitemaps (
  robots_id BIGINT NOT NULL, -- The capture.
  surt_host_name VARCHAR, -- Its host, as in `robots_files`.
  line_no INTEGER NOT NULL, -- The line, from 1.
  sitemap_raw VARCHAR NOT NULL, -- The value as written, up to a `#`.
  sitemap_url VARCHAR, -- The absolute URL in normal form, resolved against that of the robots.txt; null if there is none.
  sitemap_host_name VARCHAR, -- Its host, in punycode.
  sitemap_registered_domain VARCHAR, -- Its registered domain, as in `robots_files`.
  is_absolute BOOLEAN NOT NULL, -- Whether an absolute URL was written, as sitemaps.org asks.
  is_valid_url BOOLEAN NOT NULL, -- Whether `sitemap_url` could be made.
  same_host BOOLEAN, -- Whether it lies on the host of the robots.txt; null if either host is unknown.
  same_registered_domain BOOLEAN, -- Whether it lies on the registered domain of the robots.txt, or on its host where that has none.
  crawl VARCHAR NOT NULL, -- The crawl, such as `CC-MAIN-2025-38`; part of the path.
  subset VARCHAR NOT NULL -- The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.
);
