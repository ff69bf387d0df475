-- How often does a group name a crawler by a name that is not a product token of RFC 9309?
-- Title: names that are no tokens
--
-- Denominator: hosts whose file has rules, and their registered domains; for share_of_lines, user-agent lines with a name other than '*'.
-- Pitfall: the causes are digits, dots and blanks. Real crawlers such as MJ12bot are among them, so this is not a count of mistakes.
-- Columns: crawl; shares; hosts_naming: hosts that name any crawler; lines, share_of_lines: lines that name one, and the part that is no
-- token.
CREATE OR REPLACE MACRO names_rfc9309_cannot_match(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('rules', crawl) AS is_known
),
files AS (
    SELECT h.crawl, h.host_id, h.domain_id, h.ruleset_id, h.archive_no, h.rules_robots_id FROM hosts_with('rules', crawl := crawl) h
),
lines AS (
    SELECT f.crawl, f.host_id, count(*) AS lines, count(*) FILTER (NOT g.token_valid) AS invalid
    FROM files f
    JOIN groups g ON g.crawl = f.crawl AND g.robots_id = f.rules_robots_id
    WHERE g.agent NOT IN ('*', '')
    GROUP BY f.crawl, f.host_id
),
parts AS (
    SELECT f.crawl, f.ruleset_id, part_of(grouping(f.domain_id, f.ruleset_id, f.archive_no), f.domain_id) AS part,
        coalesce(f.domain_id, f.archive_no) AS unit, count(*) FILTER (l.invalid > 0) AS x,
        count(l.lines) AS naming, sum(l.lines) AS lines, sum(l.invalid) AS invalid
    FROM files f
    LEFT JOIN lines l ON l.host_id = f.host_id
    GROUP BY GROUPING SETS ((f.crawl, f.domain_id), (f.crawl, f.ruleset_id), (f.crawl, f.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('rules', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        coalesce(sum(p.naming) FILTER (p.part = 'archive'), 0)::BIGINT AS hosts_naming, coalesce(sum(p.lines) FILTER (p.part = 'archive'), 0)::BIGINT AS lines,
        round(sum(p.invalid) FILTER (p.part = 'archive') / sum(p.lines) FILTER (p.part = 'archive'), 6) AS share_of_lines
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position;

FROM names_rfc9309_cannot_match();
