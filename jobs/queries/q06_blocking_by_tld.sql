-- In which top-level domains do most hosts block an agent?

-- Denominator: hosts of the top-level domain with a known verdict. Domains with few hosts are excluded, because their shares are noise.
-- blocked includes hosts that block all crawlers, and 5xx. A top-level domain is not a country: .io, .ai and .tv are sold everywhere.
-- Variables: agent (gptbot), crawl (every crawl), min_hosts (5).
SELECT crawl, url_host_tld, count(*) AS hosts,
    round(avg((verdict = 'disallow_all')::INTEGER), 6) AS blocked,
    round(avg((verdict = 'disallow_all' AND basis = 'explicit')::INTEGER), 6) AS blocked_by_name
FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot'))
WHERE verdict <> 'unknown' AND (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
GROUP BY crawl, url_host_tld
HAVING count(*) >= coalesce(getvariable('min_hosts'), 5)
ORDER BY crawl, blocked DESC, hosts DESC, url_host_tld;
