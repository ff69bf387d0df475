-- On how many hosts is an agent disallowed, allowed or undecided, by rules and status together?

-- Denominator: hosts with at least one capture of a robots.txt file. allow includes hosts that allow all paths and hosts that allow some.
-- Statuses count as Google treats them: 401 and 403 allow, although Common Crawl's own crawler stays away; 429 and 5xx disallow,
-- although they are temporary.
-- Variables: agent (gptbot), crawl (every crawl).
SELECT crawl, CASE verdict WHEN 'disallow_all' THEN 'disallow' WHEN 'unknown' THEN 'unknown' ELSE 'allow' END AS access,
    count(*) AS hosts, round(count(*) / sum(count(*)) OVER (PARTITION BY crawl), 6) AS share
FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot'))
WHERE (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
GROUP BY crawl, access
ORDER BY crawl, access;
