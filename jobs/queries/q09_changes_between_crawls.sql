-- How many hosts added or removed a block of an agent between two crawls?

-- Denominator: hosts captured in both crawls. Hosts that are only in one of them are not evidence of a changed decision.
-- Changes to and from unknown, and a 5xx that counts as disallow_all, are changes of the network or the crawler, not of the site.
-- Variables: agent (gptbot), from_crawl (the first), to_crawl (the last).
SELECT a.crawl AS from_crawl, b.crawl AS to_crawl, a.verdict AS before, b.verdict AS after, count(*) AS hosts,
    round(count(*) / sum(count(*)) OVER (), 6) AS share
FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot')) a
JOIN verdicts_for(coalesce(getvariable('agent'), 'gptbot')) b ON b.surt_host_name = a.surt_host_name
WHERE a.crawl = coalesce(getvariable('from_crawl'), (SELECT min(crawl) FROM robots_files))
    AND b.crawl = coalesce(getvariable('to_crawl'), (SELECT max(crawl) FROM robots_files))
    AND a.crawl <> b.crawl
GROUP BY ALL
ORDER BY hosts DESC, before, after;
