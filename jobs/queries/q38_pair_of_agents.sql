-- How many hosts block both of two crawlers, one of them, or neither?
-- Title: two crawlers compared
--
-- Denominator: hosts with a known verdict for both, and their registered domains. Only blocks by name count, unless
-- any_reason is true: then blocks by '*' and by a status count as well.
-- Pitfall: with any_reason, sites that block everybody are in 'both', which says nothing about the pair.
-- Columns: crawl; blocked: both, only one of them, or neither; shares.
CREATE OR REPLACE MACRO pair_of_agents(agent_a := 'GPTBot', agent_b := 'CCBot', any_reason := false, crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT CASE WHEN len(list_of(agent_a)) <> 1 OR len(list_of(agent_b)) <> 1
            THEN error('agent_a and agent_b are one crawler each: pair_of_agents(agent_a := ''GPTBot'', agent_b := ''CCBot'')') ELSE true END
        AND check_named_agent(list_of(agent_a)[1], any_name) AND check_named_agent(list_of(agent_b)[1], any_name)
        AND CASE WHEN whole_name(list_of(agent_a)[1]) = whole_name(list_of(agent_b)[1]) THEN error('two crawlers are expected: agent_a and agent_b are the same') ELSE true END AND check_hosts('captured', crawl) AS is_known
),
classes AS (
    SELECT a.crawl, a.domain_id, a.ruleset_id, a.archive_no,
        CASE WHEN a.by_name OR any_reason AND a.verdict = 'disallow_all'
            THEN CASE WHEN b.by_name OR any_reason AND b.verdict = 'disallow_all' THEN 'both' ELSE 'only ' || whole_name(list_of(agent_a)[1]) END
            WHEN b.by_name OR any_reason AND b.verdict = 'disallow_all' THEN 'only ' || whole_name(list_of(agent_b)[1]) ELSE 'neither' END AS blocked
    FROM blocking(list_of(agent_a)[1], crawl := crawl, any_name := any_name) a
    JOIN blocking(list_of(agent_b)[1], crawl := crawl, any_name := any_name) b ON b.host_id = a.host_id
),
parts AS (
    SELECT a.crawl, a.blocked, a.ruleset_id, part_of(grouping(a.domain_id, a.ruleset_id, a.archive_no), a.domain_id) AS part,
        coalesce(a.domain_id, a.archive_no) AS unit, count(*) AS x
    FROM classes a
    GROUP BY GROUPING SETS ((a.crawl, a.blocked, a.domain_id), (a.crawl, a.blocked, a.ruleset_id), (a.crawl, a.blocked, a.archive_no))
),
units AS (
    SELECT p.crawl, p.part, p.unit, sum(p.x) AS n FROM parts p WHERE p.part <> 'ruleset' GROUP BY p.crawl, p.part, p.unit
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, p.blocked, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, p.blocked, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.blocked;

FROM pair_of_agents();
