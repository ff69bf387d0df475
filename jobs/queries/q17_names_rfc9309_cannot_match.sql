-- How often does a group name an agent that is not a product token of RFC 9309?

-- Denominators: user-agent lines other than '*', and hosts that have such a line.
-- The causes are digits, dots and blanks. Real crawlers such as MJ12bot are among them, so this is not a count of mistakes.
-- Variables: crawl (every crawl).
SELECT h.crawl, count(*) AS lines, round(avg((NOT g.token_valid)::INTEGER), 6) AS share_of_lines,
    count(DISTINCT h.host_id) AS hosts, count(DISTINCT h.host_id) FILTER (NOT g.token_valid) AS hosts_affected
FROM hosts h
JOIN groups g ON g.crawl = h.rules_crawl AND g.robots_id = h.rules_robots_id
WHERE g.agent IS DISTINCT FROM '*' AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl
ORDER BY h.crawl;
