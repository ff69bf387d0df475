-- How many hosts added or removed a block of a crawler between two crawls?
-- Title: changes between two crawls
--
-- Denominator: hosts captured in both crawls, and their registered domains. Hosts that are only in one of them are not evidence of a
-- changed decision.
-- Pitfall: changes to and from unknown, and those whose basis is http_status, are changes of the network, not of the site. Moves between
-- name and wildcard keep the verdict but change who is meant. from_crawl is the first crawl in time and to_crawl the last, unless given.
-- Columns: from_crawl, to_crawl: the two crawls; agent; verdict_before, basis_before, verdict_after, basis_after: in the first crawl, and
-- in the second; hosts, of_hosts, share: hosts counted, hosts of both crawls, their ratio; domains_any: registered domains with such a
-- host; share_of_domains: each domain counts once, divided among its hosts; largest_domain: of these hosts, the part in one domain.
CREATE OR REPLACE MACRO changes_between_crawls(agent := 'GPTBot', from_crawl := NULL, to_crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT t.first, t.last, check_agents(agent, any_name) AND t.is_known AS is_known FROM two_crawls(from_crawl, to_crawl) t
),
pairs AS (
    SELECT a.agent, a.verdict AS verdict_before, a.basis AS basis_before, b.verdict AS verdict_after, b.basis AS basis_after, coalesce(b.domain_id, b.host_id) AS domain_id, b.ruleset_id,
        k.first, k.last
    FROM checked k
    JOIN verdicts_for(agent, any_name := any_name) a ON a.crawl = k.first
    JOIN verdicts_for(agent, any_name := any_name) b ON b.crawl = k.last AND b.surt_host_name = a.surt_host_name AND b.agent = a.agent
    WHERE k.first <> k.last
),
by_domain AS (
    SELECT p.first, p.last, p.agent, p.verdict_before, p.basis_before, p.verdict_after, p.basis_after, p.domain_id, count(*) AS hosts,
        sum(count(*)) OVER (PARTITION BY p.agent, p.domain_id) AS hosts_of_domain
    FROM pairs p
    GROUP BY p.first, p.last, p.agent, p.verdict_before, p.basis_before, p.verdict_after, p.basis_after, p.domain_id
),
answer AS (
    SELECT 1 AS position, d.first AS from_crawl, d.last AS to_crawl, d.agent, d.verdict_before, d.basis_before, d.verdict_after, d.basis_after,
        sum(d.hosts)::BIGINT AS hosts, sum(sum(d.hosts)) OVER (PARTITION BY d.agent)::BIGINT AS of_hosts,
        round(sum(d.hosts) / sum(sum(d.hosts)) OVER (PARTITION BY d.agent), 6) AS share, count(*) AS domains_any,
        round(sum(d.hosts / d.hosts_of_domain) / sum(sum(d.hosts / d.hosts_of_domain)) OVER (PARTITION BY d.agent), 6) AS share_of_domains,
        round(max(d.hosts) / sum(d.hosts), 6) AS largest_domain
    FROM by_domain d
    GROUP BY d.first, d.last, d.agent, d.verdict_before, d.basis_before, d.verdict_after, d.basis_after
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE CASE WHEN s.from_crawl IS NOT NULL THEN true WHEN NOT k.is_known THEN true
    ELSE error('no host was captured in both ''' || k.first || ''' and ''' || k.last || ''': choose crawls of the same hosts by from_crawl and to_crawl') END
ORDER BY s.agent, s.verdict_before = s.verdict_after, s.hosts DESC, s.verdict_before, s.basis_before, s.verdict_after, s.basis_after;

FROM changes_between_crawls();
