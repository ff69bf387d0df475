-- On how many hosts may a crawler fetch everything, some paths or nothing, by rules and status together?
-- Title: all, some or no paths
--
-- Denominator: hosts with at least one capture of /robots.txt. access is the verdict: allow_all, partial, disallow_all, or unknown for the
-- others. by_name, by_wildcard and by_status divide the hosts of the row by the reason, and by_no_rule are files without a rule that applies.
-- Pitfall: statuses count as Google treats them: 401 and 403 allow, although Common Crawl's own crawler stays away; 429 and 5xx
-- disallow, although they are temporary. An HTML page sent as robots.txt allows everything: that is not consent.
-- Columns: crawl; agent; access: allow_all, partial, disallow_all or unknown; shares; by_name, by_wildcard, by_status, by_no_rule: the
-- hosts of the row by the reason.
CREATE OR REPLACE MACRO access_in_three(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
answers AS (
    SELECT v.crawl, v.agent, v.domain_id, v.ruleset_id, v.archive_no, v.basis, v.verdict AS access
    FROM verdicts_for(agent, any_name := any_name) v
    WHERE in_crawls(v.crawl, crawl)
),
parts AS (
    SELECT a.crawl, a.agent, a.access, a.ruleset_id, part_of(grouping(a.domain_id, a.ruleset_id, a.archive_no), a.domain_id) AS part,
        coalesce(a.domain_id, a.archive_no) AS unit, count(*) AS x, count(*) FILTER (a.basis = 'explicit') AS by_name,
        count(*) FILTER (a.basis = 'wildcard') AS by_wildcard, count(*) FILTER (a.basis = 'http_status') AS by_status,
        count(*) FILTER (a.basis IN ('no_group', 'no_rules', 'empty', 'html', 'binary')) AS by_no_rule
    FROM answers a
    GROUP BY GROUPING SETS ((a.crawl, a.agent, a.access, a.domain_id), (a.crawl, a.agent, a.access, a.ruleset_id), (a.crawl, a.agent, a.access, a.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('captured', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, p.crawl, p.agent, p.access, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        sum(p.by_name) FILTER (p.part = 'archive')::BIGINT AS by_name, sum(p.by_wildcard) FILTER (p.part = 'archive')::BIGINT AS by_wildcard,
        sum(p.by_status) FILTER (p.part = 'archive')::BIGINT AS by_status,
        sum(p.by_no_rule) FILTER (p.part = 'archive')::BIGINT AS by_no_rule
    FROM parts p
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    JOIN wholes w ON w.crawl = p.crawl
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.agent, p.access, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.access;

FROM access_in_three();
