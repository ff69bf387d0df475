-- Which AI agents do hosts name only to allow them?

-- Denominator of ratio: hosts that name the agent. An agent is invited if its own group allows every path.
-- Common mistakes look like invitations: an empty Disallow that was meant to block, or rules under a name that no crawler uses.
-- Variables: crawl (every crawl), top (25, a crawl).
SELECT v.crawl, v.agent, max(g.operator) AS operator, max(g.category) AS category,
    count(*) FILTER (v.verdict = 'allow_all') AS invited, count(*) AS named, round(invited / named, 6) AS ratio
FROM host_verdicts v
JOIN agents g ON lower(g.agent) = v.agent
WHERE v.basis = 'explicit' AND (starts_with(g.category, 'ai_') OR coalesce(starts_with(g.category2, 'ai_'), false)) AND (getvariable('crawl') IS NULL OR v.crawl = getvariable('crawl'))
GROUP BY v.crawl, v.agent
QUALIFY row_number() OVER (PARTITION BY v.crawl ORDER BY invited DESC, named DESC, v.agent) <= coalesce(getvariable('top'), 25)
ORDER BY v.crawl, invited DESC, named DESC, v.agent;
