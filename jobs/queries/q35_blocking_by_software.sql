-- How does blocking of a crawler differ by content delivery network or firewall, web server, or template of the file?
-- Title: blocks by software
--
-- Denominator: hosts of the row with a known verdict, and their registered domains. kind is 'firewall' (waf_hint of robots_files), 'server'
-- (the name in the header Server, lower-cased, without a version) or 'template'. of_hosts and of_domains are those of all rows together.
-- Pitfall: software is null if nothing was recognized: the headers may hide it. Hosts behind a network may use the network's managed
-- robots.txt: see largest_ruleset. Software with fewer than min_hosts is left out.
-- Columns: crawl; agent; software: the firewall, server or template, null if not recognized; blocking_shares; of_hosts, of_domains: those
-- of all rows together, also of those left out.
CREATE OR REPLACE MACRO blocking_by_software(kind := 'firewall', agent := 'GPTBot', crawl := NULL, min_hosts := 30, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_choice('kind', kind, ['firewall', 'server', 'template']) AND check_count('min_hosts', min_hosts) AND check_hosts('captured', crawl) AS is_known
),
recognized AS (
    SELECT r.crawl, r.robots_id, CASE kind WHEN 'firewall' THEN r.waf_hint WHEN 'server' THEN nullif(lower(regexp_extract(r.http_server, '^[^/ (]*')), '') END AS software
    FROM robots_files r
    WHERE software IS NOT NULL
),
answers AS (
    SELECT b.*, CASE kind WHEN 'template' THEN b.template ELSE r.software END AS software
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    LEFT JOIN recognized r ON r.crawl = b.crawl AND r.robots_id = b.rules_robots_id
),
parts AS (
    SELECT a.crawl, a.agent, a.software, a.domain_id, a.ruleset_id, part_of(grouping(a.domain_id, a.ruleset_id, a.archive_no), a.domain_id) AS part, count(*) AS hosts,
        count(*) FILTER (a.by_name) AS by_name, count(*) FILTER (a.by_wildcard) AS by_wildcard, count(*) FILTER (a.by_status) AS by_status
    FROM answers a
    GROUP BY GROUPING SETS ((a.crawl, a.agent, a.software, a.domain_id), (a.crawl, a.agent, a.software, a.ruleset_id), (a.crawl, a.agent, a.software, a.archive_no))
),
wholes AS (
    SELECT p.crawl, p.agent, sum(p.hosts) FILTER (p.part = 'archive')::BIGINT AS hosts,
        count(DISTINCT p.domain_id) + coalesce(sum(p.hosts) FILTER (p.part = 'single'), 0)::BIGINT AS domains
    FROM parts p
    GROUP BY p.crawl, p.agent
),
rows AS (
    SELECT p.crawl, p.agent, p.software, unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(c.sample)))
    FROM parts p
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.agent, p.software
    HAVING sum(p.hosts) FILTER (p.part = 'archive') >= min_hosts
),
answer AS (
    SELECT c.position, c.crawl, a.agent, r.* EXCLUDE (crawl, agent) REPLACE (coalesce(r.hosts, 0) AS hosts, coalesce(r.hosts_blocked_by_name, 0) AS hosts_blocked_by_name, coalesce(r.domains, 0) AS domains),
        coalesce(w.hosts, 0) AS of_hosts, coalesce(w.domains, 0) AS of_domains
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    LEFT JOIN wholes w ON w.crawl = c.crawl AND w.agent = a.agent
    LEFT JOIN rows r ON r.crawl = c.crawl AND r.agent = a.agent
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.hosts DESC, s.software NULLS FIRST;

FROM blocking_by_software();
