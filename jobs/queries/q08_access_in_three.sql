-- For how many hosts is an agent kept out, let in or left without an answer, rules and status together?

-- Denominator: hosts with at least one capture of a robots.txt. allow holds both all and some paths.
-- Statuses count as Google reads them: 401 and 403 allow, though Common Crawl's own crawler stays away; 429 and 5xx disallow,
-- though they pass.
-- Variables: agent (gptbot), crawl (every crawl).
SELECT crawl, CASE verdict WHEN 'disallow_all' THEN 'disallow' WHEN 'unknown' THEN 'unknown' ELSE 'allow' END AS access,
    count(*) AS hosts, round(count(*) / sum(count(*)) OVER (PARTITION BY crawl), 6) AS share
FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot'))
WHERE (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
GROUP BY crawl, access
ORDER BY crawl, access;
