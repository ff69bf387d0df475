-- On how many hosts do http and https, or www and the name without it, have different rules?
-- Title: http, https and www differ
--
-- Denominator: hosts with rules under more than one URL in the same crawl, each URL with its latest capture that has rules (one
-- without a time counts as the earliest), and their registered domains.
-- Pitfall: most hosts are captured under one URL only and are not included: hosts_in_crawl shows how many there are. Redirects hide many variants.
-- Columns: crawl; hosts_in_crawl: all hosts of the crawl; hosts, disagree, share: hosts with several URLs, those with different rules,
-- their ratio; domains, share_of_domains: of the hosts with several URLs; largest_domain: of the hosts that disagree, the part in one
-- domain; low, high: 95 % interval of share, if archives were drawn at random.
CREATE OR REPLACE MACRO variants_disagree(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('captured', crawl) AS is_known
),
urls AS (
    SELECT f.crawl, f.surt_host_name, f.url,
        arg_max(f.ruleset_id, {'time': coalesce(f.fetch_time, TIMESTAMP '-infinity'), 'robots_id': f.robots_id}) AS ruleset_id
    FROM robots_files f
    WHERE f.is_robots_path AND f.content_class = 'rules' AND f.ruleset_id IS NOT NULL AND in_crawls(f.crawl, crawl)
    GROUP BY f.crawl, f.surt_host_name, f.url
),
variants AS (
    SELECT u.crawl, u.surt_host_name, count(DISTINCT u.ruleset_id) AS rulesets
    FROM urls u GROUP BY u.crawl, u.surt_host_name HAVING count(*) > 1
),
parts AS (
    SELECT v.crawl, part_of(grouping(h.domain_id, h.archive_no), h.domain_id) AS part, count(*) AS hosts,
        count(*) FILTER (v.rulesets > 1) AS disagree
    FROM variants v
    JOIN hosts h ON h.crawl = v.crawl AND h.surt_host_name = v.surt_host_name
    GROUP BY GROUPING SETS ((v.crawl, h.domain_id), (v.crawl, h.archive_no))
),
answer AS (
    SELECT c.position, c.crawl, c.hosts AS hosts_in_crawl, coalesce(sum(p.hosts) FILTER (p.part = 'archive'), 0)::BIGINT AS hosts,
        coalesce(sum(p.disagree) FILTER (p.part = 'archive'), 0)::BIGINT AS disagree, share_of_hosts(p.part, p.disagree, p.hosts) AS share,
        domains_with(p.part, p.hosts) AS domains, share_of_domains(p.part, p.disagree, p.hosts) AS share_of_domains,
        largest_domain(p.part, p.disagree) AS largest_domain,
        lower_end(share_of_hosts(p.part, p.disagree, p.hosts), blocking_margin(p.part, p.disagree, p.hosts, any_value(c.sample))) AS low,
        upper_end(share_of_hosts(p.part, p.disagree, p.hosts), blocking_margin(p.part, p.disagree, p.hosts, any_value(c.sample))) AS high
    FROM crawls() c
    LEFT JOIN parts p ON p.crawl = c.crawl
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, c.hosts, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position;

FROM variants_disagree();
