-- Which crawlers are blocked together by name?
-- Title: crawlers blocked together
--
-- Denominator: for share_of_rarer, the hosts that block the rarer of the two by name. Only crawlers of the registry are paired: some
-- files name hundreds, and the number of pairs grows with its square. Crawlers that fewer than min_hosts hosts block are left out.
-- Pitfall: high shares result from vendors' templates and copied lists more than from decisions: see largest_domain and largest_ruleset.
-- Columns: crawl; agent_a, agent_b: two crawlers; hosts, domains_any: hosts that block both by name, and their domains; share_of_rarer:
-- part of the hosts that block the rarer one; largest_domain, largest_ruleset: of these hosts, the part in one domain, and with one rule
-- set.
CREATE OR REPLACE MACRO agents_blocked_together(crawl := NULL, top := 20, min_hosts := 30) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_count('min_hosts', min_hosts) AND check_hosts('captured', crawl) AS is_known
),
blocks AS (
    SELECT v.crawl, v.host_id, v.agent
    FROM host_verdicts v
    WHERE v.agent IN (SELECT g.agent FROM agents g) AND v.verdict = 'disallow_all' AND v.basis = 'explicit'
        AND in_crawls(v.crawl, crawl)
),
singles AS (
    SELECT b.crawl, b.agent, count(*) AS hosts FROM blocks b GROUP BY b.crawl, b.agent HAVING count(*) >= min_hosts
),
ranked AS (
    SELECT b.crawl, b.host_id, b.agent FROM blocks b JOIN singles s ON s.crawl = b.crawl AND s.agent = b.agent
),
pairs AS (
    SELECT a.crawl, a.agent AS agent_a, b.agent AS agent_b, count(*) AS hosts
    FROM ranked a
    JOIN ranked b ON b.host_id = a.host_id AND a.agent < b.agent
    GROUP BY a.crawl, a.agent, b.agent
    QUALIFY row_number() OVER (PARTITION BY a.crawl ORDER BY count(*) DESC, a.agent, b.agent) <= top
),
found AS (
    SELECT p.crawl, p.agent_a, p.agent_b, p.hosts, h.domain_id, h.ruleset_id
    FROM pairs p
    JOIN blocks a ON a.crawl = p.crawl AND a.agent = p.agent_a
    JOIN blocks b ON b.host_id = a.host_id AND b.agent = p.agent_b
    JOIN hosts h ON h.host_id = a.host_id
),
parts AS (
    SELECT f.crawl, f.agent_a, f.agent_b, f.ruleset_id, CASE WHEN grouping(f.domain_id) = 1 THEN 'ruleset' WHEN f.domain_id IS NULL THEN 'single' ELSE 'domain' END AS part, count(*) AS x
    FROM found f
    GROUP BY GROUPING SETS ((f.crawl, f.agent_a, f.agent_b, f.domain_id), (f.crawl, f.agent_a, f.agent_b, f.ruleset_id))
),
answer AS (
    SELECT c.position, c.crawl, p.agent_a, p.agent_b, coalesce(sum(p.x) FILTER (p.part = 'ruleset'), 0)::BIGINT AS hosts, domains_with(p.part, p.x) AS domains_any,
        round(sum(p.x) FILTER (p.part = 'ruleset') / least(any_value(a.hosts), any_value(b.hosts)), 6) AS share_of_rarer,
        largest_domain(p.part, p.x) AS largest_domain, largest_ruleset(p.part, p.ruleset_id, p.x) AS largest_ruleset
    FROM crawls() c
    LEFT JOIN parts p ON p.crawl = c.crawl
    LEFT JOIN singles a ON a.crawl = p.crawl AND a.agent = p.agent_a
    LEFT JOIN singles b ON b.crawl = p.crawl AND b.agent = p.agent_b
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, p.agent_a, p.agent_b, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.agent_a, s.agent_b;

FROM agents_blocked_together();
