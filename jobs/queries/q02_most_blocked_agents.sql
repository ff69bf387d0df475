-- Which crawlers are named and fully blocked by the most hosts, and what share of the hosts that name them block them?
-- Title: crawlers blocked by most
--
-- Denominator: hosts with a known verdict for '*' (of_hosts), and for ratio the hosts that name the crawler. Hosts that block it
-- through '*' or by a status are not counted. Crawlers that fewer than min_hosts hosts name are left out.
-- Pitfall: vendors' templates and one company's rule set on all its hosts name the same group of crawlers. Read largest_domain and
-- largest_ruleset before calling a rank a decision of many sites.
-- Columns: crawl; agent; operator, category: of the registry, null if it does not have the crawler; named, ratio: hosts that name the
-- crawler, and the part of these that block it; shares.
CREATE OR REPLACE MACRO most_blocked_agents(crawl := NULL, top := 25, min_hosts := 30) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_count('min_hosts', min_hosts) AND check_hosts('decided', crawl) AS is_known
),
answer AS (
    SELECT n.position, n.crawl, n.agent, g.operator, g.category, n.named, round(n.hosts / nullif(n.named, 0), 6) AS ratio, n.hosts, n.of_hosts, n.share, n.domains_any,
        n.of_domains, n.share_of_domains, n.largest_domain, n.largest_ruleset, n.low, n.high
    FROM named_with('disallow_all', crawl := crawl, top := top, min_hosts := min_hosts) n
    LEFT JOIN agents g ON g.agent = n.agent
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.named DESC, s.agent;

FROM most_blocked_agents();
