-- How many hosts allow or disallow each use of their content to a crawler, by mechanism?
-- Title: what hosts allow
--
-- Denominator: hosts with a 2xx response, and their registered domains. Hosts without a row of a mechanism state nothing of it.
-- Pitfall: count training and search in the mechanism any, which reads Content-Usage and Content-Signal together; a host that uses one of them has
-- rows of both mechanisms, and hosts of several rows do not add up. The preference is that for all paths that the
-- crawler may fetch: unknown_all means that only other categories are stated, not_crawlable that the rules disallow all paths. tdmrep is read from the header of robots.txt, not of pages.
-- from_template is the share of these hosts whose statements of the mechanism are all in a vendor's managed text.
-- Columns: crawl; agent; mechanism, category, preference: the use, and what holds on all paths; shares; from_template: the part of these
-- hosts whose statements are all of a vendor.
CREATE OR REPLACE MACRO effective_preferences(agent := '*', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('successful', crawl) AS is_known
),
templates AS (
    SELECT p.crawl, p.robots_id, unnest(CASE WHEN p.mechanism IN ('content-usage', 'content-signal') THEN [p.mechanism, 'any'] ELSE [p.mechanism] END) AS mechanism,
        p.from_template
    FROM preferences p
),
all_from_templates AS (
    SELECT t.crawl, t.robots_id, t.mechanism, bool_and(t.from_template) AS from_template FROM templates t GROUP BY t.crawl, t.robots_id, t.mechanism
),
features AS (
    SELECT DISTINCT p.crawl, p.host_id, p.domain_id, p.ruleset_id, p.archive_no, p.agent, p.mechanism, p.category, p.preference, t.from_template
    FROM preferences_for(agent, crawl := crawl, any_name := any_name) p
    LEFT JOIN all_from_templates t ON t.crawl = p.crawl AND t.robots_id = p.rules_robots_id AND t.mechanism = p.mechanism
),
parts AS (
    SELECT f.crawl, f.agent, f.mechanism, f.category, f.preference, f.ruleset_id, part_of(grouping(f.domain_id, f.ruleset_id, f.archive_no), f.domain_id) AS part,
        coalesce(f.domain_id, f.archive_no) AS unit, count(*) AS x, count(*) FILTER (f.from_template) AS from_template
    FROM features f
    GROUP BY f.crawl, f.agent, f.mechanism, f.category, f.preference, GROUPING SETS ((f.domain_id), (f.ruleset_id), (f.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('successful', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, a.agent, p.mechanism, p.category, p.preference,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        share_of_hosts(p.part, p.from_template, p.x) AS from_template
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl AND p.agent = a.agent
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, a.agent, p.mechanism, p.category, p.preference, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.mechanism, s.category, s.preference;

FROM effective_preferences();
