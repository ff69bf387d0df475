-- One row per crawler, crawl, verdict and basis: the hosts that have this verdict for the crawler. Crawlers are those of the registry of the history, `*`, and all that ten hosts of the crawl name. Sorted by `agent`, then in the order of crawls.
CREATE TABLE shares (
  agent VARCHAR NOT NULL, -- The crawler by its whole name, lower-cased; `*` for all crawlers that are not named.
  crawl VARCHAR NOT NULL, -- The crawl.
  verdict VARCHAR NOT NULL, -- The verdict, as the macro `verdicts_for` gives it: by the crawler's own group, its fallbacks, or `*`.
  basis VARCHAR NOT NULL, -- The basis of `verdict`.
  hosts BIGINT NOT NULL, -- Hosts with this verdict and basis.
  known_hosts BIGINT NOT NULL, -- Hosts with a known verdict for the crawler in this crawl: the denominator of shares. It is the same in all rows of a crawler and crawl.
  domains_any BIGINT NOT NULL, -- Registered domains with at least one of `hosts`; a host without a domain counts as one.
  largest_domain BIGINT NOT NULL, -- The hosts of the domain that has most of `hosts` (docs/limits.md has how many domains are compared).
  low_millionths INTEGER, -- The lower end of the 95 percent interval of `hosts / known_hosts` in millionths, if the archives of the crawl are a random sample (docs/queries.md). Null for unknown verdicts.
  high_millionths INTEGER -- The upper end of the interval, in millionths.
);
