-- What came of asking for robots.txt, in classes that sum to 100 percent?

-- Denominator: hosts with at least one capture of a robots.txt. Hosts never asked, or whose answer was not archived, are not here,
-- and they are the largest class of the web. Redirects count as what they end in, if the dataset holds the end; a 200 with a web
-- page is no robots.txt.
-- Variables: crawl (every crawl).
SELECT h.crawl,
    CASE WHEN r.is_revisit THEN 'revisit without content'
        WHEN r.content_class = 'rules' THEN 'robots.txt with rules'
        WHEN r.content_class IN ('no_rules', 'comments_only', 'empty') THEN 'robots.txt without rules'
        WHEN r.outcome = 'successful' THEN 'not a robots.txt'
        ELSE r.fetch_class END AS outcome,
    count(*) AS hosts, round(count(*) / sum(count(*)) OVER (PARTITION BY h.crawl), 6) AS share
FROM hosts h
JOIN robots_files r ON r.crawl = h.rules_crawl AND r.robots_id = h.rules_robots_id
WHERE (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl, 2
ORDER BY h.crawl, hosts DESC, outcome;
