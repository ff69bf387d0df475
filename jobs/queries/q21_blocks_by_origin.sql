-- Are blocks of a crawler by name in lines of the site, or in lines of the vendor of its software?
-- Title: lines of site or vendor
--
-- Denominator: hosts that name the crawler and block it fully, if the origin of the line is known, and their registered domains. unknown is
-- the number of the other hosts, and share_unknown and domains_unknown are their shares of all blocks by name (of_blocks).
-- Pitfall: the vendor's lines are known for Cloudflare's managed block and for files that have exactly the rules of their template; other lines
-- of these files, and blocks by name in files of WordPress, Yoast SEO and Drupal, which write none, are the site's. A site may have
-- switched a vendor's block on, or left it on. If site and vendor both block, the first line counts.
-- Columns: crawl; agent; origin: site or vendor; shares; unknown, of_blocks: hosts whose origin is not known, and all that block by
-- name; share_unknown, domains_unknown: shares of unknown origin.
CREATE OR REPLACE MACRO blocks_by_origin(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_hosts('captured', crawl) AS is_known
),
parts AS (
    SELECT o.crawl, o.agent, o.ruleset_id, part_of(grouping(o.domain_id, o.ruleset_id, o.archive_no), o.domain_id) AS part, count(*) AS n,
        count(*) FILTER (o.origin = 'site') AS site, count(*) FILTER (o.origin = 'vendor') AS vendor, count(*) FILTER (o.origin = 'unknown') AS unknown
    FROM block_origins(agent, crawl := crawl, any_name := any_name) o
    WHERE o.by_name
    GROUP BY GROUPING SETS ((o.crawl, o.agent, o.domain_id), (o.crawl, o.agent, o.ruleset_id), (o.crawl, o.agent, o.archive_no))
),
wholes AS (
    SELECT p.crawl, p.agent, whole_of(p.part, p.site + p.vendor) AS whole, sum(p.n) FILTER (p.part = 'archive')::BIGINT AS of_blocks,
        sum(p.unknown) FILTER (p.part = 'archive')::BIGINT AS unknown, share_of_hosts(p.part, p.unknown, p.n) AS share_unknown,
        share_of_domains(p.part, p.unknown, p.n) AS domains_unknown
    FROM parts p
    GROUP BY p.crawl, p.agent
),
origins AS (
    SELECT p.crawl, p.agent, p.ruleset_id, p.part, p.site + p.vendor AS n, 'site' AS origin, p.site AS x FROM parts p
    UNION ALL
    SELECT p.crawl, p.agent, p.ruleset_id, p.part, p.site + p.vendor, 'vendor', p.vendor FROM parts p
),
answer AS (
    SELECT c.position, c.crawl, a.agent, g.origin, unnest(shares(o.part, o.ruleset_id, o.x, nullif(o.n, 0), any_value(w.whole), any_value(c.sample))),
        coalesce(any_value(w.unknown), 0) AS unknown, coalesce(any_value(w.of_blocks), 0) AS of_blocks, any_value(w.share_unknown) AS share_unknown,
        any_value(w.domains_unknown) AS domains_unknown
    FROM crawls() c
    CROSS JOIN asked_agents(agent) a
    CROSS JOIN (VALUES ('site'), ('vendor')) g(origin)
    LEFT JOIN wholes w ON w.crawl = c.crawl AND w.agent = a.agent
    LEFT JOIN origins o ON o.crawl = c.crawl AND o.agent = a.agent AND o.origin = g.origin
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, a.agent, g.origin, c.position
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.origin;

FROM blocks_by_origin();
