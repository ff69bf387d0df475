-- Do the rules of hosts for a crawler agree with their preferences about its use of content, such as training?
-- Title: rules beside preferences
--
-- Denominator: hosts that state for '*' whether this use is allowed, with a known verdict for the crawler, and their registered domains.
-- The mechanism any reads Content-Usage and Content-Signal together. of_hosts and of_domains count all with a known verdict.
-- Pitfall: the use is training, unless the registry says that the crawler serves search or an assistant (macro uses_of). Blocking
-- a crawler although the use is allowed is not a contradiction by itself: there may be other reasons. Only blocked_by_name is about
-- this crawler. A host whose rules disallow all paths for '*' states nothing.
-- Columns: crawl; agent; mechanism, category, preference: what hosts state for all crawlers; blocking_shares; partial,
-- domains_partial: shares that allow some paths; allowed, domains_allowed: shares that allow all paths; of_hosts, of_domains: those with a known
-- verdict.
CREATE OR REPLACE MACRO contradictions(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
uses AS (
    SELECT DISTINCT a.agent, unnest(list_concat(uses_of(g.category), CASE WHEN g.category2 IS NOT NULL THEN uses_of(g.category2) END)) AS category
    FROM asked_agents(agent) a
    LEFT JOIN agents g ON lower(g.agent) = a.agent
),
statements AS (
    SELECT p.host_id, p.mechanism, p.category, p.preference
    FROM preferences_for('*', crawl := crawl) p
    WHERE p.preference IN ('allow_all', 'disallow_all', 'mixed') AND (p.mechanism = 'any') = (p.category IN ('training', 'search'))
),
parts AS (
    SELECT b.crawl, b.agent, s.mechanism, s.category, s.preference, b.ruleset_id, part_of(grouping(b.domain_id, b.ruleset_id, b.archive_no), b.domain_id) AS part,
        count(*) AS hosts, count(*) FILTER (b.by_name) AS by_name, count(*) FILTER (b.by_wildcard) AS by_wildcard, count(*) FILTER (b.by_status) AS by_status,
        count(*) FILTER (b.verdict = 'partial') AS partly, count(*) FILTER (b.verdict = 'allow_all') AS allowed
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    JOIN statements s ON s.host_id = b.host_id
    JOIN uses u ON u.agent = b.agent AND u.category = s.category
    GROUP BY b.crawl, b.agent, s.mechanism, s.category, s.preference, GROUPING SETS ((b.domain_id), (b.ruleset_id), (b.archive_no))
),
stating AS (
    SELECT p.crawl, p.agent, p.mechanism, p.category, p.preference,
        unnest(blocking_shares(p.part, p.ruleset_id, p.hosts, p.by_name, p.by_wildcard, p.by_status, any_value(c.sample))),
        share_of_hosts(p.part, p.partly, p.hosts) AS partial, share_of_domains(p.part, p.partly, p.hosts) AS domains_partial,
        share_of_hosts(p.part, p.allowed, p.hosts) AS allowed, share_of_domains(p.part, p.allowed, p.hosts) AS domains_allowed
    FROM parts p
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.agent, p.mechanism, p.category, p.preference
),
decided AS (
    SELECT b.crawl, b.agent, count(*) AS hosts, number_of_domains(b.domain_id) AS domains
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    GROUP BY b.crawl, b.agent
),
answer AS (
    SELECT c.position, c.crawl, a.agent, s.* EXCLUDE (crawl, agent) REPLACE (coalesce(s.hosts, 0) AS hosts, coalesce(s.hosts_blocked_by_name, 0) AS hosts_blocked_by_name, coalesce(s.domains, 0) AS domains),
        coalesce(d.hosts, 0) AS of_hosts, coalesce(d.domains, 0) AS of_domains
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    LEFT JOIN stating s ON s.crawl = c.crawl AND s.agent = a.agent
    LEFT JOIN decided d ON d.crawl = c.crawl AND d.agent = a.agent
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.mechanism, s.category, s.preference;

FROM contradictions();
