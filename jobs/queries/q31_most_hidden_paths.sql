-- Which paths are disallowed by the most hosts?
--
-- Denominator: hosts whose file has rules, and their registered domains. Rules found in HTML pages and in binary data are not counted.
-- Pitfall: a path disallowed for one crawler counts like one disallowed for all. Paths are patterns as parsed, and the most common ones
-- are defaults of software: see largest_ruleset. A disallowed path is not secret: robots.txt is public.
CREATE OR REPLACE MACRO most_hidden_paths(crawl := NULL, top := 50) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_hosts('rules', crawl) AS is_known
),
files AS (
    SELECT h.* FROM numbered_hosts('rules', crawl := crawl) h
),
ranking AS MATERIALIZED (
    SELECT f.crawl, x.path
    FROM hosts_with('rules', crawl := crawl) f
    JOIN rules x ON x.crawl = f.rules_crawl AND x.robots_id = f.rules_robots_id
    WHERE x.group_no IS NOT NULL AND NOT x.allow AND NOT x.is_empty AND x.counts AND NOT x.is_repeated
    GROUP BY f.crawl, x.path
    QUALIFY row_number() OVER (PARTITION BY f.crawl ORDER BY count(*) DESC, x.path) <= top
),
parts AS (
    SELECT f.crawl, x.path, f.ruleset_id, f.archive_no, f.n, part_of_numbered(grouping(f.domain_no, f.ruleset_id, f.archive_no), f.domain_no) AS part, count(*) AS x
    FROM rules x
    JOIN files f ON f.rules_crawl = x.crawl AND f.rules_robots_id = x.robots_id
    WHERE x.group_no IS NOT NULL AND NOT x.allow AND NOT x.is_empty AND x.counts AND NOT x.is_repeated AND x.path IN (SELECT r.path FROM ranking r)
    GROUP BY GROUPING SETS ((f.crawl, x.path, f.domain_no, f.n), (f.crawl, x.path, f.ruleset_id), (f.crawl, x.path, f.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('rules', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
archives AS (
    SELECT u.crawl, u.unit::BIGINT AS archive_no, u.n FROM units u WHERE u.part = 'archive'
),
answer AS (
    SELECT c.position, p.crawl, p.path, unnest(shares(p.part, p.ruleset_id, p.x, coalesce(p.n, a.n), any_value(w.whole), any_value(c.sample)))
    FROM parts p
    JOIN ranking r ON r.crawl = p.crawl AND r.path = p.path
    LEFT JOIN archives a ON p.part = 'archive' AND a.crawl = p.crawl AND a.archive_no = p.archive_no
    JOIN wholes w ON w.crawl = p.crawl
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.path, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.path;

FROM most_hidden_paths();
