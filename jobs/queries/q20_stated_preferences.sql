-- How many hosts state preferences about AI use and licences, and which?

-- Denominator of share: hosts with a 2xx response. from_template separates a vendor's text from a site's own.
-- Statements are independent of the rules of the file: see q21.
-- Variables: crawl (every crawl).
WITH files AS (
    SELECT h.crawl, h.host_id, h.rules_crawl, h.rules_robots_id
    FROM hosts h
    WHERE h.outcome = 'successful' AND NOT h.is_revisit AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
),
totals AS (
    SELECT crawl, count(*) AS hosts FROM files GROUP BY crawl
)
SELECT f.crawl, p.mechanism, p.pref_key, CASE WHEN p.mechanism = 'rsl-license' THEN NULL ELSE p.pref_value END AS pref_value, p.from_template,
    count(DISTINCT f.host_id) AS hosts, round(count(DISTINCT f.host_id) / any_value(t.hosts), 6) AS share
FROM files f
JOIN totals t ON t.crawl = f.crawl
JOIN preferences p ON p.crawl = f.rules_crawl AND p.robots_id = f.rules_robots_id
GROUP BY ALL
ORDER BY f.crawl, hosts DESC, p.mechanism, p.pref_key, pref_value, p.from_template;
