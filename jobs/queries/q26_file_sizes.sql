-- How large are robots.txt files, and how many are over 500 KiB?

-- Denominator: hosts with a 2xx response that is neither an HTML page nor binary data. Sizes are those of the decoded body as archived:
-- an archive that truncates long bodies hides the largest.
-- Variables: crawl (every crawl).
SELECT h.crawl, count(*) AS hosts, quantile_disc(r.body_bytes, 0.5) AS median_bytes, max(r.body_bytes) AS max_bytes,
    round(avg((r.body_bytes = 0)::INTEGER), 6) AS empty,
    round(avg((r.body_bytes <= 102400)::INTEGER), 6) AS up_to_100_kib,
    round(avg(r.over_500kib::INTEGER), 6) AS over_500_kib,
    count(*) FILTER (r.content_truncated IS NOT NULL) AS truncated
FROM hosts h
JOIN robots_files r ON r.crawl = h.rules_crawl AND r.robots_id = h.rules_robots_id
WHERE h.outcome = 'successful' AND NOT h.is_revisit AND h.content_class NOT IN ('html', 'binary') AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl
ORDER BY h.crawl;
