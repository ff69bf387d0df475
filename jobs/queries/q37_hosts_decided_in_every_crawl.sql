-- How does blocking of a crawler change over time, among the hosts that are decided in every crawl?
-- Title: the same hosts over time
--
-- Denominator: hosts with a known verdict in every one of the crawls, and their registered domains; beside it, all hosts with a known
-- verdict in the crawl (all_hosts). crawls is a list of crawls, or null for all of the dataset; crawl limits the rows that are shown.
-- If no host is decided in all of them, hosts is 0: name fewer crawls.
-- Pitfall: hosts that live through all crawls are older and larger than the others. If the two curves differ, the change of the second is
-- partly a change of the sample.
-- Columns: crawl; agent; blocking_shares; all_hosts, all_hosts_blocked_by_name, all_domains_blocked_by_name: of all hosts of the crawl
-- with a known verdict.
CREATE OR REPLACE MACRO hosts_decided_in_every_crawl(agent := 'GPTBot', crawls := NULL, crawl := NULL, any_name := false) AS TABLE
WITH asked AS MATERIALIZED (
    SELECT c.crawl, c.position, c.sample FROM crawls() c
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawls)
),
checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_crawls(crawl) AND check_hosts('captured', crawls) AS is_known
),
answers AS (
    SELECT b.crawl, b.agent, b.surt_host_name, b.domain_id, b.ruleset_id, b.archive_no, b.by_name, b.by_wildcard, b.by_status
    FROM blocking(agent, any_name := any_name) b
    JOIN asked a ON a.crawl = b.crawl
),
panel AS (
    SELECT a.agent, a.surt_host_name FROM answers a GROUP BY a.agent, a.surt_host_name HAVING count(*) = (SELECT count(*) FROM asked)
),
parts AS (
    SELECT a.crawl, a.agent, a.ruleset_id, part_of(grouping(a.domain_id, a.ruleset_id, a.archive_no), a.domain_id) AS part, count(*) AS hosts,
        count(*) FILTER (a.by_name) AS by_name, count(*) FILTER (a.by_wildcard) AS by_wildcard, count(*) FILTER (a.by_status) AS by_status
    FROM answers a
    JOIN panel p ON p.agent = a.agent AND p.surt_host_name = a.surt_host_name
    GROUP BY GROUPING SETS ((a.crawl, a.agent, a.domain_id), (a.crawl, a.agent, a.ruleset_id), (a.crawl, a.agent, a.archive_no))
),
everyone AS (
    SELECT d.crawl, d.agent, sum(d.hosts)::BIGINT AS hosts, round(sum(d.by_name) / sum(d.hosts), 6) AS blocked_by_name, share_of_domains(d.part, d.by_name, d.hosts) AS domains_blocked_by_name
    FROM (SELECT a.crawl, a.agent, part_of(1, a.domain_id) AS part, count(*) AS hosts, count(*) FILTER (a.by_name) AS by_name FROM answers a GROUP BY a.crawl, a.agent, a.domain_id) d
    GROUP BY d.crawl, d.agent
),
answer AS (
    SELECT a.position, a.crawl, g.agent, unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(a.sample))),
        coalesce(any_value(e.hosts), 0) AS all_hosts, any_value(e.blocked_by_name) AS all_hosts_blocked_by_name,
        any_value(e.domains_blocked_by_name) AS all_domains_blocked_by_name
    FROM asked a
    CROSS JOIN asked_agents(agent) g
    LEFT JOIN parts p ON p.crawl = a.crawl AND p.agent = g.agent
    LEFT JOIN everyone e ON e.crawl = a.crawl AND e.agent = g.agent
    GROUP BY a.crawl, g.agent, a.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL AND in_crawls(s.crawl, crawl) OR NOT k.is_known
ORDER BY s.position, s.agent;

FROM hosts_decided_in_every_crawl();
