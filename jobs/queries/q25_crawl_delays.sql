-- How long are the crawl delays that hosts request?

-- Denominator: user-agent lines whose group has a valid crawl-delay. A host that names thirty agents counts thirty times in the
-- quantiles and once in hosts. Google ignores the directive, and other crawlers limit it.
-- Variables: crawl (every crawl).
SELECT h.crawl, count(DISTINCT h.host_id) AS hosts, count(*) AS lines,
    quantile_disc(g.crawl_delay, 0.5) AS median, quantile_disc(g.crawl_delay, 0.9) AS p90, quantile_disc(g.crawl_delay, 0.99) AS p99,
    max(g.crawl_delay) AS longest
FROM hosts h
JOIN groups g ON g.crawl = h.rules_crawl AND g.robots_id = h.rules_robots_id
WHERE g.crawl_delay IS NOT NULL AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl
ORDER BY h.crawl;
