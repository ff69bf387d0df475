-- Which hosts allow Googlebot and block all crawlers that they do not name?

-- Denominator: none. This is a list, limited to top. A host is listed if '*' may fetch no path and Googlebot may fetch some.
-- Sites under construction often look like this as well.
-- Variables: crawl (every crawl), top (1000).
SELECT g.crawl, g.surt_host_name, g.url_host_name, g.verdict AS googlebot, g.evidence_line AS googlebot_line, g.url
FROM verdicts_for('googlebot') g
JOIN hosts h ON h.crawl = g.crawl AND h.surt_host_name = g.surt_host_name
WHERE h.wildcard_verdict = 'disallow_all' AND g.verdict IN ('allow_all', 'partial') AND (getvariable('crawl') IS NULL OR g.crawl = getvariable('crawl'))
ORDER BY g.crawl, g.surt_host_name
LIMIT coalesce(getvariable('top'), 1000);
