-- How many hosts respond to the request for robots.txt with a block or a challenge, by firewall?
--
-- Denominator: hosts with at least one capture of /robots.txt, and their registered domains. waf_hint is the firewall or network that
-- the headers of the response indicate; null means no hint, not that there is no firewall.
-- Pitfall: an HTML page with status 200 may be a challenge or a soft 404: the headers do not distinguish them. forbidden, come_back_later
-- and web_page are hosts of the row; blocked is their share of the row.
CREATE OR REPLACE MACRO blocked_at_the_edge(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_crawl(crawl) AS is_known
),
files AS (
    SELECT h.crawl, h.host_id, h.domain, h.ruleset_id, h.archive_no, h.rules_crawl, h.rules_robots_id FROM hosts_with('captured', crawl := crawl) h
),
features AS (
    SELECT f.crawl, f.host_id, r.waf_hint, r.fetch_class IN ('unauthorized', 'forbidden') AS forbidden,
        r.fetch_class = 'defer_visits' AS come_back_later, coalesce(r.content_class = 'html', false) AS web_page
    FROM files f
    JOIN robots_files r ON r.crawl = f.rules_crawl AND r.robots_id = f.rules_robots_id
),
parts AS (
    SELECT f.crawl, f.waf_hint, h.ruleset_id, part_of(grouping(h.domain, h.ruleset_id, h.archive_no)) AS part,
        coalesce(h.domain, h.archive_no::VARCHAR) AS unit, count(*) AS x,
        count(*) FILTER (f.forbidden) AS forbidden, count(*) FILTER (f.come_back_later) AS come_back_later, count(*) FILTER (f.web_page) AS web_page
    FROM features f
    JOIN files h ON h.host_id = f.host_id
    GROUP BY GROUPING SETS ((f.crawl, f.waf_hint, h.domain), (f.crawl, f.waf_hint, h.ruleset_id), (f.crawl, f.waf_hint, h.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('captured', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, p.crawl, p.waf_hint, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        sum(p.forbidden) FILTER (p.part = 'domain')::BIGINT AS forbidden, sum(p.come_back_later) FILTER (p.part = 'domain')::BIGINT AS come_back_later,
        sum(p.web_page) FILTER (p.part = 'domain')::BIGINT AS web_page,
        share_of_hosts(p.part, p.forbidden + p.come_back_later + p.web_page, p.x) AS blocked,
        share_of_domains(p.part, p.forbidden + p.come_back_later + p.web_page, p.x) AS domains_blocked
    FROM parts p
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    JOIN wholes w ON w.crawl = p.crawl
    JOIN crawls() c ON c.crawl = p.crawl
    GROUP BY p.crawl, p.waf_hint, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.waf_hint NULLS FIRST;

FROM blocked_at_the_edge();
