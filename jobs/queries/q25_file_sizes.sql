-- How large are robots.txt files, and how many are over 500 KiB?
-- Title: sizes of files
--
-- Denominator: hosts with a 2xx response that is neither an HTML page nor binary data, and their registered domains. Shares of domains
-- count each domain once, in equal parts divided among its hosts; its median is that of its hosts.
-- Pitfall: sizes are those of the decoded body as archived: an archive that truncates long bodies hides the largest (truncated).
-- Columns: crawl; hosts, domains, largest_domain: hosts with a file, domains, the part of the hosts in one domain; median_bytes,
-- p90_bytes, max_bytes: of hosts; domains_median_bytes: of domains; empty, domains_empty: shares of files without a byte; up_to_100_kib,
-- domains_up_to_100_kib, over_500_kib, domains_over_500_kib: shares of smaller and of larger files; truncated: files that the archive cut.
CREATE OR REPLACE MACRO file_sizes(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('successful', crawl) AS is_known
),
files AS (
    SELECT h.crawl, coalesce(h.domain_id, h.host_id) AS domain_id, r.body_bytes, r.over_500kib, r.content_truncated IS NOT NULL AS truncated
    FROM hosts_with('successful', crawl := crawl) h
    JOIN robots_files r ON r.crawl = h.crawl AND r.robots_id = h.rules_robots_id
    WHERE h.content_class NOT IN ('html', 'binary')
),
by_domain AS (
    SELECT f.crawl, f.domain_id, count(*) AS hosts, median(f.body_bytes) AS median_bytes, count(*) FILTER (f.body_bytes = 0) AS empty,
        count(*) FILTER (f.body_bytes <= 102400) AS up_to_100_kib, count(*) FILTER (f.over_500kib) AS over_500_kib
    FROM files f GROUP BY f.crawl, f.domain_id
),
domains AS (
    SELECT d.crawl, count(*) AS domains, quantile_disc(d.median_bytes, 0.5) AS median_bytes, avg(d.empty / d.hosts) AS empty,
        avg(d.up_to_100_kib / d.hosts) AS up_to_100_kib, avg(d.over_500_kib / d.hosts) AS over_500_kib, max(d.hosts) / sum(d.hosts) AS largest_domain
    FROM by_domain d GROUP BY d.crawl
),
answer AS (
    SELECT c.position, c.crawl, count(f.domain_id) AS hosts, coalesce(any_value(d.domains), 0) AS domains, round(any_value(d.largest_domain), 6) AS largest_domain,
        quantile_disc(f.body_bytes, 0.5) AS median_bytes, quantile_disc(f.body_bytes, 0.9) AS p90_bytes, max(f.body_bytes) AS max_bytes,
        any_value(d.median_bytes) AS domains_median_bytes,
        round(avg((f.body_bytes = 0)::INTEGER), 6) AS empty, round(any_value(d.empty), 6) AS domains_empty,
        round(avg((f.body_bytes <= 102400)::INTEGER), 6) AS up_to_100_kib, round(any_value(d.up_to_100_kib), 6) AS domains_up_to_100_kib,
        round(avg(f.over_500kib::INTEGER), 6) AS over_500_kib, round(any_value(d.over_500_kib), 6) AS domains_over_500_kib,
        count(*) FILTER (f.truncated) AS truncated
    FROM crawls() c
    LEFT JOIN files f ON f.crawl = c.crawl
    LEFT JOIN domains d ON d.crawl = c.crawl
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position;

FROM file_sizes();
