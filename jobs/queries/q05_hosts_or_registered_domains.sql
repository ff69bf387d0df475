-- How much does the share that blocks an agent change if registered domains are counted instead of hosts?

-- Denominators: hosts with a known verdict, and their registered domains. One domain with ten thousand blogs is ten thousand
-- hosts. A host without a registered domain (an IP address, a public suffix) counts as a domain of its own. The version of the
-- Public Suffix List is recorded in runs; another version gives other domains.
-- Variables: agent (gptbot), crawl (every crawl).
SELECT crawl, sum(hosts)::BIGINT AS hosts, round(sum(blocked) / sum(hosts), 6) AS hosts_blocked,
    count(*) AS domains, round(avg((blocked > 0)::INTEGER), 6) AS domains_any_host_blocked,
    round(avg((blocked = hosts)::INTEGER), 6) AS domains_every_host_blocked
FROM (
    SELECT crawl, coalesce(url_host_registered_domain, surt_host_name) AS domain,
        count(*) AS hosts, count(*) FILTER (verdict = 'disallow_all') AS blocked
    FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot'))
    WHERE verdict <> 'unknown' AND (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
    GROUP BY ALL)
GROUP BY crawl
ORDER BY crawl;
