-- What was the result of fetching robots.txt, in classes that add up to 100 percent?
-- Title: results of the fetches
--
-- Denominator: hosts with at least one capture of /robots.txt, and their registered domains. Redirects count as their final response if
-- the dataset has it.
-- Pitfall: hosts that were never fetched, or whose response was not archived, are not included, and they are the largest class of the
-- web. A 200 with an HTML page is not a robots.txt file. Until 2019, Common Crawl did not index redirects.
-- Columns: crawl; outcome: the class of the response; shares.
CREATE OR REPLACE MACRO outcome_funnel(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('captured', crawl) AS is_known
),
parts AS (
    SELECT h.crawl, h.class, h.ruleset_id, part_of(grouping(h.domain_id, h.ruleset_id, h.archive_no), h.domain_id) AS part,
        coalesce(h.domain_id, h.archive_no) AS unit, count(*) AS x
    FROM (
        SELECT f.crawl, f.domain_id, f.ruleset_id, f.archive_no, CASE WHEN f.is_revisit THEN 'revisit without content'
            WHEN f.content_class = 'rules' THEN 'robots.txt with rules'
            WHEN f.content_class IN ('no_rules', 'comments_only', 'empty') THEN 'robots.txt without rules'
            WHEN f.outcome = 'successful' AND f.content_class IS NULL THEN 'robots.txt not stored'
            WHEN f.outcome = 'successful' THEN 'not a robots.txt'
            WHEN f.outcome = 'failed' THEN 'no response'
            ELSE f.fetch_class END AS class
        FROM hosts_with('captured', crawl := crawl) f) h
    GROUP BY GROUPING SETS ((h.crawl, h.class, h.domain_id), (h.crawl, h.class, h.ruleset_id), (h.crawl, h.class, h.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('captured', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, p.crawl, p.class AS outcome,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM parts p
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    JOIN wholes w ON w.crawl = p.crawl
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.class, c.position
)
SELECT s.crawl, s.outcome, s.* EXCLUDE (position, crawl, outcome)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.outcome;

FROM outcome_funnel();
