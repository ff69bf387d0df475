-- How many hosts announce sitemaps, and how many of these URLs are relative or on another domain?
-- Title: sitemaps
--
-- Denominator: hosts with a 2xx response, and their registered domains; sitemap lines for relative and other_domain.
-- Pitfall: a few hosts with thousands of lines dominate the shares of lines; hosts_relative and hosts_other_domain count hosts. other_domain means
-- another registered domain; an empty line is relative, and a line without a URL, or with an
-- unknown domain, is not foreign.
-- Columns: crawl; shares; hosts_relative, hosts_other_domain: hosts with a relative URL, and with one on another domain; lines: sitemap lines
-- on all hosts; relative, other_domain: shares of these lines.
CREATE OR REPLACE MACRO sitemap_adoption(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('successful', crawl) AS is_known
),
files AS (
    SELECT h.crawl, h.host_id, h.domain_id, h.ruleset_id, h.archive_no, h.rules_robots_id FROM hosts_with('successful', crawl := crawl) h
),
lines AS (
    SELECT f.host_id, count(*) AS lines, count(*) FILTER (NOT s.is_absolute) AS relative,
        count(*) FILTER (NOT coalesce(s.same_registered_domain, true)) AS other_domain
    FROM files f
    JOIN sitemaps s ON s.crawl = f.crawl AND s.robots_id = f.rules_robots_id
    GROUP BY f.host_id
),
parts AS (
    SELECT f.crawl, f.ruleset_id, part_of(grouping(f.domain_id, f.ruleset_id, f.archive_no), f.domain_id) AS part, coalesce(f.domain_id, f.archive_no) AS unit,
        count(l.lines) AS x, coalesce(sum(l.lines), 0) AS lines, coalesce(sum(l.relative), 0) AS relative,
        coalesce(sum(l.other_domain), 0) AS other_domain, count(*) FILTER (l.relative > 0) AS hosts_relative,
        count(*) FILTER (l.other_domain > 0) AS hosts_other_domain
    FROM files f
    LEFT JOIN lines l ON l.host_id = f.host_id
    GROUP BY GROUPING SETS ((f.crawl, f.domain_id), (f.crawl, f.ruleset_id), (f.crawl, f.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('successful', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        coalesce(sum(p.hosts_relative) FILTER (p.part = 'archive'), 0)::BIGINT AS hosts_relative,
        coalesce(sum(p.hosts_other_domain) FILTER (p.part = 'archive'), 0)::BIGINT AS hosts_other_domain,
        coalesce(sum(p.lines) FILTER (p.part = 'archive'), 0)::BIGINT AS lines,
        round(sum(p.relative) FILTER (p.part = 'archive') / nullif(sum(p.lines) FILTER (p.part = 'archive'), 0), 6) AS relative,
        round(sum(p.other_domain) FILTER (p.part = 'archive') / nullif(sum(p.lines) FILTER (p.part = 'archive'), 0), 6) AS other_domain
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

FROM sitemap_adoption();
