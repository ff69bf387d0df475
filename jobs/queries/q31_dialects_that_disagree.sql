-- How many captures, and how many registered domains, have different verdicts under each pair of dialects?
-- Title: files read differently
--
-- Denominator: captures of a /robots.txt except revisits, regardless of their status, and their registered domains. A capture differs if
-- the two dialects give different verdicts for '*' or for a crawler of the registry that its file names. by_rules counts those whose files
-- differ in meaning, by_status the others. other_names are captures in which only names outside the registry differ.
-- Pitfall: 401, 403, 410, 429 and 5xx have different effects in the three dialects, regardless of the files. other_names are mostly what Google's parser
-- leaves of names with digits or dots, such as mj of MJ12bot: no crawler has these names. An unknown verdict (a redirect, a deferral)
-- counts as a verdict of its own.
-- Columns: crawl; dialects: the two dialects; captures, differ, share: captures, those with different verdicts, their ratio; domains,
-- share_of_domains: the same with each domain counted once; by_rules, domains_by_rules: captures whose rules differ in meaning, and the
-- share of domains; by_rules_for_all, domains_by_rules_for_all: for *; by_status, domains_by_status: because of the status; other_names,
-- domains_other_names: only for names outside the registry, not in differ; largest_domain, largest_ruleset: of by_rules, the part in one
-- domain, and with one rule set; low, high: 95 % interval of share, if archives were drawn at random.
CREATE OR REPLACE MACRO dialects_that_disagree(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('captured', crawl) AS is_known
),
-- As in hosts, a capture that is alone in its domain has no domain.
captures AS (
    SELECT f.crawl, f.robots_id, CASE WHEN h.host_id IS NULL THEN coalesce(f.url_host_registered_domain, f.surt_host_name) END AS domain, f.ruleset_id, f.robots_id >> 32 AS archive_no,
        f.content_class IS NOT NULL AS is_parsed
    FROM robots_files f
    LEFT JOIN hosts h ON h.crawl = f.crawl AND h.authoritative_robots_id = f.robots_id AND h.domain_id IS NULL AND h.n_captures = 1
    WHERE f.is_robots_path AND NOT f.is_revisit AND in_crawls(f.crawl, crawl)
),
units AS (
    SELECT c.crawl, part_of(grouping(c.domain, c.archive_no), c.domain) AS part, coalesce(c.domain, c.archive_no::VARCHAR) AS unit, count(*) AS n
    FROM captures c
    GROUP BY GROUPING SETS ((c.crawl, c.domain), (c.crawl, c.archive_no))
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
pairs AS MATERIALIZED (
    SELECT unnest(['google, rfc9309', 'google, koster1996', 'rfc9309, koster1996']) AS dialects
),
-- Only captures with a difference, which are few.
differing AS (
    SELECT d.crawl, d.robots_id, d.dialects, bool_or(d.agent = '*') AS for_all,
        bool_or(d.agent = '*' OR d.agent IN (SELECT g.agent FROM agents g)) AS is_known
    FROM (
        SELECT v.crawl, v.robots_id, v.agent, unnest([
            CASE WHEN v.verdict_google <> v.verdict_rfc9309 THEN 'google, rfc9309' END,
            CASE WHEN v.verdict_google <> v.verdict_koster1996 THEN 'google, koster1996' END,
            CASE WHEN v.verdict_rfc9309 <> v.verdict_koster1996 THEN 'rfc9309, koster1996' END]) AS dialects
        FROM verdicts v
        WHERE v.is_robots_path AND in_crawls(v.crawl, crawl)
            AND (v.verdict_google <> v.verdict_rfc9309 OR v.verdict_google <> v.verdict_koster1996 OR v.verdict_rfc9309 <> v.verdict_koster1996)) d
    WHERE d.dialects IS NOT NULL
    GROUP BY d.crawl, d.robots_id, d.dialects
),
parts AS (
    SELECT c.crawl, d.dialects, c.ruleset_id, part_of(grouping(c.domain, c.ruleset_id, c.archive_no), c.domain) AS part,
        coalesce(c.domain, c.archive_no::VARCHAR) AS unit, count(*) FILTER (d.is_known) AS differ,
        count(*) FILTER (d.is_known AND c.is_parsed) AS by_rules, count(*) FILTER (d.for_all AND c.is_parsed) AS by_rules_for_all,
        count(*) FILTER (d.is_known AND NOT c.is_parsed) AS by_status, count(*) FILTER (NOT d.is_known) AS other_names
    FROM differing d
    JOIN captures c ON c.crawl = d.crawl AND c.robots_id = d.robots_id
    GROUP BY GROUPING SETS ((c.crawl, d.dialects, c.domain), (c.crawl, d.dialects, c.ruleset_id), (c.crawl, d.dialects, c.archive_no))
),
answer AS (
    SELECT c.position, c.crawl, d.dialects, coalesce(any_value(w.whole).hosts, 0) AS captures, coalesce(sum(p.differ) FILTER (p.part = 'archive'), 0)::BIGINT AS differ,
        round(coalesce(sum(p.differ) FILTER (p.part = 'archive'), 0) / any_value(w.whole).hosts, 6) AS share, coalesce(any_value(w.whole).domains, 0) AS domains,
        round(weight_of_domains(p.part, p.differ, u.n) / any_value(w.whole).domains, 6) AS share_of_domains,
        coalesce(sum(p.by_rules) FILTER (p.part = 'archive'), 0)::BIGINT AS by_rules,
        round(weight_of_domains(p.part, p.by_rules, u.n) / any_value(w.whole).domains, 6) AS domains_by_rules,
        coalesce(sum(p.by_rules_for_all) FILTER (p.part = 'archive'), 0)::BIGINT AS by_rules_for_all,
        round(weight_of_domains(p.part, p.by_rules_for_all, u.n) / any_value(w.whole).domains, 6) AS domains_by_rules_for_all,
        coalesce(sum(p.by_status) FILTER (p.part = 'archive'), 0)::BIGINT AS by_status,
        round(weight_of_domains(p.part, p.by_status, u.n) / any_value(w.whole).domains, 6) AS domains_by_status,
        coalesce(sum(p.other_names) FILTER (p.part = 'archive'), 0)::BIGINT AS other_names,
        round(weight_of_domains(p.part, p.other_names, u.n) / any_value(w.whole).domains, 6) AS domains_other_names,
        largest_domain(p.part, p.by_rules) AS largest_domain, largest_ruleset(p.part, p.ruleset_id, p.by_rules) AS largest_ruleset,
        lower_end(sum(p.differ) FILTER (p.part = 'archive') / any_value(w.whole).hosts,
            share_margin(p.part, p.differ, u.n, any_value(w.whole), any_value(c.sample))) AS low,
        upper_end(sum(p.differ) FILTER (p.part = 'archive') / any_value(w.whole).hosts,
            share_margin(p.part, p.differ, u.n, any_value(w.whole), any_value(c.sample))) AS high
    FROM crawls() c
    CROSS JOIN pairs d
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl AND p.dialects = d.dialects
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, d.dialects, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.dialects;

FROM dialects_that_disagree();
