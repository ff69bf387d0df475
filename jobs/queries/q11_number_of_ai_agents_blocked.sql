-- How many AI agents does a host block by name, and what share block at least one?

-- Denominator: hosts with a known verdict for '*', whether they name any agent or not.
-- Only blocks by name: a host that blocks all crawlers through '*' is in the row 0. Copied lists and vendor templates make up the tail.
-- Variables: crawl (every crawl).
WITH blocks AS (
    SELECT v.host_id, count(*) AS n
    FROM host_verdicts v
    WHERE v.basis = 'explicit' AND v.verdict = 'disallow_all' AND v.agent IN (
        SELECT lower(g.agent) FROM agents g
        WHERE list_contains(['ai_training', 'ai_search', 'ai_assistant', 'ai_agent', 'ai_data_provider'], g.category)
            OR list_contains(['ai_training', 'ai_search', 'ai_assistant', 'ai_agent', 'ai_data_provider'], g.category2))
    GROUP BY v.host_id
)
SELECT h.crawl, coalesce(b.n, 0) AS agents_blocked, count(*) AS hosts,
    round(count(*) / sum(count(*)) OVER (PARTITION BY h.crawl), 6) AS share,
    round(sum(count(*)) OVER (PARTITION BY h.crawl ORDER BY agents_blocked DESC) / sum(count(*)) OVER (PARTITION BY h.crawl), 6) AS share_this_many_or_more
FROM hosts h
LEFT JOIN blocks b ON b.host_id = h.host_id
WHERE h.wildcard_verdict <> 'unknown' AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl, coalesce(b.n, 0)
ORDER BY h.crawl, agents_blocked;
