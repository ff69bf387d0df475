-- In which crawl did each host first name an agent, and what is the cumulative number of hosts?

-- Denominator: none. Each host is counted once, in the first crawl of this dataset with the name. The first crawl includes all
-- hosts that named it earlier. Crawls differ in size and in what they archived (2016 to 2019 without indexed redirects), so
-- compare with hosts_in_crawl before calling it adoption.
-- Variables: agent (gptbot).
WITH first_seen AS (
    SELECT v.surt_host_name, min(v.crawl) AS crawl
    FROM host_verdicts v
    WHERE v.agent = lower(coalesce(getvariable('agent'), 'gptbot')) AND v.basis = 'explicit'
    GROUP BY v.surt_host_name
),
crawls AS (
    SELECT crawl, count(*) AS hosts_in_crawl FROM hosts GROUP BY crawl
)
SELECT c.crawl, c.hosts_in_crawl, count(f.crawl) AS first_named, sum(count(f.crawl)) OVER (ORDER BY c.crawl)::BIGINT AS cumulative
FROM crawls c
LEFT JOIN first_seen f ON f.crawl = c.crawl
GROUP BY c.crawl, c.hosts_in_crawl
ORDER BY c.crawl;
