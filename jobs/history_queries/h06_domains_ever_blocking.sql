-- How many registered domains have ever blocked a crawler by name, from crawl to crawl?
-- Title: domains that ever blocked
--
-- Denominator: domains_in_crawl, the registered domains that the crawl captured. A domain counts in the first crawl, in the order of crawls, in
-- which one of its hosts blocks. crawl limits the rows that are shown: crawls before it count as well.
-- Pitfall: cumulative never falls, also if a domain removes the block: trend has the present state. A host without a registered domain is a
-- domain of its own. The first crawl has all domains that blocked before.
-- Columns: crawl; median_fetch: the median time of its captures; agent; domains_in_crawl: domains of the crawl; first_blocking,
-- cumulative: domains that block first in this crawl, and in it or before.
CREATE OR REPLACE MACRO domains_ever_blocking(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_named_agents(agent, any_name) AND check_crawls(crawl) AS is_known
),
first_crawls AS (
    SELECT b.agent, coalesce(b.url_host_registered_domain, b.surt_host_name) AS domain, min(c.position) AS position
    FROM agent_periods b
    JOIN host_periods p ON p.surt_host_name = b.surt_host_name AND p.period_no >= b.first_period_no AND p.period_no < b.first_period_no + b.n_periods
    -- Crawls may overlap in time, so that the first capture is not always of the first crawl.
    JOIN host_captures h ON h.host_no = p.host_no AND h.period_no = p.period_no
    JOIN crawls() c ON c.crawl = h.crawl
    WHERE b.agent IN (SELECT a.agent FROM asked_agents(agent) a) AND b.basis = 'explicit' AND b.verdict = 'disallow_all'
    GROUP BY 1, 2
),
counts AS (
    SELECT f.agent, f.position, count(*) AS domains FROM first_crawls f GROUP BY f.agent, f.position
),
answer AS (
    SELECT c.position, c.crawl, c.median_fetch, a.agent, w.domains AS domains_in_crawl, coalesce(n.domains, 0) AS first_blocking,
        sum(coalesce(n.domains, 0)) OVER (PARTITION BY a.agent ORDER BY c.position)::BIGINT AS cumulative
    FROM crawls() c
    JOIN crawls w ON w.crawl = c.crawl
    CROSS JOIN asked_agents(agent) a
    LEFT JOIN counts n ON n.position = c.position AND n.agent = a.agent
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL AND in_crawls(s.crawl, crawl) OR NOT k.is_known
ORDER BY s.position, s.agent;

FROM domains_ever_blocking();
