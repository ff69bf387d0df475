-- How often does a robots.txt file change within a crawl, and from one crawl to the next?
-- Title: how often files change
--
-- Denominator: URLs with content that were captured at least twice in the crawl; hosts with rules in both this crawl and the previous
-- one in time, and their registered domains. crawl limits the rows that are shown: a crawl is compared with the one before it in any case.
-- Pitfall: within a crawl the bytes are compared, so a date in a comment is a change; between crawls the rules are compared. URLs that
-- are captured often belong to busy hosts, and the time between captures varies.
-- Columns: crawl; urls_seen_again, bytes_changed: URLs fetched twice, and the share whose bytes changed; crawl_before: the previous crawl;
-- hosts_seen_again, rules_changed: hosts in both, and the share whose rules changed; domains_seen_again, domains_rules_changed: the same
-- for domains; largest_domain: of the hosts that changed, the part in one domain.
CREATE OR REPLACE MACRO change_rates(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_crawls(crawl) AS is_known
),
within AS (
    SELECT u.crawl, count(*) AS urls_seen_again, round(avg((u.digests > 1)::INTEGER), 6) AS bytes_changed
    FROM (
        SELECT f.crawl, f.url, count(DISTINCT f.content_digest) AS digests
        FROM robots_files f
        WHERE f.is_robots_path AND f.outcome = 'successful' AND (f.is_revisit OR f.content_class IS NOT NULL) AND in_crawls(f.crawl, crawl)
        GROUP BY f.crawl, f.url
        HAVING count(*) > 1) u
    GROUP BY u.crawl
),
ordered AS (
    SELECT c.crawl, c.position, lag(c.crawl) OVER (ORDER BY c.position) AS crawl_before FROM crawls() c
),
by_domain AS (
    SELECT o.crawl, coalesce(b.domain_id, b.host_id) AS domain_id, count(*) AS hosts, count(*) FILTER (a.ruleset_id <> b.ruleset_id) AS changed
    FROM ordered o
    JOIN hosts_with('rules') a ON a.crawl = o.crawl_before
    JOIN hosts_with('rules') b ON b.crawl = o.crawl AND b.surt_host_name = a.surt_host_name
    WHERE a.ruleset_id IS NOT NULL AND b.ruleset_id IS NOT NULL AND in_crawls(o.crawl, crawl)
    GROUP BY o.crawl, coalesce(b.domain_id, b.host_id)
),
between_crawls AS (
    SELECT d.crawl, sum(d.hosts)::BIGINT AS hosts_seen_again, round(sum(d.changed) / sum(d.hosts), 6) AS rules_changed, count(*) AS domains_seen_again,
        round(avg(d.changed / d.hosts), 6) AS domains_rules_changed, round(max(d.changed) / nullif(sum(d.changed), 0), 6) AS largest_domain
    FROM by_domain d GROUP BY d.crawl
),
answer AS (
    SELECT o.position, o.crawl, coalesce(w.urls_seen_again, 0) AS urls_seen_again, w.bytes_changed, o.crawl_before,
        CASE WHEN o.crawl_before IS NOT NULL THEN coalesce(b.hosts_seen_again, 0) END AS hosts_seen_again, b.rules_changed,
        CASE WHEN o.crawl_before IS NOT NULL THEN coalesce(b.domains_seen_again, 0) END AS domains_seen_again,
        b.domains_rules_changed, b.largest_domain
    FROM ordered o
    LEFT JOIN within w ON w.crawl = o.crawl
    LEFT JOIN between_crawls b ON b.crawl = o.crawl
    WHERE in_crawls(o.crawl, crawl)
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position;

FROM change_rates();
