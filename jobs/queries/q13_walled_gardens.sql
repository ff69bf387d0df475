-- Which hosts let Googlebot in and keep out everybody they do not name?

-- Denominator: none, this is a list, cut at top. A host is here if '*' is kept out of every path and Googlebot is not.
-- A site that is still being built often looks like this too.
-- Variables: crawl (every crawl), top (1000).
SELECT g.crawl, g.surt_host_name, g.url_host_name, g.verdict AS googlebot, g.evidence_line AS googlebot_line, g.url
FROM verdicts_for('googlebot') g
JOIN verdicts_for('*') s ON s.crawl = g.crawl AND s.surt_host_name = g.surt_host_name
WHERE s.verdict = 'disallow_all' AND g.verdict IN ('allow_all', 'partial') AND (getvariable('crawl') IS NULL OR g.crawl = getvariable('crawl'))
ORDER BY g.crawl, g.surt_host_name
LIMIT coalesce(getvariable('top'), 1000);
