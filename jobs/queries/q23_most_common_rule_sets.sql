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
files AS (
    SELECT h.crawl, h.domain_id, h.ruleset_id, h.archive_no, h.template, h.url FROM hosts_with('rules', crawl := crawl) h WHERE h.ruleset_id IS NOT NULL
),
ranking AS (
    SELECT f.crawl, f.ruleset_id, CASE WHEN count(f.template) = count(*) AND min(f.template) = max(f.template) THEN min(f.template) END AS template,
        count(f.template) AS hosts_with_template, min(f.url) AS example
    FROM files f
    GROUP BY f.crawl, f.ruleset_id
    HAVING number_of_domains(f.domain_id) >= min_domains
    QUALIFY row_number() OVER (PARTITION BY f.crawl ORDER BY number_of_domains(f.domain_id) DESC, count(*) DESC, f.ruleset_id) <= top
),
parts AS (
    SELECT r.crawl, r.ruleset_id, r.template, r.hosts_with_template, r.example, part_of(grouping(f.domain_id, f.archive_no), f.domain_id) AS part,
        coalesce(f.domain_id, f.archive_no) AS unit, count(*) AS x
    FROM ranking r
    JOIN files f ON f.crawl = r.crawl AND f.ruleset_id = r.ruleset_id
    GROUP BY r.crawl, r.ruleset_id, r.template, r.hosts_with_template, r.example, GROUPING SETS ((f.domain_id), (f.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('rules', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, p.crawl, p.ruleset_id, p.template, p.hosts_with_template, p.example,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM parts p
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    JOIN wholes w ON w.crawl = p.crawl
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.ruleset_id, p.template, p.hosts_with_template, p.example, c.position
)
SELECT s.crawl, s.ruleset_id, s.template, s.hosts_with_template, s.* EXCLUDE (position, crawl, ruleset_id, template, hosts_with_template, example, largest_ruleset),
    s.example
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.domains DESC, s.hosts DESC, s.ruleset_id;

FROM most_common_rule_sets();
