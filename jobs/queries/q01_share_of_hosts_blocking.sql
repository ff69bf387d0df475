-- What share of hosts block an agent, by name or through '*', in each crawl?

-- Denominator: hosts with a known verdict. A missing capture or an unknown verdict is not consent, so both are excluded.
-- A host that blocks all crawlers has not decided about this one, and a 429 or 5xx blocks all by its status: use
-- blocked_by_name for decisions about this agent. partial is the most common verdict.
-- Variables: agent (gptbot), crawl (every crawl).
SELECT crawl, count(*) AS hosts,
    round(avg((verdict = 'disallow_all')::INTEGER), 6) AS blocked,
    round(avg((verdict = 'disallow_all' AND basis = 'explicit')::INTEGER), 6) AS blocked_by_name,
    round(avg((verdict = 'partial')::INTEGER), 6) AS partial
FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot'))
WHERE verdict <> 'unknown' AND (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
GROUP BY crawl
ORDER BY crawl;
