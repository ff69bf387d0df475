-- The changes between two crawls on the same hosts, by the reason why a crawler cannot use a host, or `no_block`.
--
--     duckdb -init DATASET/views.sql -c ".read jobs/study/changes_by_reason.sql"
--
-- The dataset has two crawls or more. Variables that are set before `.read`: `agents` (a list of crawlers), `from_crawl` and `to_crawl`
-- (otherwise the first crawl and the last), and `without_template` (leaves out hosts whose later file has this template).
CREATE OR REPLACE TEMP TABLE pairs AS
WITH reasons AS (
    SELECT r.* FROM reasons_for(coalesce(getvariable('agents'), ['GPTBot', 'CCBot', 'Googlebot'])) r
)
SELECT a.agent, a.reason AS before, b.reason AS after, coalesce(b.domain_id, b.host_id) AS domain, b.ruleset_id
FROM two_crawls(getvariable('from_crawl'), getvariable('to_crawl')) t
JOIN reasons a ON a.crawl = t.first
JOIN reasons b ON b.crawl = t.last AND b.surt_host_name = a.surt_host_name AND b.agent = a.agent
WHERE b.template IS DISTINCT FROM getvariable('without_template') OR getvariable('without_template') IS NULL;

-- Of the hosts of both crawls, those with each reason before and after, and those that came to it and left it. change is the difference
-- of the shares of registered domains, each of which counts once: a fraction from -1 to 1. low and high are the 95 percent interval of this
-- difference of pairs (normal approximation, with domains as the sample), and null if all domains have the same change.
WITH of_domains AS (
    SELECT p.agent, r.reason, p.domain, count(*) AS hosts, count(*) FILTER (p.before = r.reason) AS before, count(*) FILTER (p.after = r.reason) AS after,
        count(*) FILTER (p.before <> r.reason AND p.after = r.reason) AS came, count(*) FILTER (p.before = r.reason AND p.after <> r.reason) AS went
    FROM pairs p
    JOIN (SELECT DISTINCT agent, unnest([before, after]) AS reason FROM pairs) r ON r.agent = p.agent
    GROUP BY p.agent, r.reason, p.domain
),
counted AS (
    SELECT d.agent, d.reason, sum(d.before)::BIGINT AS hosts_before, sum(d.after)::BIGINT AS hosts_after, sum(d.came)::BIGINT AS came, sum(d.went)::BIGINT AS went,
        sum(d.hosts)::BIGINT AS of_hosts, count(*) AS of_domains, avg((d.after - d.before) / d.hosts) AS change,
        1.96 * stddev_samp((d.after - d.before) / d.hosts) / sqrt(count(*)) AS margin
    FROM of_domains d GROUP BY d.agent, d.reason
)
SELECT c.agent, c.reason, c.hosts_before, c.hosts_after, c.came, c.went, c.of_hosts, c.of_domains, round(c.change, 4) AS change,
    round(c.change - nullif(c.margin, 0), 4) AS low, round(c.change + nullif(c.margin, 0), 4) AS high
FROM counted c ORDER BY c.agent, c.reason;

-- The hosts that changed, by the reasons before and after. one_ruleset: how many of them have the most frequent rule set after the change.
-- If it is large, one template or vendor made the change, and its hosts are not independent.
SELECT f.agent, f.before, f.after, sum(f.hosts)::BIGINT AS hosts, any_value(f.domains) AS domains, max(f.hosts) FILTER (f.ruleset_id IS NOT NULL) AS one_ruleset
FROM (
    SELECT p.agent, p.before, p.after, p.ruleset_id, count(*) AS hosts, any_value(d.domains) AS domains
    FROM pairs p JOIN (SELECT agent, before, after, count(DISTINCT domain) AS domains FROM pairs GROUP BY ALL) d USING (agent, before, after)
    WHERE p.before <> p.after GROUP BY p.agent, p.before, p.after, p.ruleset_id) f
GROUP BY f.agent, f.before, f.after ORDER BY f.agent, hosts DESC, f.before, f.after;
