-- Which names are addressed by the most hosts, in the registry or not?
-- Title: names in files
--
-- Denominator: hosts whose file has rules, and their registered domains. Names in files without rules and in HTML pages are not counted.
-- Names that fewer than min_hosts hosts address are left out.
-- Pitfall: a name may be a typo, a retired crawler or a copy from a list; tracked is true if the registry has it. Names are whole
-- names, lower-cased and without a version. largest_domain near 1 means that one operator invented the name.
-- Columns: crawl; agent: the name, in lower case; tracked: the registry has it; shares.
CREATE OR REPLACE MACRO most_addressed_names(crawl := NULL, top := 50, min_hosts := 30) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_count('min_hosts', min_hosts) AND check_hosts('rules', crawl) AS is_known
),
files AS (
    SELECT h.crawl, h.host_id, h.domain_id, h.ruleset_id, h.archive_no FROM hosts_with('rules', crawl := crawl) h
),
-- host_verdicts has a row for every name that the rules of a host address, and hosts the verdict of '*'.
features AS (
    SELECT v.crawl, v.host_id, v.agent
    FROM host_verdicts v
    WHERE v.basis IN ('explicit', 'too_complex') AND in_crawls(v.crawl, crawl)
    UNION ALL
    SELECT h.crawl, h.host_id, '*' FROM hosts_with('rules', crawl := crawl) h WHERE h.wildcard_basis IN ('wildcard', 'too_complex')
),
ranking AS MATERIALIZED (
    SELECT f.crawl, f.agent
    FROM features f
    WHERE f.host_id IN (SELECT h.host_id FROM hosts_with('rules', crawl := crawl) h)
    GROUP BY f.crawl, f.agent
    HAVING count(*) >= min_hosts
    QUALIFY row_number() OVER (PARTITION BY f.crawl ORDER BY count(*) DESC, f.agent) <= top
),
parts AS (
    SELECT h.crawl, f.agent, h.ruleset_id, part_of(grouping(h.domain_id, h.ruleset_id, h.archive_no), h.domain_id) AS part,
        coalesce(h.domain_id, h.archive_no) AS unit, count(*) AS x
    FROM features f
    JOIN files h ON h.host_id = f.host_id
    WHERE f.agent IN (SELECT r.agent FROM ranking r)
    GROUP BY GROUPING SETS ((h.crawl, f.agent, h.domain_id), (h.crawl, f.agent, h.ruleset_id), (h.crawl, f.agent, h.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('rules', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, r.agent, r.agent = '*' OR r.agent IN (SELECT g.agent FROM agents g) AS tracked,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN ranking r ON r.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = r.crawl AND p.agent = r.agent
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, r.agent, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.agent;

FROM most_addressed_names();
