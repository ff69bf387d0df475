-- How many archived pages belong to hosts that now block a crawler?
-- Title: pages of blocking hosts
--
-- Denominator: hosts of Common Crawl's host index with a capture of /robots.txt, and the pages fetched from them (fetch_200). unknown
-- and not captured are rows of their own; registered domains are known only of captured hosts.
-- Pitfall: pages are those of the crawl in the index, which may have been fetched before the block. A few hosts have most of the pages:
-- see largest_host. index is the name of Parquet files of cc-host-index, whose column crawl must name crawls of this dataset.
-- Columns: crawl; agent; verdict: for the crawler; hosts, domains_any: hosts of the index, and their domains; pages, share_of_pages: pages
-- fetched from them; largest_host: the part of the pages of one host.
CREATE OR REPLACE MACRO archived_pages_of_blocking_hosts(index := NULL, agent := 'CCBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
answers AS (
    SELECT v.crawl, v.agent, v.surt_host_name, v.domain, CASE WHEN v.verdict <> 'disallow_all' THEN v.verdict WHEN v.basis = 'explicit' THEN 'blocked by name'
        WHEN v.basis = 'http_status' THEN 'blocked by status' ELSE 'blocked by *' END AS verdict
    FROM verdicts_for(agent, any_name := any_name) v WHERE in_crawls(v.crawl, crawl)
),
pages AS (
    SELECT i.crawl, g.agent, coalesce(a.verdict, 'not captured') AS verdict, coalesce(a.domain, i.surt_host_name) AS domain, i.fetch_200 AS pages
    FROM host_index(index) i
    CROSS JOIN asked_agents(agent) g
    LEFT JOIN answers a ON a.crawl = i.crawl AND a.agent = g.agent AND a.surt_host_name = i.surt_host_name
    WHERE i.crawl IN (SELECT c.crawl FROM crawls() c) AND in_crawls(i.crawl, crawl)
),
answer AS (
    SELECT c.position, p.crawl, p.agent, p.verdict, count(*) AS hosts, CASE WHEN p.verdict <> 'not captured' THEN count(DISTINCT p.domain) END AS domains_any, sum(p.pages)::BIGINT AS pages,
        round(sum(p.pages) / nullif(sum(sum(p.pages)) OVER (PARTITION BY p.crawl, p.agent), 0), 6) AS share_of_pages,
        round(max(p.pages) / nullif(sum(p.pages), 0), 6) AS largest_host
    FROM pages p
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.agent, p.verdict, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.pages DESC, s.verdict;

FROM archived_pages_of_blocking_hosts(index := 'host-index/*.parquet');
