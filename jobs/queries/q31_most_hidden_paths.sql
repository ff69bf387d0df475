-- Which paths are disallowed by most hosts?

-- Denominator of share: hosts whose file has rules. Rules found in HTML pages and in binary data are not counted.
-- For any agent: a path disallowed for one crawler counts like one disallowed for all. Paths are patterns as parsed, and the most
-- common ones are defaults of software. A disallowed path is not secret: robots.txt is public.
-- Variables: crawl (every crawl), top (50, a crawl).
WITH files AS (
    SELECT h.crawl, h.surt_host_name, h.rules_crawl, h.rules_robots_id
    FROM hosts h
    WHERE h.content_class = 'rules' AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
),
totals AS (
    SELECT crawl, count(*) AS hosts FROM files GROUP BY crawl
),
paths AS (
    SELECT f.crawl, x.path, count(*) AS hosts
    FROM files f
    JOIN rules x ON x.crawl = f.rules_crawl AND x.robots_id = f.rules_robots_id
    WHERE NOT x.allow AND NOT x.is_empty AND x.counts AND NOT x.is_repeated
    GROUP BY f.crawl, x.path
)
SELECT p.crawl, p.path, p.hosts, round(p.hosts / t.hosts, 6) AS share
FROM paths p
JOIN totals t ON t.crawl = p.crawl
QUALIFY row_number() OVER (PARTITION BY p.crawl ORDER BY p.hosts DESC, p.path) <= coalesce(getvariable('top'), 50)
ORDER BY p.crawl, p.hosts DESC, p.path;
