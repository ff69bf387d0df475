-- How many hosts block at least one crawler of each category by name?
-- Title: categories of crawlers
--
-- Denominator: hosts with a known verdict for '*', and their registered domains, as in agents_of_category. The row '(any ai)' is about
-- the crawlers of all categories that begin with ai_. mostly are the two crawlers of the category that most of these hosts block.
-- Pitfall: a host counts in every category of which it blocks a crawler, and a crawler with two categories counts in both, so rows do
-- not add up. The more crawlers a category has (agents), the more hosts block one of them. Only blocks by the crawler's own name count,
-- not those of a fallback or of '*'.
-- Columns: crawl; category, agents: the category, and its crawlers; shares; mostly: the two crawlers that most of these hosts block.
CREATE OR REPLACE MACRO blocking_by_category(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('decided', crawl) AS is_known
),
members AS MATERIALIZED (
    SELECT DISTINCT g.agent, unnest([g.category, g.category2,
        CASE WHEN starts_with(g.category, 'ai_') OR coalesce(starts_with(g.category2, 'ai_'), false) THEN '(any ai)' END]) AS category
    FROM agents g
),
categories AS MATERIALIZED (
    SELECT m.category, count(*) AS agents FROM members m WHERE m.category IS NOT NULL GROUP BY m.category
),
blocked AS MATERIALIZED (
    SELECT h.crawl, v.host_id, m.category, v.agent
    FROM host_verdicts v
    JOIN members m ON m.agent = v.agent
    JOIN hosts_with('decided', crawl := crawl) h ON h.host_id = v.host_id
    WHERE v.basis = 'explicit' AND v.verdict = 'disallow_all' AND in_crawls(v.crawl, crawl)
),
blocks AS (
    SELECT DISTINCT b.host_id, b.category FROM blocked b
),
most AS (
    SELECT n.crawl, n.category, string_agg(g.token, ', ' ORDER BY n.hosts DESC, n.agent) AS mostly
    FROM (
        SELECT b.crawl, b.category, b.agent, count(*) AS hosts
        FROM blocked b
        GROUP BY b.crawl, b.category, b.agent
        QUALIFY row_number() OVER (PARTITION BY b.crawl, b.category ORDER BY count(*) DESC, b.agent) <= 2) n
    JOIN agents g ON g.agent = n.agent
    GROUP BY n.crawl, n.category
),
parts AS (
    SELECT h.crawl, b.category, h.ruleset_id, part_of(grouping(h.domain_id, h.ruleset_id, h.archive_no), h.domain_id) AS part,
        coalesce(h.domain_id, h.archive_no) AS unit, count(*) AS x
    FROM blocks b
    JOIN hosts_with('decided', crawl := crawl) h ON h.host_id = b.host_id
    GROUP BY GROUPING SETS ((h.crawl, b.category, h.domain_id), (h.crawl, b.category, h.ruleset_id), (h.crawl, b.category, h.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('decided', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, g.category, any_value(g.agents) AS agents,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))), any_value(m.mostly) AS mostly
    FROM crawls() c
    CROSS JOIN categories g
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN most m ON m.crawl = c.crawl AND m.category = g.category
    LEFT JOIN parts p ON p.crawl = c.crawl AND p.category = g.category
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, g.category, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.category;

FROM blocking_by_category();
