-- How many hosts state preferences about AI use and licences, and which?
-- Title: statements as written
--
-- Denominator: hosts with a 2xx response, and their registered domains.
-- Pitfall: statements that are not valid count, too. from_template separates a vendor's managed text from a site's own. Statements are independent of the rules of the file: see
-- contradictions. A statement may be limited to a path or a group: see effective_preferences for what a host means as a whole.
-- Columns: crawl; mechanism, pref_key, pref_value: the statement as it is written; from_template: if a vendor wrote it; shares.
CREATE OR REPLACE MACRO stated_preferences(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('successful', crawl) AS is_known
),
files AS (
    SELECT h.crawl, h.host_id, h.domain_id, h.ruleset_id, h.archive_no, h.rules_robots_id FROM hosts_with('successful', crawl := crawl) h
),
features AS (
    SELECT DISTINCT f.crawl, f.host_id, p.mechanism, p.pref_key, CASE WHEN p.mechanism = 'rsl-license' THEN NULL ELSE p.pref_value END AS pref_value,
        p.from_template
    FROM files f
    JOIN preferences p ON p.crawl = f.crawl AND p.robots_id = f.rules_robots_id
),
parts AS (
    SELECT f.crawl, f.mechanism, f.pref_key, f.pref_value, f.from_template, h.ruleset_id, part_of(grouping(h.domain_id, h.ruleset_id, h.archive_no), h.domain_id) AS part,
        coalesce(h.domain_id, h.archive_no) AS unit, count(*) AS x
    FROM features f
    JOIN files h ON h.host_id = f.host_id
    GROUP BY GROUPING SETS ((f.crawl, f.mechanism, f.pref_key, f.pref_value, f.from_template, h.domain_id), (f.crawl, f.mechanism, f.pref_key, f.pref_value, f.from_template, h.ruleset_id), (f.crawl, f.mechanism, f.pref_key, f.pref_value, f.from_template, h.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('successful', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, p.mechanism, p.pref_key, p.pref_value, p.from_template, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, p.mechanism, p.pref_key, p.pref_value, p.from_template, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.mechanism, s.pref_key, s.pref_value, s.from_template;

FROM stated_preferences();
