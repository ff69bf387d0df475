-- How much does the share that blocks a crawler change if registered domains are counted instead of hosts?
-- Title: hosts or domains counted
--
-- Denominator: hosts with a known verdict, and their registered domains. A host without a registered domain (an IP address, a public
-- suffix) counts as a domain. A domain counts if any of its hosts, all of its hosts, or, in equal parts, each of its hosts blocks.
-- Pitfall: one domain with ten thousand blogs is ten thousand hosts. The version of the Public Suffix List is in runs; another version
-- gives other domains. A domain is seen only through the hosts that were captured.
-- Columns: crawl; agent; reason: name, wildcard or status; hosts, domains, hosts_of_largest_domain: with a known verdict; hosts_blocked,
-- domains_blocked: shares, the second with each domain divided among its hosts; domains_any_host_blocked, domains_every_host_blocked:
-- shares of domains with any such host, and with only such hosts; largest_domain: of these hosts, the part in one domain; low, high: 95 %
-- interval of hosts_blocked, if archives were drawn at random.
CREATE OR REPLACE MACRO hosts_or_registered_domains(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
parts AS (
    SELECT b.crawl, b.agent, part_of(grouping(coalesce(b.domain_id, b.host_id), b.archive_no), coalesce(b.domain_id, b.host_id)) AS part, count(*) AS hosts,
        count(*) FILTER (b.by_name) AS by_name, count(*) FILTER (b.by_wildcard) AS by_wildcard, count(*) FILTER (b.by_status) AS by_status
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    GROUP BY GROUPING SETS ((b.crawl, b.agent, coalesce(b.domain_id, b.host_id)), (b.crawl, b.agent, b.archive_no))
),
reasons AS (
    SELECT p.crawl, p.agent, p.part, 'name' AS reason, p.hosts, p.by_name AS blocked FROM parts p
    UNION ALL
    SELECT p.crawl, p.agent, p.part, 'wildcard', p.hosts, p.by_wildcard FROM parts p
    UNION ALL
    SELECT p.crawl, p.agent, p.part, 'status', p.hosts, p.by_status FROM parts p
),
answer AS (
    SELECT c.position, c.crawl, a.agent, r.reason, coalesce(sum(r.hosts) FILTER (r.part = 'domain'), 0)::BIGINT AS hosts, count(*) FILTER (r.part = 'domain') AS domains,
        max(r.hosts) FILTER (r.part = 'domain') AS hosts_of_largest_domain,
        share_of_hosts(r.part, r.blocked, r.hosts) AS hosts_blocked, share_of_domains(r.part, r.blocked, r.hosts) AS domains_blocked,
        round(avg((r.blocked > 0)::INTEGER) FILTER (r.part = 'domain'), 6) AS domains_any_host_blocked,
        round(avg((r.blocked = r.hosts)::INTEGER) FILTER (r.part = 'domain'), 6) AS domains_every_host_blocked,
        largest_domain(r.part, r.blocked) AS largest_domain,
        lower_end(share_of_hosts(r.part, r.blocked, r.hosts), blocking_margin(r.part, r.blocked, r.hosts, any_value(c.sample))) AS low,
        upper_end(share_of_hosts(r.part, r.blocked, r.hosts), blocking_margin(r.part, r.blocked, r.hosts, any_value(c.sample))) AS high
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    LEFT JOIN reasons r ON r.crawl = c.crawl AND r.agent = a.agent
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, a.agent, r.reason, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.reason;

FROM hosts_or_registered_domains();
