-- Which rule sets are shared by the most registered domains?
-- Title: rules that many share
--
-- Denominator: hosts whose file has rules, and their registered domains. The order is by domains, so that one company's rules on all its
-- hosts do not lead the list; min_domains := 1 and the column hosts show those. rules has the rules of each name in one line, if it has
-- at most 60 characters. template is the most common template of the hosts, and hosts_with_template have that one.
-- Pitfall: the most common sets are defaults of software and parked domains, and short ones that many sites write on their own, not copies of one file. The
-- vendor may be recognizable in some of the files only. Equal sets may be written differently: comments, order and spelling do not
-- matter. example is the first of the URLs, not the origin of the rules.
-- Columns: crawl; ruleset_id: equal for equal rules; rules: in one line, null if longer than 60 characters; template, hosts_with_template:
-- the most common template, and hosts that have it; hosts, of_hosts, share: hosts counted, hosts of the denominator, their ratio;
-- domains_any, of_domains: registered domains with such a host, and of the denominator; share_of_domains: each domain counts once, divided
-- among its hosts; largest_domain: of these hosts, the part in one domain; low, high: 95 % interval of share, if archives were drawn at
-- random; example: the first URL.
CREATE OR REPLACE MACRO most_common_rule_sets(crawl := NULL, top := 50, min_domains := 2) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_count('top', top) AND check_count('min_domains', min_domains) AND check_hosts('rules', crawl) AS is_known
),
ranking AS (
    SELECT h.crawl, h.ruleset_id
    FROM hosts_with('rules', crawl := crawl) h
    WHERE h.ruleset_id IS NOT NULL
    GROUP BY h.crawl, h.ruleset_id
    HAVING number_of_domains(h.domain_id) >= min_domains
    QUALIFY row_number() OVER (PARTITION BY h.crawl ORDER BY number_of_domains(h.domain_id) DESC, count(*) DESC, h.ruleset_id) <= top
),
files AS MATERIALIZED (
    SELECT h.crawl, h.host_id, h.domain_id, h.ruleset_id, h.archive_no, h.template, h.url
    FROM ranking r
    JOIN hosts_with('rules', crawl := crawl) h ON h.crawl = r.crawl AND h.ruleset_id = r.ruleset_id
),
rulesets AS (
    SELECT f.crawl, f.ruleset_id, min(f.host_id) AS host_id, min(f.url) AS example
    FROM files f
    GROUP BY f.crawl, f.ruleset_id
),
templates AS (
    SELECT f.crawl, f.ruleset_id, f.template, count(*) AS hosts
    FROM files f
    WHERE f.template IS NOT NULL
    GROUP BY f.crawl, f.ruleset_id, f.template
    QUALIFY row_number() OVER (PARTITION BY f.crawl, f.ruleset_id ORDER BY count(*) DESC, f.template) = 1
),
-- All files with a rule set give each name the same rules, so any of them has its text.
texts AS (
    SELECT n.crawl, n.ruleset_id, string_agg('User-agent: ' || n.agent || '; ' || coalesce(n.rules, 'Disallow:'), '; ' ORDER BY n.agent) AS text
    FROM (
        SELECT l.crawl, l.ruleset_id, l.agent,
            string_agg(CASE WHEN l.allow THEN 'Allow: ' ELSE 'Disallow: ' END || l.path, '; ' ORDER BY l.allow, l.path) FILTER (l.path IS NOT NULL) AS rules
        FROM (
            SELECT t.crawl, t.ruleset_id, r.agent, r.allow, r.path
            FROM rulesets t
            JOIN rules_of_hosts((SELECT list(s.host_id) FROM rulesets s)) r ON r.host_id = t.host_id) l
        GROUP BY l.crawl, l.ruleset_id, l.agent) n
    GROUP BY n.crawl, n.ruleset_id
),
parts AS (
    SELECT f.crawl, f.ruleset_id, part_of(grouping(f.domain_id, f.archive_no), f.domain_id) AS part, coalesce(f.domain_id, f.archive_no) AS unit, count(*) AS x
    FROM files f
    GROUP BY f.crawl, f.ruleset_id, GROUPING SETS ((f.domain_id), (f.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('rules', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
),
answer AS (
    SELECT c.position, c.crawl, r.ruleset_id, CASE WHEN length(any_value(x.text)) <= 60 THEN any_value(x.text) END AS rules,
        any_value(t.template) AS template, coalesce(any_value(t.hosts), 0) AS hosts_with_template, r.example,
        unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
    FROM crawls() c
    LEFT JOIN wholes w ON w.crawl = c.crawl
    LEFT JOIN rulesets r ON r.crawl = c.crawl
    LEFT JOIN templates t ON t.crawl = r.crawl AND t.ruleset_id = r.ruleset_id
    LEFT JOIN texts x ON x.crawl = r.crawl AND x.ruleset_id = r.ruleset_id
    LEFT JOIN parts p ON p.crawl = r.crawl AND p.ruleset_id = r.ruleset_id
    LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, r.ruleset_id, r.example, c.position
)
SELECT s.* EXCLUDE (position, example, largest_ruleset),
    s.example
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.domains_any DESC, s.hosts DESC, s.ruleset_id;

FROM most_common_rule_sets();
