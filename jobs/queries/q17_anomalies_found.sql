-- Which anomalies do files have, and how often does one change a verdict?
-- Title: odd lines and their effect
--
-- Denominator: hosts with a 2xx response, and their registered domains. changed counts hosts on which reading one line according to
-- RFC 9309's grammar gives another verdict; undecided hosts are not in it. names are the three names that most of these hosts have on such
-- lines; null if the lines name no crawler.
-- Pitfall: an HTML page sent as robots.txt counts as one host with one anomaly, html_body. lines are lines of all hosts, and a few
-- files have thousands.
-- Columns: crawl; code, severity: the anomaly; shares; changed: hosts on which it changes a verdict; changed_largest_domain: the part of
-- these in one domain; lines: lines on all hosts; names: the names on most of the lines that change a verdict.
CREATE OR REPLACE MACRO anomalies_found(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('successful', crawl) AS is_known
),
files AS (
    SELECT h.crawl, h.domain_id, h.ruleset_id, h.archive_no, h.rules_robots_id FROM hosts_with('successful', crawl := crawl) h
),
-- Counted once for each file, which may be that of many hosts.
features AS (
    SELECT a.crawl, a.robots_id, a.code, max(a.severity) AS severity, coalesce(bool_or(a.changes_verdict), false) AS changed, count(*) AS lines
    FROM anomalies a
    WHERE a.crawl IN (SELECT DISTINCT f.crawl FROM files f)
    GROUP BY a.crawl, a.robots_id, a.code
),
names AS (
    SELECT c.crawl, c.code, string_agg(c.agent, ', ' ORDER BY c.hosts DESC, c.agent) AS names
    FROM (
        SELECT n.crawl, n.code, n.agent, count(*) AS hosts
        FROM (
            SELECT DISTINCT a.crawl, a.robots_id, a.code, g.agent
            FROM anomalies a
            JOIN groups g ON g.crawl = a.crawl AND g.robots_id = a.robots_id AND g.line_no = a.line_no
            WHERE a.changes_verdict AND g.agent NOT IN ('', '*') AND a.crawl IN (SELECT DISTINCT f.crawl FROM files f)) n
        JOIN files f ON f.crawl = n.crawl AND f.rules_robots_id = n.robots_id
        GROUP BY n.crawl, n.code, n.agent
        QUALIFY row_number() OVER (PARTITION BY n.crawl, n.code ORDER BY count(*) DESC, n.agent) <= 3) c
    GROUP BY c.crawl, c.code
),
parts AS (
    SELECT h.crawl, f.code, f.severity, h.ruleset_id, part_of(grouping(h.domain_id, h.ruleset_id, h.archive_no), h.domain_id) AS part,
        coalesce(h.domain_id, h.archive_no) AS unit, count(*) AS x,
        count(*) FILTER (f.changed) AS changed, sum(f.lines) AS lines
    FROM features f
    JOIN files h ON h.crawl = f.crawl AND h.rules_robots_id = f.robots_id
    GROUP BY GROUPING SETS ((h.crawl, f.code, f.severity, h.domain_id), (h.crawl, f.code, f.severity, h.ruleset_id), (h.crawl, f.code, f.severity, h.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('successful', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, p.code, p.severity, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        coalesce(sum(p.changed) FILTER (p.part = 'archive'), 0)::BIGINT AS changed, largest_domain(p.part, p.changed) AS changed_largest_domain,
        coalesce(sum(p.lines) FILTER (p.part = 'archive'), 0)::BIGINT AS lines, any_value(n.names) AS names
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    LEFT JOIN names n ON n.crawl = p.crawl AND n.code = p.code
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, p.code, p.severity, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.code;

FROM anomalies_found();
