-- How many hosts respond to the request for robots.txt with a block or a challenge, by firewall?

-- Denominator: hosts with at least one capture of a robots.txt file, by the firewall or network that their headers indicate; empty if none.
-- An HTML page with status 200 may be a challenge or a soft 404: the headers do not distinguish them.
-- Variables: crawl (every crawl).
SELECT h.crawl, r.waf_hint, count(*) AS hosts,
    count(*) FILTER (h.fetch_class IN ('unauthorized', 'forbidden')) AS forbidden,
    count(*) FILTER (h.fetch_class = 'defer_visits') AS come_back_later,
    count(*) FILTER (h.content_class = 'html') AS web_page,
    round((forbidden + come_back_later + web_page) / count(*), 6) AS share
FROM hosts h
JOIN robots_files r ON r.crawl = h.rules_crawl AND r.robots_id = h.rules_robots_id
WHERE (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl, r.waf_hint
ORDER BY h.crawl, hosts DESC, r.waf_hint NULLS FIRST;
