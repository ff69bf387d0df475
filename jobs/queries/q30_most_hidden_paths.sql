-- Which paths are disallowed by the most hosts?
-- Title: paths disallowed by most
--
-- Denominator: hosts whose file has rules, and their registered domains. Rules found in HTML pages and in binary data are not counted.
-- hosts_for_wildcard are the hosts that disallow the path for '*'.
-- Pitfall: a path disallowed for one crawler counts like one disallowed for all: see hosts_for_wildcard. Paths are patterns as parsed, and the most common ones
-- are defaults of software: see largest_ruleset. A disallowed path is not secret: robots.txt is public.
-- Columns: crawl; path: the pattern; shares; hosts_for_wildcard: hosts that disallow it for *.
CREATE OR REPLACE MACRO most_hidden_paths(crawl := NULL, top := 50) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_hosts('rules', crawl) AS is_known
),
-- Most of the time goes to grouping, so crawls and paths are grouped by their numbers where possible.
crawl_numbers AS MATERIALIZED (
    SELECT c.crawl, c.position, c.sample, c.hosts FROM crawls() c
),
files AS MATERIALIZED (
    SELECT h.crawl, c.position, h.domain_id, h.ruleset_id, h.archive_no, h.rules_robots_id
    FROM hosts_with('rules', crawl := crawl) h
    JOIN crawl_numbers c ON c.crawl = h.crawl
),
hidden AS NOT MATERIALIZED (
    SELECT r.crawl, r.robots_id, r.path
    FROM rules r
    WHERE r.group_no IS NOT NULL AND NOT r.allow AND NOT r.is_empty AND r.counts AND NOT r.is_repeated
),
counted AS MATERIALIZED (
    SELECT f.position, x.path, count(*) AS n
    FROM hosts_with('rules', crawl := crawl) h
    JOIN crawl_numbers f ON f.crawl = h.crawl
    JOIN hidden x ON x.crawl = h.crawl AND x.robots_id = h.rules_robots_id
    GROUP BY f.position, x.path
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
found AS MATERIALIZED (
    SELECT x.crawl, x.robots_id, t.path_no
    FROM hidden x
    JOIN (SELECT DISTINCT r.path, r.path_no FROM ranking r) t ON t.path = x.path
),
for_all AS MATERIALIZED (
    SELECT DISTINCT r.crawl, r.robots_id, t.path_no
    FROM rules r
    JOIN (SELECT DISTINCT k.path, k.path_no FROM ranking k) t ON t.path = r.path
    JOIN groups g ON g.crawl = r.crawl AND g.robots_id = r.robots_id AND g.group_no = r.group_no
    WHERE NOT r.allow AND r.counts AND g.agent = '*' AND g.counts AND in_crawls(r.crawl, crawl)
),
parts AS (
    SELECT f.position, t.path_no, f.ruleset_id, part_of(grouping(f.domain_id, f.ruleset_id, f.archive_no), f.domain_id) AS part,
        coalesce(f.domain_id, f.archive_no) AS unit, count(*) AS x, count(a.path_no) AS for_all
    FROM found t
    JOIN files f ON f.crawl = t.crawl AND f.rules_robots_id = t.robots_id
    LEFT JOIN for_all a ON a.crawl = t.crawl AND a.robots_id = t.robots_id AND a.path_no = t.path_no
    GROUP BY GROUPING SETS ((f.position, t.path_no, f.domain_id), (f.position, t.path_no, f.ruleset_id), (f.position, t.path_no, f.archive_no))
),
units AS (
    SELECT f.position, part_of(grouping(f.domain_id, f.archive_no), f.domain_id) AS part, coalesce(f.domain_id, f.archive_no) AS unit, count(*) AS n
    FROM files f
    GROUP BY GROUPING SETS ((f.position, f.domain_id), (f.position, f.archive_no))
),
wholes AS (
    SELECT u.position, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.position
),
answer AS (
    SELECT c.position, c.crawl, r.path, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        coalesce(sum(p.for_all) FILTER (p.part = 'archive'), 0)::BIGINT AS hosts_for_wildcard
    FROM crawl_numbers c
    LEFT JOIN wholes w ON w.position = c.position
    LEFT JOIN ranking r ON r.position = c.position
    LEFT JOIN parts p ON p.position = r.position AND p.path_no = r.path_no
    LEFT JOIN units u ON u.position = p.position AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, r.path, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.path;

FROM most_hidden_paths();
