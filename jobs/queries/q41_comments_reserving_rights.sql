-- How many hosts reserve rights, for example against text and data mining, in the comments of their robots.txt?
-- Title: rights kept in comments
--
-- Denominator: hosts with a 2xx response whose file is neither an HTML page nor binary data, and their registered domains. Needs a
-- dataset with bodies: robots-scan --with-bodies.
-- Pitfall: a phrase in a comment is not read by any crawler, and may be part of a vendor's template: see largest_ruleset and template.
-- The phrases are those of EU directive 2019/790, TDM reservations, and "all rights reserved", in English, French and German.
-- Columns: crawl; phrase: what comments say; shares.
CREATE OR REPLACE MACRO comments_reserving_rights(crawl := NULL) AS TABLE
WITH bodies AS (
    SELECT h.crawl, h.host_id, h.domain_id, h.ruleset_id, h.archive_no, r.body
    FROM hosts_with('successful', crawl := crawl) h
    JOIN robots_files r ON r.crawl = h.crawl AND r.robots_id = h.rules_robots_id
    WHERE h.content_class NOT IN ('html', 'binary')
),
checked AS MATERIALIZED (
    SELECT CASE WHEN n.without IS NULL THEN true
        ELSE error('the crawl ''' || n.without || ''' has no bodies, and comments are only in bodies: scan again with --with-bodies') END AND check_hosts('successful', crawl) AS is_known
    FROM (SELECT min(m.crawl) AS without FROM (SELECT b.crawl FROM bodies b GROUP BY b.crawl HAVING count(b.body) = 0) m) n
),
phrases AS (
    SELECT unnest([1, 2, 3, 4]) AS place, unnest(['EU directive 2019/790', 'text and data mining', 'reserves rights', 'all rights reserved']) AS phrase
),
comments AS (
    SELECT b.crawl, b.domain_id, b.ruleset_id, b.archive_no, lower(array_to_string(regexp_extract_all(b.body, '#[^\r\n]*'), chr(10))) AS text
    FROM bodies b
    WHERE b.body IS NOT NULL
),
answers AS (
    SELECT c.crawl, c.domain_id, c.ruleset_id, c.archive_no, p.place,
        CASE p.place WHEN 1 THEN regexp_matches(c.text, '2019/790') WHEN 2 THEN regexp_matches(c.text, 'text and data mining|text-and-data-mining|text- und data[- ]mining|fouille de textes|\btdm\b')
            WHEN 3 THEN regexp_matches(c.text, '(reserve|reserves|reserving) (all |any |its |our |their )*rights|express(ly)? reserv|rights? reservation|réserve') ELSE regexp_matches(c.text, 'all rights reserved|alle rechte vorbehalten|tous droits réservés') END AS found
    FROM comments c
    CROSS JOIN phrases p
),
parts AS (
    SELECT a.crawl, a.place, a.ruleset_id, part_of(grouping(a.domain_id, a.ruleset_id, a.archive_no), a.domain_id) AS part,
        count(*) AS n, count(*) FILTER (a.found) AS x
    FROM answers a
    GROUP BY a.crawl, a.place, GROUPING SETS ((a.domain_id), (a.ruleset_id), (a.archive_no))
),
wholes AS (
    SELECT p.crawl, p.place, whole_of(p.part, p.n) AS whole FROM parts p GROUP BY p.crawl, p.place
),
answer AS (
    SELECT c.position, t.place, c.crawl, t.phrase, unnest(shares(p.part, p.ruleset_id, p.x, p.n, any_value(w.whole), any_value(c.sample)))
    FROM crawls() c
    CROSS JOIN phrases t
    LEFT JOIN wholes w ON w.crawl = c.crawl AND w.place = t.place
    LEFT JOIN parts p ON p.crawl = c.crawl AND p.place = t.place
    WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
    GROUP BY c.crawl, t.place, t.phrase, c.position
)
SELECT s.* EXCLUDE (position, place)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.place;

FROM comments_reserving_rights();
