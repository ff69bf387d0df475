-- How long are the crawl delays that hosts request?
-- Title: crawl delays
--
-- Denominator: hosts whose file has rules, and their registered domains; for the quantiles, hosts with a valid crawl-delay, each with
-- the longest of its groups, and domains, each with the median of its hosts.
-- Delays are in seconds.
-- Pitfall: Google ignores the directive, and other crawlers limit it. A delay may be meant for one crawler only: for_all counts hosts
-- whose group of '*' has one.
-- Columns: crawl; shares; for_all: hosts with a delay for *; median, p90, p99, longest: seconds, of hosts; domains_median, domains_p90: of
-- domains.
CREATE OR REPLACE MACRO crawl_delays(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('rules', crawl) AS is_known
),
delays AS (
    SELECT h.crawl, h.domain_id, h.ruleset_id, h.archive_no, h.host_id, max(g.crawl_delay_ms) / 1000 AS delay, bool_or(g.agent = '*') AS for_all
    FROM hosts_with('rules', crawl := crawl) h
    JOIN groups g ON g.crawl = h.crawl AND g.robots_id = h.rules_robots_id
    WHERE g.crawl_delay_ms IS NOT NULL
    GROUP BY h.crawl, h.domain_id, h.ruleset_id, h.archive_no, h.host_id
),
parts AS (
    SELECT d.crawl, d.ruleset_id, part_of(grouping(d.domain_id, d.ruleset_id, d.archive_no), d.domain_id) AS part, coalesce(d.domain_id, d.archive_no) AS unit,
        count(*) AS x, count(*) FILTER (d.for_all) AS for_all
    FROM delays d
    GROUP BY GROUPING SETS ((d.crawl, d.domain_id), (d.crawl, d.ruleset_id), (d.crawl, d.archive_no))
),
by_domain AS (
    SELECT d.crawl, median(d.delay) AS delay FROM delays d GROUP BY d.crawl, coalesce(d.domain_id, d.host_id)
),
domain_quantiles AS (
    SELECT d.crawl, quantile_disc(d.delay, 0.5) AS median, quantile_disc(d.delay, 0.9) AS p90 FROM by_domain d GROUP BY d.crawl
),
quantiles AS (
    SELECT d.crawl, quantile_disc(d.delay, 0.5) AS median, quantile_disc(d.delay, 0.9) AS p90, quantile_disc(d.delay, 0.99) AS p99, max(d.delay) AS longest
    FROM delays d GROUP BY d.crawl
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('rules', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        coalesce(sum(p.for_all) FILTER (p.part = 'archive'), 0)::BIGINT AS for_all, any_value(q.median) AS median, any_value(q.p90) AS p90,
        any_value(q.p99) AS p99, any_value(q.longest) AS longest,
        any_value(o.median) AS domains_median, any_value(o.p90) AS domains_p90
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN parts p ON p.crawl = c.crawl
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    LEFT JOIN quantiles q ON q.crawl = p.crawl
    LEFT JOIN domain_quantiles o ON o.crawl = p.crawl
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position;

FROM crawl_delays();
