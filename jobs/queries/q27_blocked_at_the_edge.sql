-- How many hosts respond to the request for robots.txt with a refusal, an error or a web page, by firewall?
-- Title: refusals by firewall
--
-- Denominator: hosts with at least one capture of /robots.txt, and their registered domains. waf_hint is the firewall or network that
-- the headers of the response indicate; null means no hint, not that there is no firewall.
-- forbidden (401, 403), come_back_later (429, 5xx) and web_page are hosts of the row; refused_or_failed is the share of the first two.
-- Pitfall: a status does not show who sent it: the site, its network, or an overloaded server. An HTML page with status 200 may be a
-- challenge or a soft 404: the headers do not distinguish them.
-- Columns: crawl; waf_hint: the firewall or network, null without a hint; shares; forbidden, come_back_later, web_page: hosts that sent
-- 401 or 403, 429 or 5xx, a web page; refused_or_failed, domains_refused_or_failed: shares of the row with 401, 403, 429 or 5xx.
CREATE OR REPLACE MACRO blocked_at_the_edge(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('captured', crawl) AS is_known
),
answers AS (
    SELECT h.crawl, h.domain_id, h.ruleset_id, h.archive_no, r.waf_hint, h.fetch_class IN ('unauthorized', 'forbidden') AS forbidden,
        h.fetch_class = 'defer_visits' AS come_back_later, coalesce(h.content_class = 'html', false) AS web_page
    FROM hosts_with('captured', crawl := crawl) h
    JOIN robots_files r ON r.crawl = h.crawl AND r.robots_id = h.rules_robots_id
),
parts AS (
    SELECT a.crawl, a.waf_hint, a.ruleset_id, part_of(grouping(a.domain_id, a.ruleset_id, a.archive_no), a.domain_id) AS part,
        coalesce(a.domain_id, a.archive_no) AS unit, count(*) AS x, count(*) FILTER (a.forbidden) AS forbidden,
        count(*) FILTER (a.come_back_later) AS come_back_later, count(*) FILTER (a.web_page) AS web_page
    FROM answers a
    GROUP BY GROUPING SETS ((a.crawl, a.waf_hint, a.domain_id), (a.crawl, a.waf_hint, a.ruleset_id), (a.crawl, a.waf_hint, a.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('captured', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, p.crawl, p.waf_hint, unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample))),
        sum(p.forbidden) FILTER (p.part = 'archive')::BIGINT AS forbidden, sum(p.come_back_later) FILTER (p.part = 'archive')::BIGINT AS come_back_later,
        sum(p.web_page) FILTER (p.part = 'archive')::BIGINT AS web_page,
        share_of_hosts(p.part, p.forbidden + p.come_back_later, p.x) AS refused_or_failed,
        share_of_domains(p.part, p.forbidden + p.come_back_later, p.x) AS domains_refused_or_failed
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
