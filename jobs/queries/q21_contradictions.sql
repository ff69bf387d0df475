-- Do hosts that state a preference on AI training treat a training agent the same way?

-- Denominator: hosts with a valid statement on training (ai-train or train-ai). A statement on one path or one group is counted
-- with the others. Blocking an agent that may train is no contradiction by itself: it may have other reasons.
-- Variables: agent (gptbot), crawl (every crawl).
SELECT v.crawl, s.training_allowed, v.verdict, v.basis, count(*) AS hosts
FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot')) v
JOIN hosts h ON h.crawl = v.crawl AND h.robots_id = v.robots_id
JOIN (
    SELECT crawl, robots_id,
        CASE WHEN bool_and(allow) THEN 'yes' WHEN NOT bool_or(allow) THEN 'no' ELSE 'both' END AS training_allowed
    FROM preferences
    WHERE pref_key IN ('ai-train', 'train-ai') AND is_valid AND allow IS NOT NULL
    GROUP BY crawl, robots_id) s ON s.crawl = h.rules_crawl AND s.robots_id = h.rules_robots_id
WHERE (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl')) AND (getvariable('crawl') IS NULL OR v.crawl = getvariable('crawl'))
GROUP BY ALL
ORDER BY v.crawl, hosts DESC, s.training_allowed, v.verdict, v.basis;
