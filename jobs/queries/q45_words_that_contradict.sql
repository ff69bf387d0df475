-- On how many hosts do the words of Content-Usage and Content-Signal contradict each other about training, or about search?
-- Title: words that contradict
--
-- Denominator: hosts that state with both words whether the use is allowed to the crawler, and their registered domains.
-- Pitfall: the words contradict if one allows the use for every path that the crawler may fetch, and the other disallows it for some path.
-- effective_preferences counts such a use as disallowed, in the mechanism any.
-- Columns: crawl; agent; category: training or search; shares.
CREATE OR REPLACE MACRO words_that_contradict(agent := '*', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('successful', crawl) AS is_known
),
words AS (
    SELECT p.crawl, p.agent, p.host_id, p.domain_id, p.ruleset_id, p.archive_no, CASE p.category WHEN 'search' THEN 'search' ELSE 'training' END AS category,
        p.mechanism, p.preference, p.has_disallowed
    FROM preferences_for(agent, crawl := crawl, any_name := any_name) p
    WHERE p.mechanism IN ('content-usage', 'content-signal') AND p.category IN ('train-ai', 'ai-train', 'search')
        AND p.preference IN ('allow_all', 'disallow_all', 'mixed')
),
pairs AS (
    SELECT u.crawl, u.agent, u.category, u.domain_id, u.ruleset_id, u.archive_no,
        u.preference = 'allow_all' AND s.has_disallowed OR s.preference = 'allow_all' AND u.has_disallowed AS contradict
    FROM words u
    JOIN words s ON s.host_id = u.host_id AND s.agent = u.agent AND s.category = u.category
    WHERE u.mechanism = 'content-usage' AND s.mechanism = 'content-signal'
),
parts AS (
    SELECT p.crawl, p.agent, p.category, p.ruleset_id, part_of(grouping(p.domain_id, p.ruleset_id, p.archive_no), p.domain_id) AS part, count(*) AS n,
        count(*) FILTER (p.contradict) AS x
    FROM pairs p
    GROUP BY p.crawl, p.agent, p.category, GROUPING SETS ((p.domain_id), (p.ruleset_id), (p.archive_no))
),
wholes AS (
    SELECT p.crawl, p.agent, p.category, whole_of(p.part, p.n) AS whole FROM parts p GROUP BY p.crawl, p.agent, p.category
),
answer AS (
    SELECT c.position, c.crawl, a.agent, g.category, unnest(shares(p.part, p.ruleset_id, p.x, p.n, any_value(w.whole), any_value(c.sample)))
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    CROSS JOIN (VALUES ('training'), ('search')) g(category)
    LEFT JOIN wholes w ON w.crawl = c.crawl AND w.agent = a.agent AND w.category = g.category
    LEFT JOIN parts p ON p.crawl = c.crawl AND p.agent = a.agent AND p.category = g.category
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, a.agent, g.category, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.category;

FROM words_that_contradict();
