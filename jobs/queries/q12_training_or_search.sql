-- How many hosts block AI training but allow AI search and assistants?

-- Denominator: hosts with a known verdict. A purpose counts as blocked if at least one crawler of that purpose is blocked, on any
-- basis, including a 5xx. Purposes are the registry's opinion of each crawler (agents.category), and a crawler may have several.
-- Variables: crawl (every crawl).
WITH asked AS (
    SELECT lower(g.agent) AS name, g.category, g.ignores_wildcard, g.fallbacks
    FROM agents g
    WHERE g.category IN ('ai_training', 'ai_search', 'ai_assistant')
),
-- The names whose groups each crawler obeys, with its own at position 0.
obeyed AS (
    SELECT name AS asked_name, name, category, ignores_wildcard, 0 AS place FROM asked
    UNION ALL
    SELECT name, trim(unnest(string_split(fallbacks, ','))), category, ignores_wildcard, unnest(range(1, 1 + len(string_split(fallbacks, ','))))
    FROM asked
),
-- The crawlers that a host names, each with the verdict of the group that it obeys.
named AS (
    SELECT v.host_id, o.asked_name, any_value(o.category) AS category, any_value(o.ignores_wildcard) AS ignores_wildcard,
        arg_min(v.verdict, o.place) AS verdict
    FROM host_verdicts v
    JOIN obeyed o ON o.name = v.agent
    WHERE v.basis IN ('explicit', 'too_complex') AND (getvariable('crawl') IS NULL OR v.crawl = getvariable('crawl'))
    GROUP BY v.host_id, o.asked_name
),
by_host AS (
    SELECT host_id, category, bool_or(verdict = 'disallow_all') AS blocked, bool_or(verdict <> 'unknown') AS known,
        count(*) AS crawlers, count(*) FILTER (NOT ignores_wildcard) AS heeding
    FROM named
    GROUP BY ALL
),
purposes AS (
    SELECT category, count(*) AS crawlers, count(*) FILTER (NOT ignores_wildcard) AS heeding FROM asked GROUP BY category
),
-- The other crawlers of a purpose have the verdict of '*'. Those that ignore it are allowed, unless the status decided.
answers AS (
    SELECT h.crawl, h.host_id, p.category,
        coalesce(b.heeding, 0) < p.heeding OR h.wildcard_basis = 'http_status' AND coalesce(b.crawlers, 0) < p.crawlers AS has_others,
        coalesce(b.crawlers, 0) - coalesce(b.heeding, 0) < p.crawlers - p.heeding AND h.wildcard_basis <> 'http_status' AS has_ignoring,
        coalesce(b.blocked, false) OR has_others AND h.wildcard_verdict = 'disallow_all' AS blocked,
        coalesce(b.known, false) OR has_ignoring OR has_others AND h.wildcard_verdict <> 'unknown' AS is_known
    FROM hosts h
    CROSS JOIN purposes p
    LEFT JOIN by_host b ON b.host_id = h.host_id AND b.category = p.category
    WHERE h.has_named_rows AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
)
SELECT crawl, training_blocked, search_blocked, assistant_blocked, count(*) AS hosts,
    round(count(*) / sum(count(*)) OVER (PARTITION BY crawl), 6) AS share
FROM (
    SELECT crawl, host_id,
        bool_or(blocked) FILTER (category = 'ai_training') AS training_blocked,
        bool_or(blocked) FILTER (category = 'ai_search') AS search_blocked,
        bool_or(blocked) FILTER (category = 'ai_assistant') AS assistant_blocked
    FROM answers
    GROUP BY crawl, host_id
    HAVING bool_or(is_known))
GROUP BY crawl, training_blocked, search_blocked, assistant_blocked
ORDER BY crawl, hosts DESC, training_blocked, search_blocked, assistant_blocked;
