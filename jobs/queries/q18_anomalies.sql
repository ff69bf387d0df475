-- Which anomalies do files have, and how often does one change a verdict?

-- Denominator: hosts with a 2xx response. An HTML page sent as robots.txt has hundreds of anomalies, but counts as one host.
-- changed counts hosts on which reading one line according to RFC 9309's grammar gives another verdict, without undecided ones.
-- Variables: crawl (every crawl).
WITH files AS (
    SELECT h.crawl, h.host_id, h.rules_crawl, h.rules_robots_id
    FROM hosts h
    WHERE h.outcome = 'successful' AND NOT h.is_revisit AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
),
totals AS (
    SELECT crawl, count(*) AS hosts FROM files GROUP BY crawl
)
SELECT f.crawl, a.code, max(a.severity) AS severity, count(DISTINCT f.host_id) AS hosts,
    round(count(DISTINCT f.host_id) / any_value(t.hosts), 6) AS share,
    count(DISTINCT f.host_id) FILTER (a.changes_verdict) AS changed, count(*) AS lines
FROM files f
JOIN totals t ON t.crawl = f.crawl
JOIN anomalies a ON a.crawl = f.rules_crawl AND a.robots_id = f.rules_robots_id
GROUP BY f.crawl, a.code
ORDER BY f.crawl, hosts DESC, a.code;
