-- How many hosts block AI training but allow AI search and assistants?
-- Title: blocks by purpose of AI
--
-- Denominator: hosts with a known verdict for at least one AI crawler. A purpose counts as blocked if at least one crawler of that
-- purpose is blocked, on any basis: by name, through '*' or by a 429 or 5xx.
-- Pitfall: purposes are the registry's opinion of each crawler (agents.category). Sites that block all
-- crawlers are in the class that blocks all three.
-- Columns: crawl; training_blocked, search_blocked, assistant_blocked: at least one crawler of the purpose is blocked, on any ground;
-- shares.
CREATE OR REPLACE MACRO training_or_search(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('captured', crawl) AS is_known
),
asked AS (
    SELECT lower(g.agent) AS name, g.category, g.ignores_wildcard, g.fallbacks
    FROM agents g
    WHERE g.category IN ('ai_training', 'ai_search', 'ai_assistant')
),
-- The names whose groups each crawler obeys, with its own at position 0.
obeyed AS (
    SELECT a.name AS asked_name, a.name, a.category, a.ignores_wildcard, 0 AS place FROM asked a
    UNION ALL
    SELECT a.name, trim(unnest(string_split(a.fallbacks, ','))), a.category, a.ignores_wildcard, unnest(range(1, 1 + len(string_split(a.fallbacks, ','))))
    FROM asked a
),
-- The crawlers that a host names, each with the verdict of the group that it obeys.
named AS (
    SELECT v.host_id, o.asked_name, any_value(o.category) AS category, any_value(o.ignores_wildcard) AS ignores_wildcard,
        arg_min(v.verdict, o.place) AS verdict
    FROM host_verdicts v
    JOIN obeyed o ON o.name = v.agent
    WHERE v.basis IN ('explicit', 'too_complex') AND in_crawls(v.crawl, crawl)
    GROUP BY v.host_id, o.asked_name
),
by_host AS (
    SELECT n.host_id, n.category, bool_or(n.verdict = 'disallow_all') AS blocked, bool_or(n.verdict <> 'unknown') AS known,
        count(*) AS crawlers, count(*) FILTER (NOT n.ignores_wildcard) AS heeding
    FROM named n
    GROUP BY n.host_id, n.category
),
purposes AS (
    SELECT a.category, count(*) AS crawlers, count(*) FILTER (NOT a.ignores_wildcard) AS heeding FROM asked a GROUP BY a.category
),
-- The other crawlers of a purpose have the verdict of '*'. Those that ignore it are allowed, unless the status decided.
answers AS (
    SELECT h.crawl, h.host_id, h.domain_id, h.ruleset_id, h.archive_no, p.category,
        coalesce(b.heeding, 0) < p.heeding OR h.wildcard_basis = 'http_status' AND coalesce(b.crawlers, 0) < p.crawlers AS has_others,
        coalesce(b.crawlers, 0) - coalesce(b.heeding, 0) < p.crawlers - p.heeding AND h.wildcard_basis <> 'http_status' AS has_ignoring,
        coalesce(b.blocked, false) OR has_others AND h.wildcard_verdict = 'disallow_all' AS blocked,
        coalesce(b.known, false) OR has_ignoring OR has_others AND h.wildcard_verdict <> 'unknown' AS is_known
    FROM hosts h
    CROSS JOIN purposes p
    LEFT JOIN by_host b ON b.host_id = h.host_id AND b.category = p.category
    WHERE h.has_named_rows AND in_crawls(h.crawl, crawl)
),
classes AS (
    SELECT a.crawl, a.host_id, any_value(a.domain_id) AS domain_id, any_value(a.ruleset_id) AS ruleset_id, any_value(a.archive_no) AS archive_no,
        bool_or(a.blocked) FILTER (a.category = 'ai_training') AS training_blocked,
        bool_or(a.blocked) FILTER (a.category = 'ai_search') AS search_blocked,
        bool_or(a.blocked) FILTER (a.category = 'ai_assistant') AS assistant_blocked
    FROM answers a
    GROUP BY a.crawl, a.host_id
    HAVING bool_or(a.is_known)
),
parts AS (
    SELECT x.crawl, x.training_blocked, x.search_blocked, x.assistant_blocked, x.ruleset_id,
        part_of(grouping(x.domain_id, x.ruleset_id, x.archive_no), x.domain_id) AS part, coalesce(x.domain_id, x.archive_no) AS unit, count(*) AS x
    FROM classes x
    GROUP BY x.crawl, x.training_blocked, x.search_blocked, x.assistant_blocked, GROUPING SETS ((x.domain_id), (x.ruleset_id), (x.archive_no))
),
units AS (
    SELECT p.crawl, p.part, p.unit, sum(p.x) AS n FROM parts p WHERE p.part <> 'ruleset' GROUP BY p.crawl, p.part, p.unit
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, p.training_blocked, p.search_blocked, p.assistant_blocked,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, p.training_blocked, p.search_blocked, p.assistant_blocked, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.training_blocked, s.search_blocked, s.assistant_blocked;

FROM training_or_search();
