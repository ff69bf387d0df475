-- In which crawl did each host first name a crawler, and what is the cumulative number of hosts?
-- Title: when hosts first name it
--
-- Denominator: none. Each host is counted once, in the first crawl of this dataset, by the time of its first capture, in which its rules name
-- the crawler. hosts_in_crawl and hosts_naming are for comparison. crawl limits the rows that are shown: crawls before it count as well.
-- Pitfall: captures of a crawl may span years (first_fetch, last_fetch), so that a crawl that begins before a crawler existed names it. The first crawl includes all hosts that named it earlier. Crawls differ in size and in what they archived, so a rise may be a
-- larger crawl: see hosts_decided_in_every_crawl for the same hosts over time. One domain can add thousands of hosts: see domains.
-- Columns: crawl; agent; first_fetch, last_fetch: the times of the captures of its hosts; hosts_in_crawl, hosts_naming: hosts of the
-- crawl, and those that name the crawler; first_named, cumulative: hosts that name it first in this crawl, and in it or before;
-- domains_first_named, domains_cumulative: the same for domains.
CREATE OR REPLACE MACRO names_first_seen(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_named_agents(agent, any_name) AND check_crawls(crawl) AS is_known
),
naming AS (
    SELECT v.crawl, v.agent, v.surt_host_name, coalesce(v.url_host_registered_domain, v.surt_host_name) AS domain, c.position
    FROM host_verdicts v
    JOIN crawls() c ON c.crawl = v.crawl
    WHERE v.agent IN (SELECT a.agent FROM asked_agents(agent) a) AND v.basis = 'explicit'
),
first_hosts AS (
    SELECT n.agent, n.surt_host_name, min(n.position) AS position FROM naming n GROUP BY n.agent, n.surt_host_name
),
first_domains AS (
    SELECT n.agent, n.domain, min(n.position) AS position FROM naming n GROUP BY n.agent, n.domain
),
counts AS (
    SELECT c.position, c.crawl, c.first_fetch, c.last_fetch, a.agent, c.hosts AS hosts_in_crawl,
        (SELECT count(*) FROM naming n WHERE n.agent = a.agent AND n.position = c.position) AS hosts_naming,
        (SELECT count(*) FROM first_hosts f WHERE f.agent = a.agent AND f.position = c.position) AS first_named,
        (SELECT count(*) FROM first_domains d WHERE d.agent = a.agent AND d.position = c.position) AS domains_first_named
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
),
answer AS (
    SELECT x.position, x.crawl, x.agent, x.first_fetch, x.last_fetch, x.hosts_in_crawl, x.hosts_naming, x.first_named, sum(x.first_named) OVER (PARTITION BY x.agent ORDER BY x.position)::BIGINT AS cumulative,
        x.domains_first_named, sum(x.domains_first_named) OVER (PARTITION BY x.agent ORDER BY x.position)::BIGINT AS domains_cumulative
    FROM counts x
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL AND in_crawls(s.crawl, crawl) OR NOT k.is_known
ORDER BY s.position, s.agent;

FROM names_first_seen();
