-- How many hosts changed from one capture to the next, and in what?
-- Title: how often hosts change
--
-- Denominator: hosts_seen_before, the hosts of the crawl with an earlier capture, in whichever crawl. The capture before is compared. crawl
-- limits the rows that are shown.
-- Pitfall: captures of a host may be months or years apart, so a rate is not one per month: days_between is the median of the distances in time of the
-- captures that differ. A change that was undone between two captures is not seen. Policies differ, too, if lines only moved, and where a file was
-- removed or could not be fetched. A revisit counts as unchanged; a change since the capture before it counts in the next crawl.
-- Columns: crawl; median_fetch: the median time of its captures; hosts, hosts_seen_before: hosts of the crawl, and those with an earlier
-- capture; changed, share_changed: of these, hosts that differ from the capture before; share_policy, share_status, share_origin: in
-- rules, status or URL; days_between: the median distance of captures that differ.
CREATE OR REPLACE MACRO change_rates(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_crawls(crawl) AS is_known
),
ordered AS (
    SELECT p.first_crawl AS crawl, lag(p.host_no) OVER earlier IS NOT NULL AS has_before,
        date_diff('day', lag(p.last_fetch) OVER earlier, p.first_fetch) AS days_between,
        lag(p.policy_id) OVER earlier IS DISTINCT FROM p.policy_id AS other_policy, lag(p.fetch_status) OVER earlier IS DISTINCT FROM p.fetch_status AS other_status,
        lag(concat(p.url_protocol, p.url_host_name, ':' || p.url_port)) OVER earlier <> concat(p.url_protocol, p.url_host_name, ':' || p.url_port) AS other_origin
    FROM host_periods p
    WHERE NOT p.is_revisit
    WINDOW earlier AS (PARTITION BY p.host_no ORDER BY p.period_no)
),
differing AS (
    SELECT o.* FROM ordered o WHERE o.has_before AND (o.other_policy OR o.other_status OR o.other_origin)
),
changes AS (
    SELECT d.crawl, count(*) AS changed, count(*) FILTER (d.other_policy) AS policy, count(*) FILTER (d.other_status) AS status, count(*) FILTER (d.other_origin) AS origin
    FROM differing d GROUP BY d.crawl
),
first_seen AS (
    SELECT p.first_crawl AS crawl, count(*) AS hosts FROM host_periods p WHERE p.period_no = 0 GROUP BY p.first_crawl
),
distances AS (
    SELECT d.crawl, quantile_disc(d.days_between, 0.5) AS days_between FROM differing d GROUP BY d.crawl
),
counts AS (
    SELECT c.position, c.crawl, c.median_fetch, c.hosts, c.hosts - coalesce(f.hosts, 0) AS hosts_seen_before, coalesce(n.changed, 0) AS changed,
        coalesce(n.policy, 0) AS policy, coalesce(n.status, 0) AS status, coalesce(n.origin, 0) AS origin, d.days_between
    FROM crawls() c
    LEFT JOIN first_seen f ON f.crawl = c.crawl
    LEFT JOIN changes n ON n.crawl = c.crawl
    LEFT JOIN distances d ON d.crawl = c.crawl
    WHERE in_crawls(c.crawl, crawl)
)
SELECT s.crawl, s.median_fetch, s.hosts, s.hosts_seen_before, s.changed, round(s.changed / nullif(s.hosts_seen_before, 0), 6) AS share_changed,
    round(s.policy / nullif(s.hosts_seen_before, 0), 6) AS share_policy, round(s.status / nullif(s.hosts_seen_before, 0), 6) AS share_status,
    round(s.origin / nullif(s.hosts_seen_before, 0), 6) AS share_origin, s.days_between
FROM checked k
LEFT JOIN counts s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position;

FROM change_rates();
