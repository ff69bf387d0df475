-- What share of hosts block an agent, by name or by way of '*', in each crawl?

-- Denominator: hosts whose answer could be decided. No capture and no decision are not consent, so unknown is left out.
-- A host may block everybody and mean nobody, and a 429 or 5xx blocks all by the status alone: look at blocked_by_name for a
-- decision about this agent. partial is the web's default.
-- Variables: agent (gptbot), crawl (every crawl).
SELECT crawl, count(*) AS hosts,
    round(avg((verdict = 'disallow_all')::INTEGER), 6) AS blocked,
    round(avg((verdict = 'disallow_all' AND basis = 'explicit')::INTEGER), 6) AS blocked_by_name,
    round(avg((verdict = 'partial')::INTEGER), 6) AS partial
FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot'))
WHERE verdict <> 'unknown' AND (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
GROUP BY crawl
ORDER BY crawl;
