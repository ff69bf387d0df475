-- How often are agents blocked by name, relative to how often all crawlers are blocked?

-- Denominator: hosts that block '*' by a rule. Above 1, more hosts block this agent by name than block all crawlers.
-- A status blocks every crawler without naming any, so blocks by status are excluded on both sides.
-- Variables: crawl (every crawl), top (25, a crawl).
WITH counts AS (
    SELECT crawl, agent, count(*) AS blocked
    FROM host_verdicts
    WHERE verdict = 'disallow_all' AND basis = 'explicit' AND (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
    GROUP BY crawl, agent
    UNION ALL
    SELECT crawl, '*', count(*)
    FROM hosts
    WHERE wildcard_verdict = 'disallow_all' AND wildcard_basis <> 'http_status' AND (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
    GROUP BY crawl
),
everybody AS (
    SELECT crawl, blocked FROM counts WHERE agent = '*'
)
SELECT c.crawl, c.agent, c.blocked, round(c.blocked / e.blocked, 6) AS against_everybody
FROM counts c
LEFT JOIN everybody e ON e.crawl = c.crawl
QUALIFY row_number() OVER (PARTITION BY c.crawl ORDER BY c.blocked DESC, c.agent) <= coalesce(getvariable('top'), 25)
ORDER BY c.crawl, c.blocked DESC, c.agent;
