-- How does blocking of a crawler depend on the harmonic centrality of a host in Common Crawl's web graph?
--
-- Denominator: hosts in the host index with a known verdict; centrality is hcrank10 of the index, from 0 to 10, cut to a whole number.
-- Pitfall: the host index has hosts that were never fetched, so in_index is larger than hosts. Centrality grows slowly: most hosts are
-- between 3 and 5; null
-- means that the index has none. index is the name of Parquet files of cc-host-index, whose column crawl must name crawls of this dataset.
CREATE OR REPLACE MACRO blocking_by_centrality(index := NULL, agent := 'CCBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
ranked AS (
    SELECT i.crawl, i.surt_host_name, floor(i.hcrank10)::INTEGER AS centrality FROM host_index(index) i WHERE (crawl IS NULL OR i.crawl = crawl)
),
sizes AS (
    SELECT r.crawl, r.centrality, count(*) AS in_index FROM ranked r GROUP BY r.crawl, r.centrality
),
parts AS (
    SELECT b.crawl, b.agent, r.centrality, b.ruleset_id, part_of(grouping(b.domain_id, b.ruleset_id, b.archive_no), b.domain_id) AS part, count(*) AS hosts,
        count(*) FILTER (b.by_name) AS by_name, count(*) FILTER (b.by_wildcard) AS by_wildcard, count(*) FILTER (b.by_status) AS by_status
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    JOIN ranked r ON r.crawl = b.crawl AND r.surt_host_name = b.surt_host_name
    GROUP BY GROUPING SETS ((b.crawl, b.agent, r.centrality, b.domain_id), (b.crawl, b.agent, r.centrality, b.ruleset_id), (b.crawl, b.agent, r.centrality, b.archive_no))
),
answer AS (
    SELECT c.position, s.crawl, a.agent, s.centrality, any_value(s.in_index) AS in_index,
        unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(c.sample)))
    FROM sizes s
    CROSS JOIN asked_agents(agent) a
    JOIN crawls() c ON c.crawl = s.crawl
    LEFT JOIN parts p ON p.crawl = s.crawl AND p.agent = a.agent AND p.centrality IS NOT DISTINCT FROM s.centrality
    GROUP BY s.crawl, a.agent, s.centrality, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.centrality DESC;

FROM blocking_by_centrality(index := 'host-index/*.parquet');
