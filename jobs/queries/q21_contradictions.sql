-- Do hosts that state a preference about AI training have matching rules for a training crawler?
--
-- Denominator: hosts with a valid statement about training (ai-train or train-ai), and their registered domains.
-- Pitfall: statements about one path or one group are counted with the others. Blocking a crawler although training is allowed is not a
-- contradiction by itself: there may be other reasons. Only blocked_by_name is about this crawler.
CREATE OR REPLACE MACRO contradictions(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
statements AS (
    SELECT p.crawl, p.robots_id, CASE WHEN bool_and(p.allow) THEN 'yes' WHEN NOT bool_or(p.allow) THEN 'no' ELSE 'both' END AS training_allowed
    FROM preferences p
    WHERE p.pref_key IN ('ai-train', 'train-ai') AND p.is_valid AND p.allow IS NOT NULL
    GROUP BY p.crawl, p.robots_id
),
parts AS (
    SELECT b.crawl, b.agent, s.training_allowed, b.ruleset_id, part_of(grouping(b.domain, b.ruleset_id, b.archive_no)) AS part, count(*) AS hosts,
        count(*) FILTER (b.by_name) AS by_name, count(*) FILTER (b.by_wildcard) AS by_wildcard, count(*) FILTER (b.by_status) AS by_status,
        count(*) FILTER (b.verdict = 'partial') AS partly, count(*) FILTER (b.verdict = 'allow_all') AS allowed
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    JOIN statements s ON s.crawl = b.rules_crawl AND s.robots_id = b.rules_robots_id
    GROUP BY GROUPING SETS ((b.crawl, b.agent, s.training_allowed, b.domain), (b.crawl, b.agent, s.training_allowed, b.ruleset_id),
        (b.crawl, b.agent, s.training_allowed, b.archive_no))
),
answer AS (
    SELECT c.position, p.crawl, p.agent, p.training_allowed,
        unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(c.sample))),
        share_of_hosts(p.part, p.partly, p.hosts) AS partial, share_of_domains(p.part, p.partly, p.hosts) AS domains_partial,
        share_of_hosts(p.part, p.allowed, p.hosts) AS allowed, share_of_domains(p.part, p.allowed, p.hosts) AS domains_allowed
    FROM parts p
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.agent, p.training_allowed, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.training_allowed;

FROM contradictions();
