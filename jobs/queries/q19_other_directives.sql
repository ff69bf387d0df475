-- Which directives other than allow, disallow and sitemap are in use?

-- Denominator: none; the figures are hosts that use the directive at least once. Unknown directives are mostly typos and lines of
-- HTML pages, so HTML pages are excluded.
-- Variables: crawl (every crawl), top (50, a crawl).
SELECT h.crawl, d.directive, bool_or(d.known) AS known, count(DISTINCT h.host_id) AS hosts, count(*) AS lines
FROM hosts h
JOIN directives d ON d.crawl = h.rules_crawl AND d.robots_id = h.rules_robots_id
WHERE h.content_class NOT IN ('html', 'binary') AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl, d.directive
QUALIFY row_number() OVER (PARTITION BY h.crawl ORDER BY count(DISTINCT h.host_id) DESC, count(*) DESC, d.directive) <= coalesce(getvariable('top'), 50)
ORDER BY h.crawl, hosts DESC, lines DESC, d.directive;
