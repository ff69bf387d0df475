-- Which agents are blocked together by name?

-- Denominator of share: hosts that block the rarer of the two by name. Only agents in the registry are paired: some files name
-- hundreds, and the number of pairs grows quadratically. High shares result from vendor templates and copied lists more than from decisions.
-- Variables: crawl (every crawl), top (20, a crawl).
WITH blocks AS (
    SELECT v.crawl, v.host_id, v.agent
    FROM host_verdicts v
    WHERE v.agent IN (SELECT lower(agent) FROM agents) AND v.verdict = 'disallow_all' AND v.basis = 'explicit'
        AND (getvariable('crawl') IS NULL OR v.crawl = getvariable('crawl'))
),
singles AS (
    SELECT crawl, agent, count(*) AS hosts FROM blocks GROUP BY crawl, agent
),
pairs AS (
    SELECT a.crawl, a.agent AS agent_a, b.agent AS agent_b, count(*) AS hosts
    FROM blocks a
    JOIN blocks b ON b.host_id = a.host_id AND a.agent < b.agent
    GROUP BY ALL
)
SELECT p.crawl, p.agent_a, p.agent_b, p.hosts, round(p.hosts / least(a.hosts, b.hosts), 6) AS share_of_rarer
FROM pairs p
JOIN singles a ON a.crawl = p.crawl AND a.agent = p.agent_a
JOIN singles b ON b.crawl = p.crawl AND b.agent = p.agent_b
QUALIFY row_number() OVER (PARTITION BY p.crawl ORDER BY p.hosts DESC, p.agent_a, p.agent_b) <= coalesce(getvariable('top'), 20)
ORDER BY p.crawl, p.hosts DESC, p.agent_a, p.agent_b;
