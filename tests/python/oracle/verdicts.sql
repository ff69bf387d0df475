-- The macro verdicts_of in SQL over the tables of captures, for tests/python/test_hosts.py. It needs hosts.sql and the macro whole_name.

-- One row per host and name, for a list of names.
CREATE OR REPLACE MACRO oracle_verdicts_of(names) AS TABLE
WITH asked AS (
    SELECT n.name, any_value(g.category) AS category, any_value(g.fallbacks) AS fallbacks,
        coalesce(bool_or(g.ignores_wildcard), false) AS ignores_wildcard
    FROM (SELECT DISTINCT whole_name(unnest(names)) AS name) n
    LEFT JOIN agents g ON lower(g.agent) = n.name
    GROUP BY n.name
),
-- The names whose groups each crawler obeys, with its own at position 0.
obeyed AS (
    SELECT name AS asked_name, name, 0 AS place FROM asked
    UNION ALL
    SELECT name, trim(unnest(string_split(fallbacks, ','))), unnest(range(1, 1 + len(string_split(fallbacks, ',')))) FROM asked
),
named AS (
    SELECT v.crawl, v.robots_id, o.asked_name,
        arg_min({'verdict': v.verdict, 'basis': v.basis, 'root_allowed': v.root_allowed, 'crawl_delay_ms': v.crawl_delay_ms,
                 'evidence_line': v.evidence_line, 'n_allow': v.n_allow, 'n_disallow': v.n_disallow}, o.place)
            FILTER (v.basis IN ('explicit', 'too_complex')) AS best,
        max(v.verdict_google) FILTER (o.place = 0) AS own_google,
        max(v.verdict_rfc9309) FILTER (o.place = 0) AS own_rfc9309,
        max(v.verdict_koster1996) FILTER (o.place = 0) AS own_koster1996
    FROM verdicts v
    JOIN obeyed o ON o.name = v.agent
    WHERE v.agent <> '*'
    GROUP BY v.crawl, v.robots_id, o.asked_name
),
answers AS (
    SELECT h.crawl, h.surt_host_name, h.url_host_name, h.url, h.url_host_tld, h.url_host_registered_domain, h.rules_robots_id,
        a.name, a.category, m.best, m.own_google, m.own_rfc9309, m.own_koster1996,
        s.verdict, s.verdict_google, s.verdict_rfc9309, s.verdict_koster1996, s.basis, s.root_allowed, s.crawl_delay_ms, s.evidence_line, s.n_allow, s.n_disallow,
        CASE WHEN m.best IS NOT NULL THEN 'group' WHEN a.ignores_wildcard AND s.basis <> 'http_status' THEN 'none' ELSE '*' END AS obeys
    FROM oracle_hosts h
    CROSS JOIN asked a
    LEFT JOIN verdicts s
        -- Without rows for its names, a host gives an answer for `*` only.
        ON (h.has_named_rows OR a.name = '*') AND s.agent = '*' AND s.crawl = h.crawl AND s.robots_id = h.rules_robots_id
    LEFT JOIN named m
        ON h.has_named_rows AND m.crawl = h.crawl AND m.robots_id = h.rules_robots_id AND m.asked_name = a.name
)
SELECT crawl, surt_host_name, url_host_name, url, url_host_tld, url_host_registered_domain, rules_robots_id, name AS agent, category,
    CASE w.obeys WHEN 'group' THEN w.best.verdict WHEN 'none' THEN 'allow_all' ELSE coalesce(w.verdict, 'unknown') END AS verdict,
    coalesce(w.own_google, w.verdict_google, 'unknown') AS verdict_google,
    coalesce(w.own_rfc9309, w.verdict_rfc9309, 'unknown') AS verdict_rfc9309,
    coalesce(w.own_koster1996, w.verdict_koster1996, 'unknown') AS verdict_koster1996,
    CASE w.obeys WHEN 'group' THEN w.best.basis WHEN 'none' THEN 'no_group' ELSE coalesce(w.basis, 'too_complex') END AS basis,
    CASE w.obeys WHEN 'group' THEN w.best.root_allowed WHEN 'none' THEN true ELSE w.root_allowed END AS root_allowed,
    CASE w.obeys WHEN 'group' THEN w.best.crawl_delay_ms WHEN '*' THEN w.crawl_delay_ms END AS crawl_delay_ms,
    CASE w.obeys WHEN 'group' THEN w.best.evidence_line WHEN '*' THEN w.evidence_line END AS evidence_line,
    CASE w.obeys WHEN 'group' THEN w.best.n_allow WHEN 'none' THEN 0 ELSE w.n_allow END AS n_allow,
    CASE w.obeys WHEN 'group' THEN w.best.n_disallow WHEN 'none' THEN 0 ELSE w.n_disallow END AS n_disallow
FROM answers w;
