-- How many captures, URLs, hosts and registered domains does each crawl have, and how many are decided?
-- Title: sizes of crawls
--
-- Denominator: these are the denominators, side by side. decided means a known verdict for '*'; decided_by_file that a file decided it,
-- not a status.
-- Pitfall: the same crawl gives shares that differ by half, depending on the denominator. State it with every figure. Hosts of the web
-- that were not captured are in none of them.
-- Columns: crawl; archives_read, archives_listed, is_sample: archives, and if they were drawn at random; first_capture, last_capture:
-- times; captures, captures_of_robots_txt, revisits, captures_with_rules, urls: captures and URLs; hosts, hosts_with_rules, hosts_decided,
-- hosts_decided_by_file: hosts; domains, domains_with_rules, domains_decided, domains_decided_by_file: registered domains;
-- hosts_of_largest_domain: hosts of the domain with most.
CREATE OR REPLACE MACRO denominators(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_crawls(crawl) AS is_known
),
captures AS (
    SELECT f.crawl, min(f.fetch_time) AS first_capture, max(f.fetch_time) AS last_capture, count(*) AS captures,
        count(DISTINCT hash(f.url)) AS urls, count(*) FILTER (f.is_robots_path) AS captures_of_robots_txt,
        count(*) FILTER (f.is_revisit) AS revisits, count(*) FILTER (f.content_class = 'rules') AS captures_with_rules
    FROM robots_files f
    WHERE in_crawls(f.crawl, crawl)
    GROUP BY f.crawl
),
by_domain AS (
    SELECT h.crawl, part_of(1, h.domain_id) AS part, count(*) AS hosts, count(*) FILTER (h.content_class = 'rules') AS with_rules,
        count(*) FILTER (h.wildcard_verdict <> 'unknown') AS decided,
        count(*) FILTER (h.wildcard_verdict <> 'unknown' AND h.wildcard_basis <> 'http_status') AS decided_by_file
    FROM hosts_with('captured', crawl := crawl) h
    GROUP BY h.crawl, h.domain_id
),
counts AS (
    SELECT d.crawl, sum(d.hosts)::BIGINT AS hosts, sum(d.with_rules)::BIGINT AS hosts_with_rules, sum(d.decided)::BIGINT AS hosts_decided,
        sum(d.decided_by_file)::BIGINT AS hosts_decided_by_file, domains_with(d.part, d.hosts) AS domains, domains_with(d.part, d.with_rules) AS domains_with_rules,
        domains_with(d.part, d.decided) AS domains_decided, domains_with(d.part, d.decided_by_file) AS domains_decided_by_file,
        greatest(max(d.hosts) FILTER (d.part = 'domain'), max(1) FILTER (d.part = 'single')) AS hosts_of_largest_domain
    FROM by_domain d GROUP BY d.crawl
),
answer AS (
    SELECT c.position, c.crawl, c.archives_read, c.archives_listed, c.is_sample, x.first_capture, x.last_capture,
        coalesce(x.captures, 0) AS captures, coalesce(x.captures_of_robots_txt, 0) AS captures_of_robots_txt, coalesce(x.revisits, 0) AS revisits,
        coalesce(x.captures_with_rules, 0) AS captures_with_rules, coalesce(x.urls, 0) AS urls, coalesce(n.hosts, 0) AS hosts,
        coalesce(n.hosts_with_rules, 0) AS hosts_with_rules, coalesce(n.hosts_decided, 0) AS hosts_decided, coalesce(n.hosts_decided_by_file, 0) AS hosts_decided_by_file,
        coalesce(n.domains, 0) AS domains, coalesce(n.domains_with_rules, 0) AS domains_with_rules, coalesce(n.domains_decided, 0) AS domains_decided,
        coalesce(n.domains_decided_by_file, 0) AS domains_decided_by_file, coalesce(n.hosts_of_largest_domain, 0) AS hosts_of_largest_domain
    FROM crawls() c
    LEFT JOIN captures x ON x.crawl = c.crawl
    LEFT JOIN counts n ON n.crawl = c.crawl
    WHERE in_crawls(c.crawl, crawl)
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position;

FROM denominators();
