-- How many hosts block all, any, or at least some number of the crawlers of a category by name?
-- Title: any or all of a category
--
-- Denominator: hosts with a known verdict for '*', and their registered domains.
-- Pitfall: only blocks by the crawler's own name count, not those of a fallback; a host that blocks '*' blocks all of them without naming one. The list of crawlers
-- of a category grows: 'all' is rare (agents is their number), and figures of different versions of the registry are not comparable (runs.agents_version).
-- Columns: crawl; category: the category, or categories; blocked: any, at least some number, all, or * by its rules; agents: crawlers of the category; shares.
CREATE OR REPLACE MACRO agents_of_category(category := 'ai_training', at_least := 2, crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_categories(category) AND check_count('at_least', at_least) AND check_hosts('decided', crawl) AS is_known
),
members AS MATERIALIZED (
    SELECT g.agent FROM agents g
    WHERE list_contains(categories_in(category), g.category) OR coalesce(list_contains(categories_in(category), g.category2), false)
),
blocks AS (
    SELECT v.host_id, count(*) AS n
    FROM host_verdicts v
    WHERE v.basis = 'explicit' AND v.verdict = 'disallow_all' AND in_crawls(v.crawl, crawl) AND v.agent IN (SELECT m.agent FROM members m)
    GROUP BY v.host_id
),
answers AS (
    SELECT h.crawl, h.domain_id, h.ruleset_id, h.archive_no, coalesce(b.n, 0) AS n, h.wildcard_verdict = 'disallow_all' AND h.wildcard_basis <> 'http_status' AS by_wildcard
    FROM hosts_with('decided', crawl := crawl) h
    LEFT JOIN blocks b ON b.host_id = h.host_id
),
parts AS (
    SELECT a.crawl, a.ruleset_id, part_of(grouping(a.domain_id, a.ruleset_id, a.archive_no), a.domain_id) AS part, count(*) AS n,
        count(*) FILTER (a.n > 0) AS any_of, count(*) FILTER (a.n >= at_least) AS some,
        count(*) FILTER (a.n >= (SELECT greatest(count(*), 1) FROM members)) AS all_of, count(*) FILTER (a.by_wildcard) AS by_wildcard
    FROM answers a
    GROUP BY GROUPING SETS ((a.crawl, a.domain_id), (a.crawl, a.ruleset_id), (a.crawl, a.archive_no))
),
wholes AS (
    SELECT p.crawl, whole_of(p.part, p.n) AS whole FROM parts p GROUP BY p.crawl
),
rows AS (
    SELECT c.position, c.crawl, any_value(c.sample) AS sample, unnest([
        {'place': 1, 'blocked': 'any', 'shares': shares(p.part, p.ruleset_id, p.any_of, p.n, any_value(w.whole), any_value(c.sample))},
        {'place': 2, 'blocked': 'at least ' || at_least, 'shares': shares(p.part, p.ruleset_id, p.some, p.n, any_value(w.whole), any_value(c.sample))},
        {'place': 3, 'blocked': 'all', 'shares': shares(p.part, p.ruleset_id, p.all_of, p.n, any_value(w.whole), any_value(c.sample))},
        {'place': 4, 'blocked': '* by its rules', 'shares': shares(p.part, p.ruleset_id, p.by_wildcard, p.n, any_value(w.whole), any_value(c.sample))}]) AS class
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, c.position
),
answer AS (
    SELECT r.position, r.class.place, r.crawl, array_to_string(categories_in(category), ', ') AS category, r.class.blocked AS blocked, (SELECT count(*) FROM members) AS agents, unnest(r.class.shares)
    FROM rows r
)
SELECT s.* EXCLUDE (position, place)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.place;

FROM agents_of_category();
