-- How does blocking of a crawler differ between groups of sites, such as news or sectors, that a list labels?
-- Title: blocks by label of a list
--
-- Denominator: hosts with a known verdict that the list labels, and their registered domains. A list of domains labels all hosts of a
-- registered domain; a list of hosts labels each host, with or without www (www.com keeps it), and also IP addresses. A host with two labels is in two rows.
-- Pitfall: in shares of hosts, domains with many hosts have more weight: cite the shares of domains. If the list has weights, the row
-- (weighted) is the mean of the labels' shares with these weights, as for a population of known composition. It is left out if a label
-- with a weight has no hosts.
-- Columns: crawl; agent; label, in_list, weight: of the list, with its entries; blocking_shares.
CREATE OR REPLACE MACRO blocking_by_label(labels := NULL, agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
entries AS MATERIALIZED (
    SELECT l.is_domain, l.name, l.surt_host_name, l.label, l.weight FROM labelled_hosts(labels) l
),
sizes AS (
    SELECT l.label, count(DISTINCT l.name) AS in_list, max(l.weight) AS weight FROM entries l GROUP BY l.label
),
answers AS (
    SELECT b.*, l.label
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    JOIN (SELECT x.label, x.surt_host_name FROM entries x WHERE NOT x.is_domain
        UNION SELECT x.label, h.surt_host_name FROM entries x JOIN hosts h ON h.url_host_registered_domain = x.name WHERE x.is_domain
        -- Names without a registered domain, such as public suffixes and IP addresses, are units of their own.
        UNION SELECT x.label, h.surt_host_name FROM entries x JOIN hosts h ON h.surt_host_name = x.surt_host_name
            WHERE x.is_domain AND h.url_host_registered_domain IS NULL) l
        ON l.surt_host_name = b.surt_host_name
),
parts AS (
    SELECT a.crawl, a.agent, a.label, a.ruleset_id, part_of(grouping(a.domain_id, a.ruleset_id, a.archive_no), a.domain_id) AS part, count(*) AS hosts,
        count(*) FILTER (a.by_name) AS by_name, count(*) FILTER (a.by_wildcard) AS by_wildcard, count(*) FILTER (a.by_status) AS by_status
    FROM answers a
    GROUP BY GROUPING SETS ((a.crawl, a.agent, a.label, a.domain_id), (a.crawl, a.agent, a.label, a.ruleset_id), (a.crawl, a.agent, a.label, a.archive_no))
),
rows AS (
    SELECT c.position, c.crawl, g.agent, z.label, any_value(z.in_list) AS in_list, any_value(z.weight) AS weight,
        unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(c.sample)))
    FROM crawls() c
    CROSS JOIN asked_agents(agent) g
    CROSS JOIN sizes z
    LEFT JOIN parts p ON p.crawl = c.crawl AND p.agent = g.agent AND p.label = z.label
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, g.agent, z.label, c.position
),
-- Null unless every label with a weight has hosts, since the others would have the weight of those without.
weighted AS (
    SELECT r.position, r.crawl, r.agent, '(weighted)' AS label, NULL AS in_list, sum(r.weight) AS weight, NULL AS hosts, NULL AS domains, NULL AS hosts_blocked_by_name,
        round(sum(r.weight * r.blocked_by_name) / sum(r.weight), 6) AS blocked_by_name,
        round(sum(r.weight * r.blocked_by_wildcard) / sum(r.weight), 6) AS blocked_by_wildcard,
        round(sum(r.weight * r.blocked_by_status) / sum(r.weight), 6) AS blocked_by_status,
        round(sum(r.weight * r.domains_blocked_by_name) / sum(r.weight), 6) AS domains_blocked_by_name,
        round(sum(r.weight * r.domains_blocked_by_wildcard) / sum(r.weight), 6) AS domains_blocked_by_wildcard,
        round(sum(r.weight * r.domains_blocked_by_status) / sum(r.weight), 6) AS domains_blocked_by_status,
        NULL AS largest_domain, NULL AS largest_ruleset, NULL AS low, NULL AS high
    FROM rows r WHERE r.weight > 0 GROUP BY r.position, r.crawl, r.agent HAVING min(r.hosts) > 0
),
answer AS (
    SELECT r.* FROM rows r
    UNION ALL
    SELECT w.* FROM weighted w
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.label;

FROM blocking_by_label(labels := 'labels.csv');
