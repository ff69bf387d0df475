-- Do hosts that state a preference about AI training have matching rules for a training agent?

-- Denominator: hosts with a valid statement about training (ai-train or train-ai). Statements about one path or one group are counted
-- with the others. Blocking an agent although training is allowed is not a contradiction by itself: there may be other reasons.
-- Variables: agent (gptbot), crawl (every crawl).
SELECT v.crawl, s.training_allowed, v.verdict, v.basis, count(*) AS hosts
FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot')) v
JOIN (
    SELECT crawl, robots_id,
        CASE WHEN bool_and(allow) THEN 'yes' WHEN NOT bool_or(allow) THEN 'no' ELSE 'both' END AS training_allowed
    FROM preferences
    WHERE pref_key IN ('ai-train', 'train-ai') AND is_valid AND allow IS NOT NULL
    GROUP BY crawl, robots_id) s ON s.crawl = v.rules_crawl AND s.robots_id = v.rules_robots_id
WHERE (getvariable('crawl') IS NULL OR v.crawl = getvariable('crawl'))
GROUP BY ALL
ORDER BY v.crawl, hosts DESC, s.training_allowed, v.verdict, v.basis;
