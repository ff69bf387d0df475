-- Of the hosts that a crawler cannot use, how many say so in rules, and how many are refused by a server?
-- Title: rules or refused by a server
--
-- Denominator: all hosts with a capture of /robots.txt, and their registered domains. Each host has exactly one reason for each crawler, by
-- the capture whose rules apply: own_name, fallback_name and wildcard are rules that disallow everything; refused is a challenge, 401, 403,
-- 429, 451 or 999, or 405, 406 and 418 of a known network; payment is 402; origin_down is 5xx; undecided is a redirect or a
-- revisit without end, a cut response, a failed fetch or a file that is too complex; no_block is everything else. by_network := true divides
-- each reason by waf_hint.
-- Pitfall: reasons are of a host, not of a verdict: a 403 allows everything by the protocol, and refuses in fact. The archive has the answer
-- to its own crawler: another crawler may be answered otherwise. A status does not show who sent it: the site or its network.
-- Columns: crawl; agent; reason; waf_hint: the network that the headers indicate, with by_network := true; shares; partial: hosts of the row that
-- disallow some paths only.
CREATE OR REPLACE MACRO blocking_by_reason(agent := 'GPTBot', crawl := NULL, by_network := false, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
answers AS (
    SELECT v.crawl, v.agent, v.domain_id, v.ruleset_id, v.archive_no, v.reason, CASE WHEN by_network THEN v.waf_hint END AS waf_hint, v.verdict
    FROM reasons_for(agent, crawl := crawl, any_name := any_name) v
),
parts AS (
    SELECT a.crawl, a.agent, a.reason, a.waf_hint, a.ruleset_id, part_of(grouping(a.domain_id, a.ruleset_id, a.archive_no), a.domain_id) AS part,
        coalesce(a.domain_id, a.archive_no) AS unit, count(*) AS x, count(*) FILTER (a.reason = 'no_block' AND a.verdict = 'partial') AS partial
    FROM answers a
    GROUP BY GROUPING SETS ((a.crawl, a.agent, a.reason, a.waf_hint, a.domain_id), (a.crawl, a.agent, a.reason, a.waf_hint, a.ruleset_id),
        (a.crawl, a.agent, a.reason, a.waf_hint, a.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('captured', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, p.crawl, p.agent, p.reason, p.waf_hint,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        sum(p.partial) FILTER (p.part = 'archive')::BIGINT AS partial
    FROM parts p
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    JOIN wholes w ON w.crawl = p.crawl
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.agent, p.reason, p.waf_hint, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent,
    list_position(['own_name', 'fallback_name', 'wildcard', 'refused', 'payment', 'origin_down', 'undecided', 'no_block'], s.reason), s.hosts DESC, s.waf_hint;

FROM blocking_by_reason();
