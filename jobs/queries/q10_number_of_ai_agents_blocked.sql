-- How many AI crawlers does a host block by name, and what share block at least one?
-- Title: AI crawlers blocked per host
--
-- Denominator: hosts with a known verdict for '*', whether they name a crawler or not, and their registered domains.
-- Pitfall: a host that blocks all crawlers through '*' is in the row 0, and a group of a fallback, such as Googlebot's for Applebot,
-- does not count. Copied lists and vendors' templates make up the tail: see
-- largest_ruleset. The list of AI crawlers is the registry's, by category.
-- Columns: crawl; agents_blocked: AI crawlers that the hosts block by name; shares; share_this_many_or_more,
-- share_of_domains_this_many_or_more: the shares of this row and all with more.
CREATE OR REPLACE MACRO number_of_ai_agents_blocked(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('decided', crawl) AS is_known
),
blocks AS (
    SELECT v.host_id, count(*) AS n
    FROM host_verdicts v
    WHERE v.basis = 'explicit' AND v.verdict = 'disallow_all' AND in_crawls(v.crawl, crawl) AND v.agent IN (
        SELECT g.agent FROM agents g WHERE starts_with(g.category, 'ai_') OR coalesce(starts_with(g.category2, 'ai_'), false))
    GROUP BY v.host_id
),
parts AS (
    SELECT h.crawl, coalesce(b.n, 0) AS agents_blocked, h.ruleset_id, part_of(grouping(h.domain_id, h.ruleset_id, h.archive_no), h.domain_id) AS part,
        coalesce(h.domain_id, h.archive_no) AS unit, count(*) AS x
    FROM hosts_with('decided', crawl := crawl) h
    LEFT JOIN blocks b ON b.host_id = h.host_id
    GROUP BY GROUPING SETS ((h.crawl, coalesce(b.n, 0), h.domain_id), (h.crawl, coalesce(b.n, 0), h.ruleset_id), (h.crawl, coalesce(b.n, 0), h.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('decided', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, p.agents_blocked, weight_of_domains(p.part, p.x, u.n) AS weight,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, p.agents_blocked, c.position
)
SELECT s.crawl, s.agents_blocked, s.* EXCLUDE (position, crawl, agents_blocked, weight),
    round(sum(s.hosts) OVER (PARTITION BY s.crawl ORDER BY s.agents_blocked DESC) / nullif(s.of_hosts, 0), 6) AS share_this_many_or_more,
    round(sum(s.weight) OVER (PARTITION BY s.crawl ORDER BY s.agents_blocked DESC) / nullif(s.of_domains, 0), 6) AS share_of_domains_this_many_or_more
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agents_blocked;

FROM number_of_ai_agents_blocked();
