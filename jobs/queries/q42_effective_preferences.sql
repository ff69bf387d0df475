-- What is the effective preference of hosts about AI use: allowed or disallowed?
--
-- Denominator: hosts with a 2xx response, and their registered domains. Those in neither row of a purpose have not stated one.
-- Pitfall: headers (http_content_usage, http_tdm_reservation) and RSL licences are not read. Only valid statements for the whole site count: outside of groups or in a group of '*', and without a path other than /. If
-- statements differ, no prevails, as in the draft of the vocabulary of AI preferences: one statement that disallows is enough.
CREATE OR REPLACE MACRO effective_preferences(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('successful', crawl) AS is_known
),
files AS (
    SELECT h.crawl, h.host_id, h.domain, h.ruleset_id, h.archive_no, h.rules_crawl, h.rules_robots_id FROM hosts_with('successful', crawl := crawl) h
),
for_all AS (
    SELECT DISTINCT g.crawl, g.robots_id, g.group_no FROM groups g WHERE g.agent = '*'
),
statements AS (
    SELECT f.host_id, CASE WHEN p.pref_key IN ('ai-train', 'train-ai') THEN 'training' WHEN p.pref_key IN ('ai-input', 'search') THEN p.pref_key END AS purpose,
        bool_and(p.allow) AS allowed, bool_and(p.from_template) AS from_template
    FROM files f
    JOIN preferences p ON p.crawl = f.rules_crawl AND p.robots_id = f.rules_robots_id
    LEFT JOIN for_all g ON g.crawl = p.crawl AND g.robots_id = p.robots_id AND g.group_no = p.group_no
    WHERE p.is_valid AND p.allow IS NOT NULL AND p.pref_key IN ('ai-train', 'train-ai', 'ai-input', 'search')
        AND (p.group_no IS NULL OR g.group_no IS NOT NULL) AND (p.path IS NULL OR p.path IN ('', '/', '/*'))
    GROUP BY ALL
),
answers AS (
    SELECT f.crawl, f.domain, f.ruleset_id, f.archive_no, s.purpose, CASE WHEN s.allowed THEN 'allowed' ELSE 'disallowed' END AS preference, s.from_template
    FROM statements s
    JOIN files f ON f.host_id = s.host_id
),
parts AS (
    SELECT a.crawl, a.purpose, a.preference, a.ruleset_id, part_of(grouping(a.domain, a.ruleset_id, a.archive_no)) AS part,
        coalesce(a.domain, a.archive_no::VARCHAR) AS unit, count(*) AS x, count(*) FILTER (a.from_template) AS from_template
    FROM answers a
    GROUP BY a.crawl, a.purpose, a.preference, GROUPING SETS ((a.domain), (a.ruleset_id), (a.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('successful', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, p.crawl, p.purpose, p.preference, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        share_of_hosts(p.part, p.from_template, p.x) AS from_template
    FROM parts p
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    JOIN wholes w ON w.crawl = p.crawl
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.purpose, p.preference, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.purpose, s.preference;

FROM effective_preferences();
