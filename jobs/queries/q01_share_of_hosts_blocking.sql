-- What share of hosts block a crawler, by name, through '*' or by an HTTP status, in each crawl?
--
-- Denominator: hosts with a known verdict for the crawler, and their registered domains. A host without a capture and an unknown
-- verdict are not consent, so both are excluded.
-- Pitfall: only blocked_by_name is a decision about this crawler. A host that blocks '*' has not decided about it, and a 429 or 5xx
-- blocks every crawler for the time being. If largest_domain or largest_ruleset is large, one operator made most of the decisions:
-- then cite the share of domains. partial is the most common verdict and says little.
CREATE OR REPLACE MACRO share_of_hosts_blocking(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agent(agent, any_name) AND check_crawl(crawl) AS is_known
),
parts AS (
    SELECT b.crawl, b.ruleset_id, part_of(grouping(b.domain, b.ruleset_id, b.archive_no)) AS part, count(*) AS hosts,
        count(*) FILTER (b.by_name) AS by_name, count(*) FILTER (b.by_wildcard) AS by_wildcard,
        count(*) FILTER (b.by_status) AS by_status, count(*) FILTER (b.verdict = 'partial') AS partly
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    GROUP BY GROUPING SETS ((b.crawl, b.domain), (b.crawl, b.ruleset_id), (b.crawl, b.archive_no))
),
answer AS (
    SELECT c.position, p.crawl, unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(c.sample))),
        share_of_hosts(p.part, p.partly, p.hosts) AS partial, share_of_domains(p.part, p.partly, p.hosts) AS domains_partial
    FROM parts p
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position;

FROM share_of_hosts_blocking();
