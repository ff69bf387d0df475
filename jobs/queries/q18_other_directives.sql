-- Which directives other than allow, disallow and sitemap are in use?
-- Title: other directives
--
-- Denominator: hosts whose file has rules, and their registered domains. HTML pages and binary data are not among them.
-- Pitfall: unknown directives are mostly typos; known is true if a specification or a crawler defines the key. lines are lines of all
-- hosts, and a few files have thousands.
-- Columns: crawl; directive, known: the key, and if a specification or crawler defines it; shares; lines: lines on all hosts.
CREATE OR REPLACE MACRO other_directives(crawl := NULL, top := 50) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_hosts('rules', crawl) AS is_known
),
files AS (
    SELECT h.crawl, h.host_id, h.domain_id, h.ruleset_id, h.archive_no, h.rules_robots_id FROM hosts_with('rules', crawl := crawl) h
),
features AS (
    SELECT f.crawl, f.host_id, d.directive, bool_or(d.known) AS known, count(*) AS lines
    FROM files f
    JOIN directives d ON d.crawl = f.crawl AND d.robots_id = f.rules_robots_id
    GROUP BY f.crawl, f.host_id, d.directive
),
ranking AS (
    SELECT f.crawl, f.directive, f.known
    FROM features f
    GROUP BY f.crawl, f.directive, f.known
    QUALIFY row_number() OVER (PARTITION BY f.crawl ORDER BY count(*) DESC, f.directive, f.known) <= top
),
parts AS (
    SELECT f.crawl, f.directive, f.known, h.ruleset_id, part_of(grouping(h.domain_id, h.ruleset_id, h.archive_no), h.domain_id) AS part,
        coalesce(h.domain_id, h.archive_no) AS unit, count(*) AS x, sum(f.lines) AS lines
    FROM features f
    JOIN ranking r ON r.crawl = f.crawl AND r.directive IS NOT DISTINCT FROM f.directive AND r.known IS NOT DISTINCT FROM f.known
    JOIN files h ON h.host_id = f.host_id
    GROUP BY GROUPING SETS ((f.crawl, f.directive, f.known, h.domain_id), (f.crawl, f.directive, f.known, h.ruleset_id), (f.crawl, f.directive, f.known, h.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('rules', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, p.directive, p.known, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        coalesce(sum(p.lines) FILTER (p.part = 'archive'), 0)::BIGINT AS lines
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, p.directive, p.known, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.directive, s.known;

FROM other_directives();
