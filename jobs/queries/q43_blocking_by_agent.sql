-- What share of hosts block each crawler of a category or a list, by name, through '*' or by an HTTP status?
-- Title: many crawlers compared
--
-- Denominator: as in share_of_hosts_blocking: hosts with a known verdict for the crawler, and their registered domains. Of these hosts,
-- hosts_naming have a group for the crawler or for a fallback whose group it obeys, and hosts_blocked_by_name disallow everything there.
-- category is a category of the registry or a list of them, and agent a crawler or a list of them: every crawler of a category or a list
-- is a row, also one that no host names. Without both, the rows are the first 25 of the crawlers whose category begins with ai_. top is
-- another number of rows.
-- Pitfall: blocked_by_wildcard and blocked_by_status are decisions about all crawlers, so they hardly differ between rows. Vendors'
-- templates and copied lists name many crawlers at once: see largest_domain and largest_ruleset. The list of crawlers is the registry's.
-- Columns: crawl; agent; operator, category: of the registry; hosts_naming: hosts that name the crawler; blocking_shares; partial, domains_partial: shares of hosts and of domains that block some paths only.
CREATE OR REPLACE MACRO blocking_by_agent(category := NULL, crawl := NULL, top := NULL, agent := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT CASE WHEN category IS NOT NULL AND agent IS NOT NULL THEN error('one of category and agent is expected, not both')
            WHEN category IS NOT NULL THEN check_categories(category)
            WHEN agent IS NOT NULL THEN check_named_agents(agent, any_name) ELSE true END
        AND check_count('top', coalesce(top, 25)) AND check_hosts('captured', crawl) AS is_known
),
members AS MATERIALIZED (
    SELECT g.agent, g.operator, g.category, g.fallbacks, g.ignores_wildcard
    FROM agents g
    WHERE agent IS NULL
        AND CASE WHEN category IS NULL THEN starts_with(g.category, 'ai_') OR coalesce(starts_with(g.category2, 'ai_'), false)
            ELSE list_contains(categories_in(category), g.category) OR coalesce(list_contains(categories_in(category), g.category2), false) END
    UNION ALL
    SELECT a.agent, g.operator, g.category, g.fallbacks, coalesce(g.ignores_wildcard, false)
    FROM asked_agents(agent) a
    LEFT JOIN agents g ON g.agent = a.agent
    WHERE agent IS NOT NULL
),
-- The names whose groups each crawler obeys, with its own at position 0.
obeyed AS (
    SELECT m.agent, m.agent AS name, 0 AS place FROM members m
    UNION ALL
    SELECT m.agent, trim(unnest(string_split(m.fallbacks, ','))), unnest(range(1, 1 + len(string_split(m.fallbacks, ',')))) FROM members m
),
-- The verdict of each host for crawlers that it does not name, as in verdicts_of: for those that ignore '*', and for the others. A
-- block by a status is written as 'status'.
unnamed AS (
    SELECT h.crawl, h.host_id, h.domain_id, h.ruleset_id, h.archive_no, i.ignores_wildcard,
        CASE WHEN NOT h.has_named_rows THEN 'unknown'
            WHEN i.ignores_wildcard AND h.wildcard_basis <> 'http_status' THEN 'allow_all'
            WHEN h.wildcard_verdict = 'disallow_all' AND h.wildcard_basis = 'http_status' THEN 'status'
            ELSE h.wildcard_verdict END AS verdict
    FROM hosts h
    CROSS JOIN (SELECT DISTINCT m.ignores_wildcard FROM members m) i
    WHERE in_crawls(h.crawl, crawl)
),
units AS MATERIALIZED (
    SELECT u.crawl, u.ignores_wildcard, part_of(grouping(u.domain_id, u.archive_no), u.domain_id) AS part,
        coalesce(u.domain_id, u.archive_no) AS unit, count(*) AS n, count(*) FILTER (u.verdict = 'disallow_all') AS by_wildcard,
        count(*) FILTER (u.verdict = 'status') AS by_status, count(*) FILTER (u.verdict = 'partial') AS partly
    FROM unnamed u
    WHERE u.verdict <> 'unknown'
    GROUP BY GROUPING SETS ((u.crawl, u.ignores_wildcard, u.domain_id), (u.crawl, u.ignores_wildcard, u.archive_no))
),
-- The hosts with a group that a crawler obeys.
named AS (
    SELECT v.host_id, o.agent, arg_min(v.verdict, o.place) AS verdict
    FROM host_verdicts v
    JOIN obeyed o ON o.name = v.agent
    WHERE v.basis IN ('explicit', 'too_complex') AND in_crawls(v.crawl, crawl)
    GROUP BY v.host_id, o.agent
),
-- The changes that these groups make in the counts of each unit, per crawler.
changes AS (
    SELECT u.crawl, n.agent, u.ignores_wildcard, u.ruleset_id, part_of(grouping(u.domain_id, u.ruleset_id, u.archive_no), u.domain_id) AS part,
        coalesce(u.domain_id, u.archive_no) AS unit, count(*) FILTER (n.verdict <> 'unknown') AS naming,
        count(*) FILTER (n.verdict = 'disallow_all') AS by_name,
        count(*) FILTER (n.verdict <> 'unknown') - count(*) FILTER (u.verdict <> 'unknown') AS n,
        -count(*) FILTER (u.verdict = 'disallow_all') AS by_wildcard, -count(*) FILTER (u.verdict = 'status') AS by_status,
        count(*) FILTER (n.verdict = 'partial') - count(*) FILTER (u.verdict = 'partial') AS partly
    FROM named n
    JOIN members m ON m.agent = n.agent
    JOIN unnamed u ON u.host_id = n.host_id AND u.ignores_wildcard = m.ignores_wildcard
    GROUP BY GROUPING SETS ((u.crawl, n.agent, u.ignores_wildcard, u.domain_id), (u.crawl, n.agent, u.ignores_wildcard, u.ruleset_id),
        (u.crawl, n.agent, u.ignores_wildcard, u.archive_no))
),
-- The units of these hosts, without the groups (before) and with them. Of rule sets, only the column by_name is used.
changed AS MATERIALIZED (
    SELECT c.crawl, c.ignores_wildcard, c.agent, c.part, c.ruleset_id, c.naming, c.by_name, u.n AS n_before, u.by_wildcard AS by_wildcard_before,
        u.by_status AS by_status_before, u.partly AS partly_before, coalesce(u.n, 0) + c.n AS n, coalesce(u.by_wildcard, 0) + c.by_wildcard AS by_wildcard,
        coalesce(u.by_status, 0) + c.by_status AS by_status, coalesce(u.partly, 0) + c.partly AS partly
    FROM changes c
    LEFT JOIN units u ON u.crawl = c.crawl AND u.ignores_wildcard = c.ignores_wildcard AND u.part = c.part AND u.unit IS NOT DISTINCT FROM c.unit
),
-- The rows to add up: all units without the groups, for all crawlers; and for each crawler, the units that change, once without the groups
-- (sign -1) and once with them.
terms AS (
    SELECT u.crawl, u.ignores_wildcard, NULL AS agent, u.part, NULL AS ruleset_id, 1 AS sign, 0 AS naming, u.n, 0 AS by_name, u.by_wildcard, u.by_status, u.partly
    FROM units u
    UNION ALL
    SELECT c.crawl, c.ignores_wildcard, c.agent, c.part, NULL, -1, 0, c.n_before, 0, c.by_wildcard_before, c.by_status_before, c.partly_before
    FROM changed c
    WHERE c.n_before IS NOT NULL
    UNION ALL
    SELECT c.crawl, c.ignores_wildcard, c.agent, c.part, c.ruleset_id, 1, c.naming, c.n, c.by_name, c.by_wildcard, c.by_status, c.partly
    FROM changed c
),
sums AS (
    SELECT t.crawl, t.ignores_wildcard, t.agent, sum(t.naming) FILTER (t.part = 'archive') AS naming, sum(t.sign * t.n) FILTER (t.part = 'archive') AS hosts,
        coalesce(sum(t.sign) FILTER (t.part = 'domain' AND t.n > 0), 0) + coalesce(sum(t.sign * t.n) FILTER (t.part = 'single'), 0) AS domains, sum(t.by_name) FILTER (t.part = 'archive') AS by_name,
        sum(t.sign * t.by_wildcard) FILTER (t.part = 'archive') AS by_wildcard, sum(t.sign * t.by_status) FILTER (t.part = 'archive') AS by_status,
        sum(t.sign * t.partly) FILTER (t.part = 'archive') AS partly,
        weight_of_domains(t.part, t.by_name, nullif(t.n, 0)) AS domains_by_name,
        weight_of_domains(t.part, t.sign * t.by_wildcard, nullif(t.n, 0)) AS domains_by_wildcard,
        weight_of_domains(t.part, t.sign * t.by_status, nullif(t.n, 0)) AS domains_by_status,
        weight_of_domains(t.part, t.sign * t.partly, nullif(t.n, 0)) AS domains_partly,
        largest_domain(t.part, t.by_name) AS largest_domain, largest_ruleset(t.part, t.ruleset_id, t.by_name) AS largest_ruleset,
        sum(t.by_name * t.by_name) FILTER (t.part = 'archive') AS xx, sum(t.by_name * t.n) FILTER (t.part = 'archive') AS xn,
        sum(t.sign * t.n * t.n) FILTER (t.part = 'archive') AS nn
    FROM terms t
    GROUP BY t.crawl, t.ignores_wildcard, t.agent
),
-- One row per crawl and crawler.
totals AS (
    SELECT c.crawl, m.agent, m.operator, m.category, coalesce(sum(s.naming), 0)::BIGINT AS hosts_naming, coalesce(sum(s.by_name), 0)::BIGINT AS by_name,
        coalesce(sum(s.hosts), 0)::BIGINT AS hosts, coalesce(sum(s.domains), 0)::BIGINT AS domains, sum(s.by_wildcard) AS by_wildcard, sum(s.by_status) AS by_status, sum(s.partly) AS partly,
        coalesce(sum(s.domains_by_name), 0) AS domains_by_name, sum(s.domains_by_wildcard) AS domains_by_wildcard, sum(s.domains_by_status) AS domains_by_status,
        sum(s.domains_partly) AS domains_partly, max(s.largest_domain) AS largest_domain, max(s.largest_ruleset) AS largest_ruleset,
        sum(s.xx) AS xx, sum(s.xn) AS xn, sum(s.nn) AS nn
    FROM crawls() c
    CROSS JOIN members m
    LEFT JOIN sums s ON s.crawl = c.crawl AND s.ignores_wildcard = m.ignores_wildcard AND (s.agent IS NULL OR s.agent = m.agent)
    WHERE in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, m.agent, m.operator, m.category
),
answer AS (
    SELECT c.position, t.crawl, t.agent, t.operator, t.category, t.hosts_naming, t.by_name AS hosts_blocked_by_name, t.hosts, t.domains,
        round(t.by_name / nullif(t.hosts, 0), 6) AS blocked_by_name, round(t.by_wildcard / nullif(t.hosts, 0), 6) AS blocked_by_wildcard,
        round(t.by_status / nullif(t.hosts, 0), 6) AS blocked_by_status, round(t.domains_by_name / nullif(t.domains, 0), 6) AS domains_blocked_by_name,
        round(greatest(0, t.domains_by_wildcard) / nullif(t.domains, 0), 6) AS domains_blocked_by_wildcard,
        round(greatest(0, t.domains_by_status) / nullif(t.domains, 0), 6) AS domains_blocked_by_status, t.largest_domain, t.largest_ruleset,
        lower_end(round(t.by_name / nullif(t.hosts, 0), 6), margin_of(t.by_name, t.hosts, t.xx, t.xn, t.nn, c.sample)) AS low,
        upper_end(round(t.by_name / nullif(t.hosts, 0), 6), margin_of(t.by_name, t.hosts, t.xx, t.xn, t.nn, c.sample)) AS high,
        round(t.partly / nullif(t.hosts, 0), 6) AS partial, round(greatest(0, t.domains_partly) / nullif(t.domains, 0), 6) AS domains_partial
    FROM totals t
    JOIN crawls() c ON c.crawl = t.crawl
    QUALIFY row_number() OVER (PARTITION BY t.crawl ORDER BY t.by_name DESC, t.hosts_naming DESC, t.agent)
        <= coalesce(top, CASE WHEN category IS NULL AND agent IS NULL THEN 25 ELSE (SELECT count(*) FROM members) END)
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts_blocked_by_name DESC, s.hosts_naming DESC, s.agent;

FROM blocking_by_agent();
