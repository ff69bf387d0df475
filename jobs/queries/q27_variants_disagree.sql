-- On how many hosts do http and https, or www and the name without it, have different rules?
--
-- Denominator: hosts with rules under more than one URL in the same crawl, each URL with its latest capture, and their registered domains.
-- Pitfall: most hosts are captured under one URL only and are not included; redirects hide many variants.
CREATE OR REPLACE MACRO variants_disagree(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_crawl(crawl) AS is_known
),
urls AS (
    SELECT f.crawl, f.surt_host_name, f.url, any_value(coalesce(f.url_host_registered_domain, f.surt_host_name)) AS domain,
        arg_max(f.ruleset_id, {'time': f.fetch_time, 'robots_id': f.robots_id}) AS ruleset_id
    FROM robots_files f
    WHERE f.is_robots_path AND f.content_class = 'rules' AND f.ruleset_id IS NOT NULL AND (crawl IS NULL OR f.crawl = crawl)
    GROUP BY f.crawl, f.surt_host_name, f.url
),
variants AS (
    SELECT u.crawl, u.surt_host_name, any_value(u.domain) AS domain, count(DISTINCT u.ruleset_id) AS rulesets
    FROM urls u GROUP BY u.crawl, u.surt_host_name HAVING count(*) > 1
),
by_domain AS (
    SELECT v.crawl, v.domain, count(*) AS hosts, count(*) FILTER (v.rulesets > 1) AS disagree FROM variants v GROUP BY v.crawl, v.domain
),
answer AS (
    SELECT c.position, c.crawl, coalesce(sum(d.hosts), 0)::BIGINT AS hosts, coalesce(sum(d.disagree), 0)::BIGINT AS disagree, round(sum(d.disagree) / sum(d.hosts), 6) AS share,
        count(d.domain) AS domains, round(avg(d.disagree / d.hosts), 6) AS share_of_domains,
        round(max(d.disagree) / nullif(sum(d.disagree), 0), 6) AS largest_domain
    FROM crawls() c
    LEFT JOIN by_domain d ON d.crawl = c.crawl
    WHERE c.hosts > 0 AND (crawl IS NULL OR c.crawl = crawl)
    GROUP BY c.crawl, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position;

FROM variants_disagree();
