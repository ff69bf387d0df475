-- How does blocking of a crawler depend on the rank of a site in a list such as Tranco's?
-- Title: blocks by rank in a list
--
-- Denominator: hosts in the list with a known verdict. An entry means the host of that name, with or without www (www.com keeps it). in_list counts
-- the entries of a bucket, and captured those with a capture: the difference is unknown, not allowed.
-- Pitfall: Tranco ranks names of infrastructure too, such as akamaiedge.net, which have no website. A list of another year than the
-- crawl misses the sites that came and went. list is a CSV file of rank and domain without a header, as Tranco publishes it.
-- Columns: crawl; agent; up_to_rank: ranks from the row before to this one; in_list, captured: entries of the list, and those with a
-- capture; blocking_shares.
CREATE OR REPLACE MACRO blocking_by_rank(list := NULL, agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
ranks AS (
    SELECT r.surt_host_name, min(r.rank) AS rank FROM ranked_hosts(list) r GROUP BY r.surt_host_name
),
buckets AS (
    SELECT r.surt_host_name, CASE WHEN r.rank <= 1000 THEN 1000 WHEN r.rank <= 10000 THEN 10000 WHEN r.rank <= 100000 THEN 100000
        WHEN r.rank <= 1000000 THEN 1000000 WHEN r.rank <= 10000000 THEN 10000000 WHEN r.rank <= 100000000 THEN 100000000 ELSE 1000000000 END AS up_to_rank
    FROM ranks r
),
sizes AS (
    SELECT b.up_to_rank, count(*) AS in_list FROM buckets b GROUP BY b.up_to_rank
),
captures AS (
    SELECT h.crawl, b.up_to_rank, count(*) AS captured
    FROM buckets b
    JOIN hosts_with('captured', crawl := crawl) h ON h.surt_host_name = b.surt_host_name
    GROUP BY h.crawl, b.up_to_rank
),
parts AS (
    SELECT b.crawl, b.agent, r.up_to_rank, b.ruleset_id, part_of(grouping(b.domain_id, b.ruleset_id, b.archive_no), b.domain_id) AS part, count(*) AS hosts,
        count(*) FILTER (b.by_name) AS by_name, count(*) FILTER (b.by_wildcard) AS by_wildcard, count(*) FILTER (b.by_status) AS by_status
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    JOIN buckets r ON r.surt_host_name = b.surt_host_name
    GROUP BY GROUPING SETS ((b.crawl, b.agent, r.up_to_rank, b.domain_id), (b.crawl, b.agent, r.up_to_rank, b.ruleset_id), (b.crawl, b.agent, r.up_to_rank, b.archive_no))
),
answer AS (
    SELECT c.position, c.crawl, a.agent, s.up_to_rank, any_value(s.in_list) AS in_list, coalesce(any_value(x.captured), 0) AS captured,
        unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(c.sample)))
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    CROSS JOIN sizes s
    LEFT JOIN captures x ON x.crawl = c.crawl AND x.up_to_rank = s.up_to_rank
    LEFT JOIN parts p ON p.crawl = c.crawl AND p.agent = a.agent AND p.up_to_rank = s.up_to_rank
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, a.agent, s.up_to_rank, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.up_to_rank;

FROM blocking_by_rank(list := 'tranco.csv');
