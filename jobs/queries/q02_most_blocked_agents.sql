-- Which agents are named and fully blocked by most hosts, and what share of the hosts that name them block them?

-- Denominator of ratio: hosts that name the agent. Hosts that block it through '*' or by a status are not included.
-- Vendor templates name the same group of about eight agents: see q22 before calling this a decision of each site.
-- Variables: crawl (every crawl), top (25, a crawl).
SELECT v.crawl, v.agent, max(g.operator) AS operator, max(g.category) AS category,
    count(*) FILTER (v.verdict = 'disallow_all') AS blocked, count(*) AS named, round(blocked / named, 6) AS ratio
FROM host_verdicts v
LEFT JOIN agents g ON lower(g.agent) = v.agent
WHERE v.basis = 'explicit' AND (getvariable('crawl') IS NULL OR v.crawl = getvariable('crawl'))
GROUP BY v.crawl, v.agent
QUALIFY row_number() OVER (PARTITION BY v.crawl ORDER BY blocked DESC, named DESC, v.agent) <= coalesce(getvariable('top'), 25)
ORDER BY v.crawl, blocked DESC, named DESC, v.agent;
