-- What was the result of fetching robots.txt, in classes that add up to 100 percent?

-- Denominator: hosts with at least one capture of a robots.txt file. Hosts that were never fetched, or whose response was not
-- archived, are not included, and they are the largest class of the web. Redirects count as their final response if the dataset
-- has it. A 200 with an HTML page is not a robots.txt file.
-- Variables: crawl (every crawl).
SELECT h.crawl,
    CASE WHEN h.is_revisit THEN 'revisit without content'
        WHEN h.content_class = 'rules' THEN 'robots.txt with rules'
        WHEN h.content_class IN ('no_rules', 'comments_only', 'empty') THEN 'robots.txt without rules'
        WHEN h.outcome = 'successful' THEN 'not a robots.txt'
        ELSE h.fetch_class END AS outcome,
    count(*) AS hosts, round(count(*) / sum(count(*)) OVER (PARTITION BY h.crawl), 6) AS share
FROM hosts h
WHERE (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl, 2
ORDER BY h.crawl, hosts DESC, outcome;
