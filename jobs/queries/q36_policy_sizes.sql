-- How large are the policies of hosts: how many crawlers do they name, and how many rules do they have?
-- Title: names and rules per file
--
-- Denominator: hosts whose file has rules, and their registered domains, each with the median of its hosts.
-- Pitfall: a few lists with hundreds of crawlers are copied from site to site, so the mean says little. One crawler may have
-- several names; rules are allow and disallow lines.
-- Columns: crawl; measure: crawlers named, rules or groups; hosts: hosts with rules; mean, median, p90, p99, largest: of hosts; domains,
-- domains_mean, domains_median, domains_p90: of domains; largest_domain: the part of the hosts in one domain.
CREATE OR REPLACE MACRO policy_sizes(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('rules', crawl) AS is_known
),
names AS (
    SELECT v.host_id, count(*) AS named
    FROM host_verdicts v
    WHERE v.basis IN ('explicit', 'too_complex') AND in_crawls(v.crawl, crawl)
    GROUP BY v.host_id
),
files AS (
    SELECT h.crawl, coalesce(h.domain_id, h.host_id) AS domain_id, coalesce(n.named, CASE WHEN h.has_named_rows THEN 0 ELSE h.n_named END) AS n_named, r.n_rules, r.n_groups
    FROM hosts_with('rules', crawl := crawl) h
    LEFT JOIN names n ON n.host_id = h.host_id
    JOIN robots_files r ON r.crawl = h.crawl AND r.robots_id = h.rules_robots_id
),
by_domain AS (
    SELECT f.crawl, f.domain_id, count(*) AS hosts, median(f.n_named) AS n_named, median(f.n_rules) AS n_rules, median(f.n_groups) AS n_groups
    FROM files f GROUP BY f.crawl, f.domain_id
),
domains AS (
    SELECT d.crawl, count(*) AS domains, round(max(d.hosts) / sum(d.hosts), 6) AS largest_domain, unnest([
        {'measure': 'crawlers named', 'mean': avg(d.n_named), 'quantiles': quantile_disc(d.n_named, [0.5, 0.9])},
        {'measure': 'rules', 'mean': avg(d.n_rules), 'quantiles': quantile_disc(d.n_rules, [0.5, 0.9])},
        {'measure': 'groups', 'mean': avg(d.n_groups), 'quantiles': quantile_disc(d.n_groups, [0.5, 0.9])}]) AS size
    FROM by_domain d GROUP BY d.crawl
),
hosts_of AS (
    SELECT f.crawl, count(*) AS hosts, unnest([
        {'measure': 'crawlers named', 'mean': avg(f.n_named), 'quantiles': quantile_disc(f.n_named, [0.5, 0.9, 0.99]), 'largest': max(f.n_named)},
        {'measure': 'rules', 'mean': avg(f.n_rules), 'quantiles': quantile_disc(f.n_rules, [0.5, 0.9, 0.99]), 'largest': max(f.n_rules)},
        {'measure': 'groups', 'mean': avg(f.n_groups), 'quantiles': quantile_disc(f.n_groups, [0.5, 0.9, 0.99]), 'largest': max(f.n_groups)}]) AS size
    FROM files f GROUP BY f.crawl
),
answer AS (
    SELECT c.position, c.crawl, h.size.measure AS measure, coalesce(h.hosts, 0) AS hosts, round(h.size.mean, 6) AS mean, h.size.quantiles[1] AS median, h.size.quantiles[2] AS p90,
        h.size.quantiles[3] AS p99, h.size.largest AS largest, coalesce(d.domains, 0) AS domains, round(d.size.mean, 6) AS domains_mean, d.size.quantiles[1] AS domains_median,
        d.size.quantiles[2] AS domains_p90, d.largest_domain
    FROM crawls() c
    LEFT JOIN hosts_of h ON h.crawl = c.crawl
    LEFT JOIN domains d ON d.crawl = h.crawl AND d.size.measure = h.size.measure
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.measure;

FROM policy_sizes();
