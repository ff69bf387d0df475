-- Which AI crawlers do hosts name only to allow them?
--
-- Denominator: hosts with a known verdict for '*' (of_hosts), and for ratio the hosts that name the crawler. A crawler is invited if its
-- own group allows every path.
-- Pitfall: common mistakes look like invitations: an empty Disallow that was meant to block, or rules under a name that no crawler uses.
-- One template that names many crawlers is many hosts: see largest_ruleset.
CREATE OR REPLACE MACRO invitations(crawl := NULL, top := 25) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_hosts('decided', crawl) AS is_known
),
answer AS (
    SELECT n.position, n.crawl, n.agent, g.operator, g.category, n.named, round(n.hosts / n.named, 6) AS ratio, n.hosts, n.of_hosts, n.share, n.domains_any,
        n.of_domains, n.share_of_domains, n.largest_domain, n.largest_ruleset, n.low, n.high
    FROM named_with('allow_all', crawl := crawl, top := top, among := (
        SELECT list(a.agent) FROM agents a WHERE starts_with(a.category, 'ai_') OR coalesce(starts_with(a.category2, 'ai_'), false))) n
    LEFT JOIN agents g ON g.agent = n.agent
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.named DESC, s.agent;

FROM invitations();
