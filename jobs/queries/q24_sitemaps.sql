-- How many hosts announce sitemaps, and how many of these URLs are relative or on another domain?

-- Denominators: hosts with a 2xx response for hosts_with_sitemap; sitemap lines for the two shares.
-- A few hosts with thousands of lines dominate the shares of lines. foreign means another registered domain; a line without a
-- URL, or with an unknown domain, counts as a line but not as foreign.
-- Variables: crawl (every crawl).
WITH files AS (
    SELECT h.crawl, h.host_id, h.rules_crawl, h.rules_robots_id
    FROM hosts h
    WHERE h.outcome = 'successful' AND NOT h.is_revisit AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
)
SELECT f.crawl, count(DISTINCT f.host_id) AS hosts,
    round(count(DISTINCT f.host_id) FILTER (s.robots_id IS NOT NULL) / count(DISTINCT f.host_id), 6) AS hosts_with_sitemap,
    count(s.robots_id) AS lines, round(avg((NOT s.is_absolute)::INTEGER), 6) AS relative,
    round(avg(coalesce(NOT s.same_registered_domain, false)::INTEGER) FILTER (s.robots_id IS NOT NULL), 6) AS foreign_domain
FROM files f
LEFT JOIN sitemaps s ON s.crawl = f.rules_crawl AND s.robots_id = f.rules_robots_id
GROUP BY f.crawl
ORDER BY f.crawl;
