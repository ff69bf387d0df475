-- How much does the share that blocks a crawler change if registered domains are counted instead of hosts?
--
-- Denominator: hosts with a known verdict, and their registered domains. A host without a registered domain (an IP address, a public
-- suffix) counts as a domain. A domain counts if any of its hosts, all of its hosts, or, in equal parts, each of its hosts blocks.
-- Pitfall: one domain with ten thousand blogs is ten thousand hosts. The version of the Public Suffix List is in runs; another version
-- gives other domains. A domain is seen only through the hosts that were captured.
CREATE OR REPLACE MACRO hosts_or_registered_domains(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agent(agent, any_name) AND check_crawl(crawl) AS is_known
),
by_domain AS (
    SELECT b.crawl, b.domain, count(*) AS hosts, count(*) FILTER (b.by_name) AS by_name,
        count(*) FILTER (b.by_wildcard) AS by_wildcard, count(*) FILTER (b.by_status) AS by_status
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    GROUP BY b.crawl, b.domain
),
reasons AS (
    SELECT d.crawl, 'name' AS reason, d.hosts, d.by_name AS blocked FROM by_domain d
    UNION ALL
    SELECT d.crawl, 'wildcard', d.hosts, d.by_wildcard FROM by_domain d
    UNION ALL
    SELECT d.crawl, 'status', d.hosts, d.by_status FROM by_domain d
),
answer AS (
    SELECT c.position, r.crawl, r.reason, sum(r.hosts)::BIGINT AS hosts, count(*) AS domains, max(r.hosts) AS hosts_of_largest_domain,
        round(sum(r.blocked) / sum(r.hosts), 6) AS hosts_blocked, round(avg(r.blocked / r.hosts), 6) AS domains_blocked,
        round(avg((r.blocked > 0)::INTEGER), 6) AS domains_any_host_blocked,
        round(avg((r.blocked = r.hosts)::INTEGER), 6) AS domains_every_host_blocked,
        round(max(r.blocked) / nullif(sum(r.blocked), 0), 6) AS largest_domain
    FROM reasons r
    JOIN crawls() c ON c.crawl = r.crawl
    GROUP BY r.crawl, r.reason, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.reason;

FROM hosts_or_registered_domains();
