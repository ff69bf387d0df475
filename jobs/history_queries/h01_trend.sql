-- How does the share of hosts that block a crawler change from crawl to crawl?
-- Title: shares from crawl to crawl
--
-- Denominator: hosts of the crawl with a known verdict for the crawler. A host that a crawl did not capture counts in no way. crawl limits
-- the rows that are shown.
-- Pitfall: crawls differ in size and in what they capture, so a step may be a change of the sample: change_rates and
-- hosts_decided_in_every_crawl look at the same hosts. A crawler that fewer than ten hosts of a crawl name, and that is not in the registry, has
-- no figures for the crawl. domains_any counts registered domains with at least one such host.
-- Columns: crawl; median_fetch: the median time of its captures; agent; hosts: with a known verdict; blocked_by_name, low, high: the share
-- of hosts, and its 95 % interval if archives were drawn at random; blocked_by_wildcard, blocked_by_status, partial: shares of hosts;
-- domains_any: registered domains with a host that blocks by name; largest_domain: of these hosts, the part in one domain.
CREATE OR REPLACE MACRO trend(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_crawls(crawl) AS is_known
),
counted AS (
    SELECT s.agent, s.crawl, any_value(s.known_hosts) AS hosts,
        coalesce(sum(s.hosts) FILTER (s.verdict = 'disallow_all' AND s.basis = 'explicit'), 0) AS by_name,
        coalesce(sum(s.hosts) FILTER (s.verdict = 'disallow_all' AND s.basis NOT IN ('explicit', 'http_status')), 0) AS by_wildcard,
        coalesce(sum(s.hosts) FILTER (s.verdict = 'disallow_all' AND s.basis = 'http_status'), 0) AS by_status,
        coalesce(sum(s.hosts) FILTER (s.verdict = 'partial'), 0) AS partly,
        coalesce(max(s.domains_any) FILTER (s.verdict = 'disallow_all' AND s.basis = 'explicit'), 0) AS domains_any,
        max(s.largest_domain) FILTER (s.verdict = 'disallow_all' AND s.basis = 'explicit') AS largest_domain,
        max(s.low_millionths) FILTER (s.verdict = 'disallow_all' AND s.basis = 'explicit') / 1000000 AS low,
        max(s.high_millionths) FILTER (s.verdict = 'disallow_all' AND s.basis = 'explicit') / 1000000 AS high
    FROM shares s
    WHERE s.agent IN (SELECT a.agent FROM asked_agents(agent) a)
    GROUP BY s.agent, s.crawl
),
answer AS (
    SELECT c.position, c.crawl, c.median_fetch, a.agent, t.hosts, round(t.by_name / nullif(t.hosts, 0), 6) AS blocked_by_name, t.low, t.high,
        round(t.by_wildcard / nullif(t.hosts, 0), 6) AS blocked_by_wildcard, round(t.by_status / nullif(t.hosts, 0), 6) AS blocked_by_status,
        round(t.partly / nullif(t.hosts, 0), 6) AS partial, t.domains_any, round(t.largest_domain / nullif(t.by_name, 0), 6) AS largest_domain
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    LEFT JOIN counted t ON t.crawl = c.crawl AND t.agent = a.agent
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL AND in_crawls(s.crawl, crawl) OR NOT k.is_known
ORDER BY s.position, s.agent;

FROM trend();
