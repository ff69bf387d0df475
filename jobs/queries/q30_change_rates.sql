-- How often does a robots.txt file change within a crawl, and from one crawl to the next?

-- Denominators: URLs with content that were captured at least twice in the crawl; hosts with rules in both this crawl and the previous
-- one of the dataset. Within a crawl the bytes are compared, so a date in a comment is a change; between crawls the rules are compared.
-- URLs that are captured often belong to busy hosts, and the time between captures varies.
-- Variables: none.
WITH within AS (
    SELECT crawl, count(*) AS urls_seen_again, round(avg((digests > 1)::INTEGER), 6) AS bytes_changed
    FROM (
        SELECT crawl, url, count(DISTINCT content_digest) AS digests
        FROM robots_files
        WHERE is_robots_path AND outcome = 'successful'
        GROUP BY ALL
        HAVING count(*) > 1)
    GROUP BY crawl
),
crawls AS (
    SELECT crawl, lag(crawl) OVER (ORDER BY crawl) AS before FROM (SELECT DISTINCT crawl FROM robots_files)
),
rules_of_hosts AS (
    SELECT h.crawl, h.surt_host_name, h.ruleset_id
    FROM hosts h
    WHERE h.content_class = 'rules' AND h.ruleset_id IS NOT NULL
),
between_crawls AS (
    SELECT c.crawl, count(*) AS hosts_seen_again, round(avg((a.ruleset_id <> b.ruleset_id)::INTEGER), 6) AS rules_changed
    FROM crawls c
    JOIN rules_of_hosts a ON a.crawl = c.before
    JOIN rules_of_hosts b ON b.crawl = c.crawl AND b.surt_host_name = a.surt_host_name
    GROUP BY c.crawl
)
SELECT c.crawl, w.urls_seen_again, w.bytes_changed, c.before AS crawl_before, b.hosts_seen_again, b.rules_changed
FROM crawls c
LEFT JOIN within w ON w.crawl = c.crawl
LEFT JOIN between_crawls b ON b.crawl = c.crawl
ORDER BY c.crawl;
