-- How many hosts block AI training but allow AI search and assistants?

-- Denominator: hosts with a known verdict. A purpose counts as blocked if at least one crawler of that purpose is blocked, on any
-- basis, including a 5xx. Purposes are the registry's opinion of each crawler (agents.category), and a crawler may have several.
-- Variables: crawl (every crawl).
SELECT crawl, training_blocked, search_blocked, assistant_blocked, count(*) AS hosts,
    round(count(*) / sum(count(*)) OVER (PARTITION BY crawl), 6) AS share
FROM (
    SELECT crawl, surt_host_name,
        coalesce(bool_or(verdict = 'disallow_all') FILTER (category = 'ai_training'), false) AS training_blocked,
        coalesce(bool_or(verdict = 'disallow_all') FILTER (category = 'ai_search'), false) AS search_blocked,
        coalesce(bool_or(verdict = 'disallow_all') FILTER (category = 'ai_assistant'), false) AS assistant_blocked
    FROM verdicts_in(['ai_training', 'ai_search', 'ai_assistant'])
    WHERE verdict <> 'unknown' AND category IN ('ai_training', 'ai_search', 'ai_assistant')
        AND (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
    GROUP BY crawl, surt_host_name)
GROUP BY crawl, training_blocked, search_blocked, assistant_blocked
ORDER BY crawl, hosts DESC, training_blocked, search_blocked, assistant_blocked;
