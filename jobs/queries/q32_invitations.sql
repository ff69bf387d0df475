-- Which AI crawlers do hosts name and allow, and do they block all others?
-- Title: AI crawlers let in by name
--
-- Denominator: hosts with a known verdict for '*' (of_hosts), and for ratio the hosts that name the crawler. A crawler is invited if its
-- own group allows every path. despite_wildcard are hosts that let it fetch some paths or all, while they block all crawlers that they do
-- not name; domains_despite_wildcard is the share of domains. Crawlers that fewer than min_hosts hosts name are left out.
-- Pitfall: common mistakes look like invitations: an empty Disallow that was meant to block, or rules under a name that no crawler uses.
-- One template that names many crawlers is many hosts: see largest_ruleset.
-- Columns: crawl; agent; operator, category: of the registry; named, ratio: hosts that name the crawler, and the part of these that allow
-- it everything; shares; despite_wildcard, domains_any_despite_wildcard, domains_despite_wildcard: hosts that let it in while * is
-- blocked, their domains, the share of domains.
CREATE OR REPLACE MACRO invitations(crawl := NULL, top := 25, min_hosts := 30) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_count('min_hosts', min_hosts) AND check_hosts('decided', crawl) AS is_known
),
let_in AS (
    SELECT v.crawl, v.agent, part_of(grouping(h.domain_id, h.archive_no), h.domain_id) AS part, coalesce(h.domain_id, h.archive_no) AS unit, count(*) AS x
    FROM host_verdicts v
    JOIN hosts_with('decided', crawl := crawl) h ON h.host_id = v.host_id
    WHERE v.basis = 'explicit' AND v.verdict IN ('allow_all', 'partial') AND h.wildcard_verdict = 'disallow_all' AND in_crawls(v.crawl, crawl)
    GROUP BY v.crawl, v.agent, GROUPING SETS ((h.domain_id), (h.archive_no))
),
despite AS (
    SELECT l.crawl, l.agent, sum(l.x) FILTER (l.part = 'archive')::BIGINT AS hosts, domains_with(l.part, l.x) AS domains_any, weight_of_domains(l.part, l.x, u.n) AS weight
    FROM let_in l
    LEFT JOIN units_of('decided', crawl := crawl) u ON u.crawl = l.crawl AND u.part = l.part AND u.unit = l.unit
    GROUP BY l.crawl, l.agent
),
answer AS (
    SELECT n.position, n.crawl, n.agent, g.operator, g.category, n.named, round(n.hosts / nullif(n.named, 0), 6) AS ratio, n.hosts, n.of_hosts, n.share, n.domains_any,
        n.of_domains, n.share_of_domains, n.largest_domain, n.largest_ruleset, n.low, n.high, coalesce(d.hosts, 0) AS despite_wildcard,
        coalesce(d.domains_any, 0) AS domains_any_despite_wildcard, round(coalesce(d.weight, 0) / nullif(n.of_domains, 0), 6) AS domains_despite_wildcard
    FROM named_with('allow_all', crawl := crawl, top := top, min_hosts := min_hosts, among := (
        SELECT list(a.agent) FROM agents a WHERE starts_with(a.category, 'ai_') OR coalesce(starts_with(a.category2, 'ai_'), false))) n
    LEFT JOIN agents g ON g.agent = n.agent
    LEFT JOIN despite d ON d.crawl = n.crawl AND d.agent = n.agent
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.hosts DESC, s.named DESC, s.agent;

FROM invitations();
