-- Which rule sets are shared by the most registered domains?
--
-- Denominator: hosts whose file has rules, and their registered domains. The order is by domains, so that one company's rules on all its
-- hosts do not lead the list; min_domains := 1 and the column hosts show those.
-- Pitfall: the most common sets are defaults of software and parked domains, not decisions. template is null unless all its
-- hosts have the same: the vendor may be recognizable in some of the files only
-- (hosts_with_template). Equal sets may be written differently:
-- comments, order and spelling do not matter.
CREATE OR REPLACE MACRO most_common_rule_sets(crawl := NULL, top := 50, min_domains := 2) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_count('min_domains', min_domains) AND check_hosts('rules', crawl) AS is_known
),
ranking AS (
    SELECT h.crawl, h.ruleset_id
    FROM hosts_with('rules', crawl := crawl) h
    WHERE h.ruleset_id IS NOT NULL
    GROUP BY h.crawl, h.ruleset_id
    HAVING number_of_domains(h.domain_id) >= min_domains
    QUALIFY row_number() OVER (PARTITION BY h.crawl ORDER BY number_of_domains(h.domain_id) DESC, count(*) DESC, h.ruleset_id) <= top
),
files AS MATERIALIZED (
    SELECT h.crawl, h.domain_id, h.ruleset_id, h.archive_no, h.template, h.url
    FROM ranking r
    JOIN hosts_with('rules', crawl := crawl) h ON h.crawl = r.crawl AND h.ruleset_id = r.ruleset_id
),
rulesets AS (
    SELECT f.crawl, f.ruleset_id, CASE WHEN count(f.template) = count(*) AND min(f.template) = max(f.template) THEN min(f.template) END AS template,
        count(f.template) AS hosts_with_template, min(f.url) AS example
    FROM files f
    GROUP BY f.crawl, f.ruleset_id
),
parts AS (
    SELECT f.crawl, f.ruleset_id, part_of(grouping(f.domain_id, f.archive_no), f.domain_id) AS part, coalesce(f.domain_id, f.archive_no) AS unit, count(*) AS x
    FROM files f
    GROUP BY f.crawl, f.ruleset_id, GROUPING SETS ((f.domain_id), (f.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('rules', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, r.crawl, r.ruleset_id, r.template, r.hosts_with_template, r.example,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM parts p
    JOIN rulesets r ON r.crawl = p.crawl AND r.ruleset_id = p.ruleset_id
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    JOIN wholes w ON w.crawl = p.crawl
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY r.crawl, r.ruleset_id, r.template, r.hosts_with_template, r.example, c.position
)
SELECT s.crawl, s.ruleset_id, s.template, s.hosts_with_template, s.* EXCLUDE (position, crawl, ruleset_id, template, hosts_with_template, example, largest_ruleset),
    s.example
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.domains_any DESC, s.hosts DESC, s.ruleset_id;

FROM most_common_rule_sets();
