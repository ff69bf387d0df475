-- Verdicts for any crawler, over the tables hosts and host_verdicts of this dataset.
--
-- hosts has the verdict of '*' for every host, host_verdicts a row for every crawler that the rules of a host name. These macros
-- return a row for every host. Restrict a query to one crawl (WHERE crawl = '...'), and only the files of that crawl are read.
--
--   verdict         the verdict of the crawler's own group; otherwise of the group of the first of its fallbacks that has one
--                   (they are never merged: Googlebot-News obeys one group, its own or Googlebot's); otherwise of '*'. A crawler
--                   known to ignore '*' is allowed everything instead, unless the status decided: a 503 applies to it as to all
--                   others. Verdicts of '*' that a status decided apply to it, too.
--   verdict_google, verdict_rfc9309, verdict_koster1996
--                   the verdict of each dialect for a crawler of that name: its own row, otherwise '*'. The registry is not used.
--   basis           the basis of verdict. 'explicit' means that the crawler, or one of its fallbacks, is named.
-- A row is a group of its own only if its basis is 'explicit'; it may exist because another dialect recognizes the name. A row
-- that is 'too_complex' applies as well: its group may contain anything, so using the next one would be a guess.
--
-- The whole name of a crawler, as in the column agent: cut at the first / , ; ( or *, lower-cased in ASCII, trimmed, with inner
-- blanks collapsed and a last word of digits and dots removed; '*' alone or before a blank remains. The commands check and match
-- apply the same rule to --agent (whole_name in src/robots/agent_name.rs): change both together.
CREATE OR REPLACE MACRO whole_name(name) AS
    CASE
        WHEN regexp_matches(name, '^[ \t\n\v\f\r]*[*]([ \t\n\v\f\r]|$)') THEN '*'
        ELSE regexp_replace(
            trim(regexp_replace(
                translate(regexp_extract(name, '^[^/,;(*]*'), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'),
                '[ \t\n\v\f\r]+', ' ', 'g'), ' '),
            '(^| )[0-9.]+$', '')
    END;
COMMENT ON MACRO whole_name IS 'The whole name of a crawler, as in the column agent: whole_name(''GPTBot/1.0'') is gptbot';

-- verdicts_of(names) does the work, for a list of names as they are sent or written: each is converted by whole_name. A name
-- need not be in the registry.
CREATE OR REPLACE MACRO verdicts_of(names) AS TABLE
WITH asked AS (
    SELECT n.name, row_number() OVER (ORDER BY n.name) AS number, any_value(g.category) AS category, any_value(g.fallbacks) AS fallbacks,
        coalesce(bool_or(g.ignores_wildcard), false) AS ignores_wildcard
    FROM (SELECT DISTINCT whole_name(unnest(names)) AS name) n
    LEFT JOIN agents g ON lower(g.agent) = n.name
    GROUP BY n.name
),
-- The names whose groups each crawler obeys, with its own at position 0.
obeyed AS (
    SELECT number, name, 0 AS place FROM asked
    UNION ALL
    SELECT number, trim(unnest(string_split(fallbacks, ','))), unnest(range(1, 1 + len(string_split(fallbacks, ',')))) FROM asked
),
named AS (
    SELECT v.host_id, o.number,
        min(o.place) FILTER (v.basis IN ('explicit', 'too_complex')) IS NOT NULL AS has_group,
        arg_min(v.verdict, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS verdict,
        arg_min(v.basis, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS basis,
        arg_min(v.root_allowed, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS root_allowed,
        arg_min(v.n_allow, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS n_allow,
        arg_min(v.n_disallow, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS n_disallow,
        arg_min_null(v.crawl_delay, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS crawl_delay,
        arg_min_null(v.evidence_line, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS evidence_line,
        max(v.verdict_google) FILTER (o.place = 0) AS own_google,
        max(v.verdict_rfc9309) FILTER (o.place = 0) AS own_rfc9309,
        max(v.verdict_koster1996) FILTER (o.place = 0) AS own_koster1996
    FROM host_verdicts v
    JOIN obeyed o ON o.name = v.agent
    GROUP BY v.host_id, o.number
),
answers AS (
    SELECT h.*, a.name, a.category, m.verdict, m.basis, m.root_allowed, m.n_allow, m.n_disallow, m.crawl_delay, m.evidence_line,
        m.own_google, m.own_rfc9309, m.own_koster1996,
        CASE WHEN m.has_group THEN 'group' WHEN NOT h.has_named_rows AND a.name <> '*' THEN 'unknown'
            WHEN a.ignores_wildcard AND h.wildcard_basis <> 'http_status' THEN 'none' ELSE '*' END AS obeys
    FROM hosts h
    CROSS JOIN asked a
    LEFT JOIN named m ON m.host_id = h.host_id AND m.number = a.number
)
SELECT w.crawl, w.surt_host_name, w.url_host_name, w.url, w.url_host_tld, w.url_host_registered_domain, w.rules_crawl, w.rules_robots_id,
    w.name AS agent, w.category,
    CASE w.obeys WHEN 'group' THEN w.verdict WHEN 'none' THEN 'allow_all' WHEN 'unknown' THEN 'unknown' ELSE w.wildcard_verdict END AS verdict,
    CASE w.obeys WHEN 'unknown' THEN 'unknown' ELSE coalesce(w.own_google, w.wildcard_verdict_google) END AS verdict_google,
    CASE w.obeys WHEN 'unknown' THEN 'unknown' ELSE coalesce(w.own_rfc9309, w.wildcard_verdict_rfc9309) END AS verdict_rfc9309,
    CASE w.obeys WHEN 'unknown' THEN 'unknown' ELSE coalesce(w.own_koster1996, w.wildcard_verdict_koster1996) END AS verdict_koster1996,
    CASE w.obeys WHEN 'group' THEN w.basis WHEN 'none' THEN 'no_group' WHEN 'unknown' THEN 'too_complex' ELSE w.wildcard_basis END AS basis,
    CASE w.obeys WHEN 'group' THEN w.root_allowed WHEN 'none' THEN true WHEN '*' THEN w.wildcard_root_allowed END AS root_allowed,
    CASE w.obeys WHEN 'group' THEN w.crawl_delay WHEN '*' THEN w.wildcard_crawl_delay END AS crawl_delay,
    CASE w.obeys WHEN 'group' THEN w.evidence_line WHEN '*' THEN w.wildcard_evidence_line END AS evidence_line,
    CASE w.obeys WHEN 'group' THEN w.n_allow WHEN 'none' THEN 0 WHEN '*' THEN w.wildcard_n_allow END AS n_allow,
    CASE w.obeys WHEN 'group' THEN w.n_disallow WHEN 'none' THEN 0 WHEN '*' THEN w.wildcard_n_disallow END AS n_disallow
FROM answers w;
COMMENT ON MACRO TABLE verdicts_of IS 'One row per host and name with its verdict, for a list of crawler names: verdicts_of([''GPTBot'', ''CCBot''])';

CREATE OR REPLACE MACRO verdicts_for(agent) AS TABLE
SELECT * FROM verdicts_of([agent]);
COMMENT ON MACRO TABLE verdicts_for IS 'One row per host with its verdict for this crawler, named in the file or not: verdicts_for(''GPTBot'')';

-- One row per host and crawler of these categories, so query one crawl at a time.
CREATE OR REPLACE MACRO verdicts_in(categories) AS TABLE
SELECT * FROM verdicts_of((
    SELECT list(DISTINCT g.agent) FROM agents g
    WHERE list_contains(categories, g.category) OR list_contains(categories, g.category2)));
COMMENT ON MACRO TABLE verdicts_in IS 'One row per host and crawler of the registry with one of these categories: verdicts_in([''ai_training'', ''ai_search''])';
