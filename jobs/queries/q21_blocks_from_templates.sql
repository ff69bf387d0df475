-- What share of the hosts that block a crawler by name do so with a vendor's template, or with a rule set that many domains share?
--
-- Denominator: hosts that name the crawler and block it fully, and their registered domains.
-- Pitfall: template is null if no vendor was recognized, which does not mean that a person wrote the file. shared_rules is true if at
-- least min_domains registered domains of the crawl have the same rule set. A template may be enabled by default or by one click.
CREATE OR REPLACE MACRO blocks_from_templates(agent := 'GPTBot', crawl := NULL, min_domains := 10, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_count('min_domains', min_domains) AND check_hosts('captured', crawl) AS is_known
),
shared AS (
    SELECT h.crawl, h.ruleset_id
    FROM hosts_with('rules', crawl := crawl) h
    WHERE h.ruleset_id IS NOT NULL
    GROUP BY h.crawl, h.ruleset_id
    HAVING number_of_domains(h.domain_id) >= min_domains
),
blocks AS (
    SELECT b.crawl, b.agent, b.template, s.ruleset_id IS NOT NULL AS shared_rules, b.domain_id, b.ruleset_id, b.archive_no
    FROM blocking(agent, crawl := crawl, any_name := any_name) b
    LEFT JOIN shared s ON s.crawl = b.crawl AND s.ruleset_id = b.ruleset_id
    WHERE b.by_name
),
units AS (
    SELECT b.crawl, b.agent, part_of(grouping(b.domain_id, b.archive_no), b.domain_id) AS part, coalesce(b.domain_id, b.archive_no) AS unit, count(*) AS n
    FROM blocks b
    GROUP BY GROUPING SETS ((b.crawl, b.agent, b.domain_id), (b.crawl, b.agent, b.archive_no))
),
wholes AS (
    SELECT u.crawl, u.agent, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl, u.agent
),
parts AS (
    SELECT b.crawl, b.agent, b.template, b.shared_rules, b.ruleset_id, part_of(grouping(b.domain_id, b.ruleset_id, b.archive_no), b.domain_id) AS part,
        coalesce(b.domain_id, b.archive_no) AS unit, count(*) AS x
    FROM blocks b
    GROUP BY b.crawl, b.agent, b.template, b.shared_rules, GROUPING SETS ((b.domain_id), (b.ruleset_id), (b.archive_no))
),
answer AS (
    SELECT c.position, p.crawl, p.agent, p.template, p.shared_rules, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM parts p
    LEFT JOIN units u ON u.crawl = p.crawl AND u.agent = p.agent AND u.part = p.part AND u.unit = p.unit
    JOIN wholes w ON w.crawl = p.crawl AND w.agent = p.agent
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.agent, p.template, p.shared_rules, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.hosts DESC, s.template NULLS FIRST, s.shared_rules;

FROM blocks_from_templates();
