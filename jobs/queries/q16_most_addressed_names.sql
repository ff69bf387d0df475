-- Which names do most hosts address, whether the registry knows them or not?

-- Denominator of share: hosts whose answer has rules. Names are whole names, lower-cased and without a version.
-- A name is there because somebody wrote it: it may be a typo, a retired crawler or a copy from a list.
-- Variables: crawl (every crawl), top (50, a crawl).
WITH files AS (
    SELECT h.crawl, count(*) AS hosts
    FROM hosts h
    JOIN robots_files r ON r.crawl = h.rules_crawl AND r.robots_id = h.rules_robots_id
    WHERE r.content_class = 'rules' AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
    GROUP BY h.crawl
),
names AS (
    SELECT h.crawl, g.agent, count(DISTINCT h.surt_host_name) AS hosts
    FROM hosts h
    JOIN groups g ON g.crawl = h.rules_crawl AND g.robots_id = h.rules_robots_id
    WHERE g.counts AND g.agent <> '' AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
    GROUP BY h.crawl, g.agent
)
SELECT n.crawl, n.agent, n.agent IN (SELECT lower(agent) FROM agents) AS tracked, n.hosts, round(n.hosts / f.hosts, 6) AS share
FROM names n
LEFT JOIN files f ON f.crawl = n.crawl
QUALIFY row_number() OVER (PARTITION BY n.crawl ORDER BY n.hosts DESC, n.agent) <= coalesce(getvariable('top'), 50)
ORDER BY n.crawl, n.hosts DESC, n.agent;
