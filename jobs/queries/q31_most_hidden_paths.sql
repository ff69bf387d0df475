-- Which paths are disallowed by the most hosts?
--
-- Denominator: hosts whose file has rules, and their registered domains. Rules found in HTML pages and in binary data are not counted.
-- Pitfall: a path disallowed for one crawler counts like one disallowed for all. Paths are patterns as parsed, and the most common ones
-- are defaults of software: see largest_ruleset. A disallowed path is not secret: robots.txt is public.
CREATE OR REPLACE MACRO most_hidden_paths(crawl := NULL, top := 50) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_hosts('rules', crawl) AS is_known
),
-- Most of the time goes to grouping, so crawls and paths are grouped by their numbers where possible.
crawl_numbers AS MATERIALIZED (
    SELECT c.crawl, c.position, c.sample FROM crawls() c
),
files AS (
    SELECT h.*, c.position FROM numbered_hosts('rules', crawl := crawl) h JOIN crawl_numbers c ON c.crawl = h.crawl
),
counted AS MATERIALIZED (
    SELECT c.position, x.path, count(*) AS n
    FROM hosts_with('rules', crawl := crawl) f
    JOIN crawl_numbers c ON c.crawl = f.crawl
    JOIN rules x ON x.crawl = f.rules_crawl AND x.robots_id = f.rules_robots_id
    WHERE x.group_no IS NOT NULL AND NOT x.allow AND NOT x.is_empty AND x.counts AND NOT x.is_repeated
    GROUP BY c.position, x.path
),
-- The numbers of hosts that fewer than top paths exceed: only paths with such a number are sorted.
top_counts AS (
    SELECT c.position, c.n
    FROM counted c
    GROUP BY c.position, c.n
    QUALIFY (sum(count(*)) OVER (PARTITION BY c.position ORDER BY c.n DESC) - count(*))::BIGINT < top
),
ranking AS MATERIALIZED (
    SELECT c.position, c.path, dense_rank() OVER (ORDER BY c.path) AS path_no
    FROM counted c
    JOIN top_counts t ON t.position = c.position AND t.n = c.n
    QUALIFY row_number() OVER (PARTITION BY c.position ORDER BY c.n DESC, c.path) <= top
),
parts AS (
    SELECT f.position, t.path_no, f.ruleset_id, f.archive_no, f.n, part_of_numbered(grouping(f.domain_no, f.ruleset_id, f.archive_no), f.domain_no) AS part, count(*) AS x
    FROM rules x
    JOIN (SELECT DISTINCT r.path, r.path_no FROM ranking r) t ON t.path = x.path
    JOIN files f ON f.rules_crawl = x.crawl AND f.rules_robots_id = x.robots_id
    WHERE x.group_no IS NOT NULL AND NOT x.allow AND NOT x.is_empty AND x.counts AND NOT x.is_repeated
    GROUP BY GROUPING SETS ((f.position, t.path_no, f.domain_no, f.n), (f.position, t.path_no, f.ruleset_id), (f.position, t.path_no, f.archive_no))
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
    SELECT c.position, c.crawl, r.path, unnest(shares(p.part, p.ruleset_id, p.x, coalesce(p.n, a.n), any_value(w.whole), any_value(c.sample)))
    FROM parts p
    JOIN ranking r ON r.position = p.position AND r.path_no = p.path_no
    JOIN crawl_numbers c ON c.position = p.position
    LEFT JOIN archives a ON p.part = 'archive' AND a.crawl = c.crawl AND a.archive_no = p.archive_no
    JOIN wholes w ON w.crawl = c.crawl
    GROUP BY c.crawl, r.path, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.path;

FROM most_hidden_paths();
