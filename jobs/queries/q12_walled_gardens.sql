-- Which hosts allow Googlebot and block all crawlers that they do not name?
-- Title: open to Googlebot, not to *
--
-- Denominator: none: a list of hosts, limited to top in each crawl. A host is listed if '*' may fetch no path and Googlebot may fetch
-- some. hosts and domains_any are the numbers before the limit.
-- Pitfall: most of these hosts let other crawlers in by name as well: see others_allowed. Sites under construction often look like this, and so do all hosts of one operator: see hosts_with_ruleset.
-- Columns: crawl; hosts, domains_any: hosts found, and their domains, without the limit; surt_host_name, url_host_name, url: the host;
-- googlebot, googlebot_line: its verdict for Googlebot, and the line that decides; hosts_with_ruleset: hosts found with the same rules;
-- others_allowed: another crawler may fetch something by name.
CREATE OR REPLACE MACRO walled_gardens(crawl := NULL, top := 1000) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_hosts('captured', crawl) AS is_known
),
gardens AS (
    SELECT h.crawl, h.host_id, h.surt_host_name, h.url_host_name, h.domain_id, h.ruleset_id, g.verdict, g.evidence_line, h.url
    FROM hosts h
    JOIN verdicts_for('Googlebot', any_name := true) g ON g.host_id = h.host_id
    WHERE in_crawls(h.crawl, crawl) AND in_crawls(g.crawl, crawl)
        AND h.wildcard_verdict = 'disallow_all' AND g.verdict IN ('allow_all', 'partial')
),
others AS (
    SELECT DISTINCT v.host_id
    FROM host_verdicts v
    WHERE v.basis = 'explicit' AND v.verdict IN ('allow_all', 'partial') AND v.agent <> 'googlebot' AND in_crawls(v.crawl, crawl)
),
counts AS (
    SELECT g.crawl, count(*) AS hosts, number_of_domains(g.domain_id) AS domains_any FROM gardens g GROUP BY g.crawl
),
answer AS (
    SELECT c.position, g.crawl, n.hosts, n.domains_any, g.surt_host_name, g.url_host_name, g.verdict AS googlebot, g.evidence_line AS googlebot_line, g.url,
        count(*) OVER (PARTITION BY g.crawl, g.ruleset_id) AS hosts_with_ruleset, o.host_id IS NOT NULL AS others_allowed
    FROM gardens g
    JOIN counts n ON n.crawl = g.crawl
    JOIN crawls() c ON c.crawl = g.crawl
    LEFT JOIN others o ON o.host_id = g.host_id
    QUALIFY row_number() OVER (PARTITION BY g.crawl ORDER BY g.surt_host_name) <= top
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.surt_host_name;

FROM walled_gardens();
