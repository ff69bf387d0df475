-- Which names are addressed by most hosts, in the registry or not?

-- Denominator of share: hosts whose file has rules. Names in files without rules and in HTML pages are not counted.
-- Names are whole names, lower-cased and without a version.
-- A name may be a typo, a retired crawler or a copy from a list.
-- Variables: crawl (every crawl), top (50, a crawl).
WITH files AS (
    SELECT h.crawl, h.host_id, h.rules_crawl, h.rules_robots_id
    FROM hosts h
    WHERE h.content_class = 'rules' AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
),
totals AS (
    SELECT crawl, count(*) AS hosts FROM files GROUP BY crawl
),
names AS (
    SELECT f.crawl, g.agent, count(DISTINCT f.host_id) AS hosts
    FROM files f
    JOIN groups g ON g.crawl = f.rules_crawl AND g.robots_id = f.rules_robots_id
    WHERE g.counts AND g.agent <> ''
    GROUP BY f.crawl, g.agent
)
SELECT n.crawl, n.agent, n.agent IN (SELECT lower(agent) FROM agents) AS tracked, n.hosts, round(n.hosts / t.hosts, 6) AS share
FROM names n
JOIN totals t ON t.crawl = n.crawl
QUALIFY row_number() OVER (PARTITION BY n.crawl ORDER BY n.hosts DESC, n.agent) <= coalesce(getvariable('top'), 50)
ORDER BY n.crawl, n.hosts DESC, n.agent;
