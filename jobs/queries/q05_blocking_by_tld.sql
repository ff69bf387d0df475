-- What share of hosts block a crawler in each top-level domain?
-- Title: blocks by top-level domain
--
-- Denominator: hosts of the top-level domain with a known verdict. Top-level domains with fewer than min_hosts are left out, because
-- their shares are noise; of_hosts and of_domains are those of all top-level domains together.
-- Pitfall: a top-level domain is not a country: .io, .ai and .tv are sold everywhere. One registered domain can be a large part of a
-- small top-level domain: see largest_domain.
-- Columns: crawl; agent; url_host_tld: the top-level domain, null for IP addresses; blocking_shares; of_hosts, of_domains: those of all
-- rows together, also of those left out.
CREATE OR REPLACE MACRO blocking_by_tld(agent := 'GPTBot', crawl := NULL, min_hosts := 30, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_count('min_hosts', min_hosts) AND check_hosts('captured', crawl) AS is_known
),
parts AS (
    SELECT b.crawl, b.agent, b.url_host_tld, b.domain_id, b.ruleset_id, part_of(grouping(b.domain_id, b.ruleset_id, b.archive_no), b.domain_id) AS part, count(*) AS hosts,
        count(*) FILTER (b.by_name) AS by_name, count(*) FILTER (b.by_wildcard) AS by_wildcard, count(*) FILTER (b.by_status) AS by_status
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    GROUP BY GROUPING SETS ((b.crawl, b.agent, b.url_host_tld, b.domain_id), (b.crawl, b.agent, b.url_host_tld, b.ruleset_id),
        (b.crawl, b.agent, b.url_host_tld, b.archive_no))
),
wholes AS (
    SELECT p.crawl, p.agent, sum(p.hosts) FILTER (p.part = 'archive')::BIGINT AS hosts,
        count(DISTINCT p.domain_id) + coalesce(sum(p.hosts) FILTER (p.part = 'single'), 0)::BIGINT AS domains
    FROM parts p
    GROUP BY p.crawl, p.agent
),
rows AS (
    SELECT p.crawl, p.agent, p.url_host_tld,
        unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(c.sample)))
    FROM parts p
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.agent, p.url_host_tld
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
ORDER BY s.position, s.agent, s.hosts DESC, s.url_host_tld;

FROM blocking_by_tld();
