-- In which crawl did hosts first block a crawler by name?
-- Title: when hosts first block it
--
-- Denominator: hosts_in_crawl, the hosts that the crawl captured. Each host counts once, in the first crawl, in the order of crawls, with a
-- capture that blocks. crawl limits the rows that are shown: crawls before it count as well.
-- Pitfall: seen_to_begin has an earlier capture of the host that decides and does not block; the block began between the two. For already_blocking
-- there is none, and nobody knows since when: the first crawls consist of these. A revisit, a redirect without end, a 429 or 5xx, and
-- rules whose names are not known decide nothing. Fallbacks of the crawler are not considered.
-- Columns: crawl; median_fetch: the median time of its captures; agent; hosts_in_crawl: hosts of the crawl; seen_to_begin,
-- already_blocking: hosts that block first in this crawl, with and without an earlier capture; domains_any: their registered domains;
-- cumulative_begun, cumulative: hosts seen to begin, and all, in this crawl or before.
CREATE OR REPLACE MACRO hosts_first_blocking(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_named_agents(agent, any_name) AND check_crawls(crawl) AS is_known
),
named AS (
    SELECT n.agent, n.surt_host_name, n.url_host_registered_domain, n.first_period_no, n.first_period_no + n.n_periods AS end_no, n.verdict,
        n.verdict = 'disallow_all' AND n.basis = 'explicit' AS is_blocking
    FROM agent_periods n
    WHERE n.agent IN (SELECT a.agent FROM asked_agents(agent) a) AND n.basis IN ('explicit', 'too_complex')
),
blocks AS (
    SELECT b.agent, b.surt_host_name, coalesce(any_value(b.url_host_registered_domain), b.surt_host_name) AS domain,
        arg_min(h.crawl, c.position) AS crawl, min(b.first_period_no) AS first_block
    FROM named b
    JOIN host_periods p ON p.surt_host_name = b.surt_host_name AND p.period_no >= b.first_period_no AND p.period_no < b.end_no
    -- Crawls may overlap in time, so that the first capture is not always of the first crawl.
    JOIN host_captures h ON h.host_no = p.host_no AND h.period_no = p.period_no
    JOIN crawls() c ON c.crawl = h.crawl
    WHERE b.is_blocking
    GROUP BY b.agent, b.surt_host_name
),
-- The first period of each of these hosts that decides for the crawler.
first_periods AS (
    SELECT b.agent, b.surt_host_name, min(p.period_no) AS first_period
    FROM blocks b
    JOIN host_periods p ON p.surt_host_name = b.surt_host_name
    LEFT JOIN named n ON n.agent = b.agent AND n.surt_host_name = p.surt_host_name AND p.period_no >= n.first_period_no AND p.period_no < n.end_no
    WHERE CASE WHEN n.agent IS NOT NULL THEN n.verdict <> 'unknown' ELSE p.has_named_rows AND p.wildcard_verdict <> 'unknown'
        AND NOT (p.wildcard_basis = 'http_status' AND p.wildcard_verdict = 'disallow_all') END
    GROUP BY b.agent, b.surt_host_name
),
counts AS (
    SELECT b.agent, b.crawl, count(*) FILTER (b.first_block > f.first_period) AS seen_to_begin, count(*) FILTER (b.first_block = f.first_period) AS already_blocking,
        count(DISTINCT b.domain) AS domains_any
    FROM blocks b JOIN first_periods f ON f.agent = b.agent AND f.surt_host_name = b.surt_host_name
    GROUP BY b.agent, b.crawl
),
answer AS (
    SELECT c.position, c.crawl, c.median_fetch, a.agent, c.hosts AS hosts_in_crawl, coalesce(n.seen_to_begin, 0) AS seen_to_begin,
        coalesce(n.already_blocking, 0) AS already_blocking, coalesce(n.domains_any, 0) AS domains_any,
        sum(coalesce(n.seen_to_begin, 0)) OVER (PARTITION BY a.agent ORDER BY c.position)::BIGINT AS cumulative_begun,
        sum(coalesce(n.seen_to_begin, 0) + coalesce(n.already_blocking, 0)) OVER (PARTITION BY a.agent ORDER BY c.position)::BIGINT AS cumulative
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    LEFT JOIN counts n ON n.crawl = c.crawl AND n.agent = a.agent
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL AND in_crawls(s.crawl, crawl) OR NOT k.is_known
ORDER BY s.position, s.agent;

FROM hosts_first_blocking();
