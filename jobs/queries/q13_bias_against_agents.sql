-- How often are crawlers blocked by name, relative to how often all crawlers are blocked?
-- Title: blocks beside those of all
--
-- Denominator: hosts that block '*' by a rule (hosts_blocking_all), and their registered domains. Above 1, more hosts block this crawler
-- by name than block all crawlers. Crawlers that fewer than min_hosts hosts name are left out.
-- Pitfall: a status blocks every crawler without naming any, so blocks by status are excluded on both sides. The ratio of hosts and the
-- ratio of domains differ widely where one operator blocks on all its hosts.
-- Columns: crawl; agent; hosts, hosts_blocking_all: hosts that block the crawler by name, and all crawlers by *; against_everybody,
-- domains_against_everybody: the ratio of hosts, and of domains; share, share_of_domains: of the hosts and domains with a known verdict;
-- largest_domain, largest_ruleset: of these hosts, the part in one domain, and with one rule set.
CREATE OR REPLACE MACRO bias_against_agents(crawl := NULL, top := 25, min_hosts := 30) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_count('min_hosts', min_hosts) AND check_hosts('decided', crawl) AS is_known
),
everybody AS (
    SELECT h.crawl, count(*) AS hosts, sum(1 / coalesce(u.n, 1)) AS weight
    FROM hosts_with('decided', crawl := crawl) h
    LEFT JOIN units_of('decided', crawl := crawl) u ON u.crawl = h.crawl AND u.part = 'domain' AND u.unit = h.domain_id
    WHERE h.wildcard_verdict = 'disallow_all' AND h.wildcard_basis <> 'http_status'
    GROUP BY h.crawl
),
answer AS (
    SELECT n.position, n.crawl, n.agent, n.hosts, coalesce(e.hosts, 0) AS hosts_blocking_all, round(n.hosts / e.hosts, 6) AS against_everybody,
        round(n.weight / e.weight, 6) AS domains_against_everybody, n.share, n.share_of_domains, n.largest_domain,
        n.largest_ruleset
    FROM named_with('disallow_all', crawl := crawl, top := top, min_hosts := min_hosts) n
    LEFT JOIN everybody e ON e.crawl = n.crawl
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.agent;

FROM bias_against_agents();
