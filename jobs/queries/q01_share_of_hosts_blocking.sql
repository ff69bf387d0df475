-- What share of hosts block a crawler, by name, through '*' or by an HTTP status, in each crawl?
-- Title: share that blocks a crawler
--
-- Denominator: hosts with a known verdict for the crawler, and their registered domains. A host without a capture and an unknown
-- verdict are not consent, so both are excluded.
-- Pitfall: only blocked_by_name is a decision about this crawler. A host that blocks '*' has not decided about it, and a 429 or 5xx
-- blocks every crawler for the time being. If largest_domain or largest_ruleset is large, one operator made most of the decisions:
-- then cite the share of domains. partial is the most common verdict and says little.
-- Columns: crawl; agent; blocking_shares; partial, domains_partial: shares of hosts and of domains that block some paths only.
CREATE OR REPLACE MACRO share_of_hosts_blocking(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
parts AS (
    SELECT b.crawl, b.agent, b.ruleset_id, part_of(grouping(b.domain_id, b.ruleset_id, b.archive_no), b.domain_id) AS part, count(*) AS hosts,
        count(*) FILTER (b.by_name) AS by_name, count(*) FILTER (b.by_wildcard) AS by_wildcard,
        count(*) FILTER (b.by_status) AS by_status, count(*) FILTER (b.verdict = 'partial') AS partly
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    GROUP BY GROUPING SETS ((b.crawl, b.agent, b.domain_id), (b.crawl, b.agent, b.ruleset_id), (b.crawl, b.agent, b.archive_no))
),
answer AS (
    SELECT c.position, c.crawl, a.agent, unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(c.sample))),
        share_of_hosts(p.part, p.partly, p.hosts) AS partial, share_of_domains(p.part, p.partly, p.hosts) AS domains_partial
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    LEFT JOIN parts p ON p.crawl = c.crawl AND p.agent = a.agent
    WHERE in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, a.agent, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent;

FROM share_of_hosts_blocking();
