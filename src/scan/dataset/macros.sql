-- Relations between captures, and verdicts for any crawler, over the tables of this dataset.
--
-- The tables contain what was captured, row by row, and nothing here parses a robots.txt file. These views and macros decide
-- what depends on more than one row: which capture supplies the content of a revisit, where a redirect leads, which capture
-- is authoritative for a host, and which verdict applies to a crawler that a file does not name.
--
--   revisits, redirects  ->  hosts  ->  verdicts_for(agent), verdicts_in(categories)
--
-- Everything is computed on request. Restrict a query to one crawl (WHERE crawl = '...'), and only the files of that crawl
-- are read. For many questions about a whole crawl, store the result: CREATE TABLE my_hosts AS FROM hosts WHERE crawl = '...'.

-- The rank of the answer of one capture; 0 is the most decisive. The views below share it, so that the target of a redirect
-- and the authoritative capture of a host are selected in the same way:
--   0  content was fetched (2xx), or such content was found for a revisit
--   1  the status alone allows all (such as 404 and 410)
--   2  401 or 403: RFC 9309 allows all, but crawlers differ (Common Crawl's stays away), so a clearer answer is preferred
--   3  temporary: 429, 5xx, no usable response
--   4  none: a redirect that was not followed to its end, a 304, a revisit without content in the dataset
CREATE OR REPLACE MACRO answer_rank(outcome, fetch_class, effect, is_revisit, is_filled, status) AS
    CASE
        WHEN is_revisit AND NOT is_filled THEN 4
        WHEN is_revisit AND (status IS NULL OR status = 304) THEN 0
        WHEN outcome = 'redirect' THEN 4
        WHEN outcome = 'successful' THEN 0
        WHEN fetch_class IN ('unauthorized', 'forbidden') THEN 2
        WHEN effect = 'allow_all' THEN 1
        ELSE 3
    END;
COMMENT ON MACRO answer_rank IS 'The rank of the answer of a capture: 0 content, 1 allow-all by status, 2 401 or 403, 3 temporary, 4 none';

-- A revisit record states that the bytes are the same as before, and does not contain them. The same bytes have the same
-- digest, so any capture with that digest can supply them, from any crawl of the dataset. The same URL is preferred, because
-- the crawler itself referred to that capture; then the latest capture not after the revisit, because the archive knew no
-- later one; otherwise the earliest one after it.
--
-- Equal bytes do not imply an equal response: the same error page may be sent with 404 and with 200. Therefore a revisit with
-- status 2xx, 304 or no status (a revisit need not repeat the headers) takes content from 2xx captures, one with another 4xx
-- status takes it from the same status, and all others from none. A 304 has no body. Some writers give it the digest of the
-- empty body, which would let every such host allow everything, so that digest supplies no content to a 304. A capture
-- without a time counts as the earliest, here and below.
CREATE OR REPLACE VIEW revisits AS
WITH wanted AS (
    SELECT crawl, robots_id, url, content_digest, coalesce(fetch_time, TIMESTAMP '1970-01-01') AS fetch_time,
        CASE WHEN fetch_status IS NULL OR fetch_status = 304 OR outcome = 'successful' THEN 200 ELSE fetch_status END AS answer
    FROM robots_files
    WHERE is_revisit AND content_digest IS NOT NULL
        AND NOT coalesce(fetch_status = 304 AND content_digest = '3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ', false)
),
-- One capture per digest, status, URL and time, so that the joins below have no ties.
kept AS (
    SELECT content_digest, CASE WHEN outcome = 'successful' THEN 200 ELSE fetch_status END AS answer, url,
        coalesce(fetch_time, TIMESTAMP '1970-01-01') AS fetch_time,
        max({'crawl': crawl, 'robots_id': robots_id}) AS capture
    FROM robots_files
    WHERE NOT is_revisit AND outcome IN ('successful', 'unavailable')
        AND content_digest IN (SELECT content_digest FROM wanted)
    GROUP BY ALL
),
kept_anywhere AS (
    SELECT content_digest, answer, fetch_time, arg_max(capture, {'url': url, 'capture': capture}) AS capture
    FROM kept GROUP BY ALL
),
first_of_url AS (
    SELECT content_digest, answer, url, arg_min(capture, fetch_time) AS capture FROM kept GROUP BY ALL
),
first_anywhere AS (
    SELECT content_digest, answer, arg_min(capture, fetch_time) AS capture FROM kept_anywhere GROUP BY ALL
),
-- The nearest earlier capture by ASOF: a plain join would pair every revisit of a common digest with every capture of it.
filled AS (
    SELECT w.crawl, w.robots_id, coalesce(k.capture, u.capture, a.capture, d.capture) AS capture
    FROM wanted w
    ASOF LEFT JOIN kept k
        ON k.content_digest = w.content_digest AND k.answer = w.answer AND k.url = w.url AND w.fetch_time >= k.fetch_time
    LEFT JOIN first_of_url u
        ON u.content_digest = w.content_digest AND u.answer = w.answer AND u.url = w.url
    ASOF LEFT JOIN kept_anywhere a
        ON a.content_digest = w.content_digest AND a.answer = w.answer AND w.fetch_time >= a.fetch_time
    LEFT JOIN first_anywhere d
        ON d.content_digest = w.content_digest AND d.answer = w.answer
)
SELECT crawl, robots_id, capture.crawl AS filled_by_crawl, capture.robots_id AS filled_by
FROM filled
WHERE capture IS NOT NULL;
COMMENT ON VIEW revisits IS 'The capture that supplies the content of a revisit record: same digest and status; same URL first, then the latest not after it, otherwise the earliest';
COMMENT ON COLUMN revisits.crawl IS 'Crawl of the revisit';
COMMENT ON COLUMN revisits.robots_id IS 'The revisit, in robots_files of that crawl';
COMMENT ON COLUMN revisits.filled_by_crawl IS 'Crawl of the capture that supplies its content; may be another one';
COMMENT ON COLUMN revisits.filled_by IS 'The capture that supplies its content: its robots_id';

-- The end of the redirects of a request for robots.txt, as far as the dataset has it. RFC 9309 section 2.3.1.2 requires
-- crawlers to follow at least five redirects, so up to five hops are followed, across hosts, within one crawl.
--
-- A URL that was captured several times is represented by one capture, the same for every chain: the most decisive one, then
-- the latest, then the smallest robots_id. It is selected before any chain is built, so a chain costs one lookup per hop,
-- regardless of how often its pages were captured. The five joins are written out instead of a recursion, because a recursion
-- would hide WHERE crawl = '...' from the tables, and every query on one crawl would read all of them.
--
-- A chain that returns to an earlier capture ends there, unresolved. So does a chain whose next URL was not captured, and
-- one that still redirects after five hops.
CREATE OR REPLACE VIEW redirects AS
WITH pages AS (
    SELECT f.crawl, f.url,
        arg_min(
            {'robots_id': f.robots_id, 'url': f.url, 'follows': f.effect_google = 'follow',
             'next_url': CASE WHEN f.effect_google = 'follow' THEN f.fetch_redirect END,
             'answer_rank': answer_rank(f.outcome, f.fetch_class, f.effect_google, f.is_revisit, v.filled_by IS NOT NULL, f.fetch_status),
             'rules_crawl': coalesce(v.filled_by_crawl, f.crawl), 'rules_robots_id': coalesce(v.filled_by, f.robots_id)},
            {'rank': answer_rank(f.outcome, f.fetch_class, f.effect_google, f.is_revisit, v.filled_by IS NOT NULL, f.fetch_status),
             'age': -coalesce(epoch_us(f.fetch_time), 0), 'robots_id': f.robots_id}
        ) AS page
    FROM robots_files f
    LEFT JOIN revisits v ON v.crawl = f.crawl AND v.robots_id = f.robots_id
    JOIN (SELECT DISTINCT crawl, fetch_redirect FROM robots_files WHERE effect_google = 'follow' AND fetch_redirect IS NOT NULL) t
        ON t.crawl = f.crawl AND t.fetch_redirect = f.url
    GROUP BY f.crawl, f.url
),
chains AS (
    SELECT f.crawl, f.robots_id,
        (p1.page IS NOT NULL)::INTEGER + (p2.page IS NOT NULL)::INTEGER + (p3.page IS NOT NULL)::INTEGER
            + (p4.page IS NOT NULL)::INTEGER + (p5.page IS NOT NULL)::INTEGER AS hops,
        coalesce(p5.page, p4.page, p3.page, p2.page, p1.page) AS last
    FROM robots_files f
    LEFT JOIN pages p1 ON p1.crawl = f.crawl AND p1.url = f.fetch_redirect
        AND p1.page.robots_id <> f.robots_id
    LEFT JOIN pages p2 ON p2.crawl = f.crawl AND p2.url = p1.page.next_url
        AND p2.page.robots_id NOT IN (f.robots_id, p1.page.robots_id)
    LEFT JOIN pages p3 ON p3.crawl = f.crawl AND p3.url = p2.page.next_url
        AND p3.page.robots_id NOT IN (f.robots_id, p1.page.robots_id, p2.page.robots_id)
    LEFT JOIN pages p4 ON p4.crawl = f.crawl AND p4.url = p3.page.next_url
        AND p4.page.robots_id NOT IN (f.robots_id, p1.page.robots_id, p2.page.robots_id, p3.page.robots_id)
    LEFT JOIN pages p5 ON p5.crawl = f.crawl AND p5.url = p4.page.next_url
        AND p5.page.robots_id NOT IN (f.robots_id, p1.page.robots_id, p2.page.robots_id, p3.page.robots_id, p4.page.robots_id)
    WHERE f.is_robots_path AND f.effect_google = 'follow' AND f.fetch_redirect IS NOT NULL
)
SELECT crawl, robots_id, hops, last.url AS target_url, last.robots_id AS target_robots_id,
    coalesce(NOT last.follows, false) AS resolved,
    last.answer_rank AS answer_rank, last.rules_crawl AS rules_crawl, last.rules_robots_id AS rules_robots_id
FROM chains;
COMMENT ON VIEW redirects IS 'The end of the redirects of a request for robots.txt: chains of up to five hops within one crawl of the dataset';
COMMENT ON COLUMN redirects.robots_id IS 'The capture of a robots.txt that redirects, in robots_files of that crawl';
COMMENT ON COLUMN redirects.hops IS 'Number of captures in the chain, including the last one; 0: the first target was not captured';
COMMENT ON COLUMN redirects.target_url IS 'URL of the last capture reached; NULL if there is none';
COMMENT ON COLUMN redirects.target_robots_id IS 'The last capture reached; its path may be another one than /robots.txt';
COMMENT ON COLUMN redirects.resolved IS 'True if the last capture reached does not redirect further';
COMMENT ON COLUMN redirects.answer_rank IS 'The answer_rank of the last capture reached';
COMMENT ON COLUMN redirects.rules_crawl IS 'Crawl of rules_robots_id; another one only if it supplies the content of a revisit';
COMMENT ON COLUMN redirects.rules_robots_id IS 'The capture whose rules apply at the end: the last one reached, or the one that supplies its content if it is a revisit';

-- One capture is authoritative for a host. A crawl may have a hundred captures of the robots.txt file of one host, over http
-- and https, with and without www, so counting captures would count busy hosts more often. The order of preference is:
--   1. the most decisive one according to answer_rank, where a resolved redirect counts as the end of its chain;
--   2. https before http, because browsers use https;
--   3. the latest;
--   4. the smallest robots_id, so that the same dataset always gives the same result.
-- The columns are those of the selected capture, as it was fetched. The rules, verdicts and figures of the file belong to
-- (rules_crawl, rules_robots_id): the capture itself, the end of its redirects, or the capture with the content of a revisit.
-- Join child tables on these two columns.
--
-- The selection is a minimum by key instead of a window, because a window would sort every capture of a crawl.
CREATE OR REPLACE VIEW hosts AS
WITH picks AS (
    SELECT f.crawl, f.surt_host_name,
        arg_min(
            {'robots_id': f.robots_id,
             'rules_crawl': CASE WHEN r.resolved THEN r.rules_crawl ELSE coalesce(v.filled_by_crawl, f.crawl) END,
             'rules_robots_id': CASE WHEN r.resolved THEN r.rules_robots_id ELSE coalesce(v.filled_by, f.robots_id) END},
            {'rank': CASE WHEN r.resolved THEN r.answer_rank
                ELSE answer_rank(f.outcome, f.fetch_class, f.effect_google, f.is_revisit, v.filled_by IS NOT NULL, f.fetch_status) END,
             'scheme': CASE WHEN f.url_protocol = 'https' THEN 0 ELSE 1 END,
             'age': -coalesce(epoch_us(f.fetch_time), 0), 'robots_id': f.robots_id}
        ) AS pick
    FROM robots_files f
    LEFT JOIN redirects r ON r.crawl = f.crawl AND r.robots_id = f.robots_id
    LEFT JOIN revisits v ON v.crawl = f.crawl AND v.robots_id = f.robots_id
    WHERE f.is_robots_path AND f.surt_host_name IS NOT NULL
    GROUP BY f.crawl, f.surt_host_name
)
SELECT f.*, p.pick.rules_crawl AS rules_crawl, p.pick.rules_robots_id AS rules_robots_id
FROM picks p
JOIN robots_files f ON f.crawl = p.crawl AND f.robots_id = p.pick.robots_id;
COMMENT ON VIEW hosts IS 'One row per crawl and surt_host_name: the authoritative capture of the host (most decisive, https, latest, smallest robots_id), and the capture whose rules apply';
COMMENT ON COLUMN hosts.rules_crawl IS 'Crawl of rules_robots_id; another one only if it supplies the content of a revisit';
COMMENT ON COLUMN hosts.rules_robots_id IS 'The capture whose rules apply: the selected one, the end of its redirects, or the one with the content of a revisit';

-- The table verdicts is sparse: it has a row for '*' and for every name in a file. These macros return a row for every host.
--   verdict         the verdict of the crawler's own group; otherwise of the group of the first of its fallbacks that has one
--                   (they are never merged: Googlebot-News obeys one group, its own or Googlebot's); otherwise of '*'. A crawler
--                   known to ignore '*' is allowed everything instead, unless the status decided: a 503 applies to it as to all
--                   others. A '*' row without a basis has no content that could be ignored, so it applies as well.
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
-- need not be in the registry. The sparse rows are collected by file and name first, and the '*' row is read once per host, so
-- the only large relation is the result itself.
CREATE OR REPLACE MACRO verdicts_of(names) AS TABLE
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
-- The rows that each crawl may use: its own, and those of other crawls that supply content to its revisits. If rules_crawl were
-- joined instead, a query on one crawl would read the verdicts of all.
reached AS NOT MATERIALIZED (
    SELECT v.crawl AS from_crawl, v.* FROM verdicts v
    UNION ALL
    SELECT r.crawl AS from_crawl, v.*
    FROM (SELECT DISTINCT crawl, filled_by_crawl, filled_by FROM revisits WHERE filled_by_crawl <> crawl) r
    JOIN verdicts v ON v.crawl = r.filled_by_crawl AND v.robots_id = r.filled_by
),
named AS (
    SELECT v.from_crawl, v.crawl, v.robots_id, o.asked_name,
        arg_min({'verdict': v.verdict, 'basis': v.basis, 'root_allowed': v.root_allowed, 'crawl_delay': v.crawl_delay,
                 'evidence_line': v.evidence_line, 'n_allow': v.n_allow, 'n_disallow': v.n_disallow}, o.place)
            FILTER (v.basis IN ('explicit', 'too_complex')) AS best,
        max(v.verdict_google) FILTER (o.place = 0) AS own_google,
        max(v.verdict_rfc9309) FILTER (o.place = 0) AS own_rfc9309,
        max(v.verdict_koster1996) FILTER (o.place = 0) AS own_koster1996
    FROM reached v
    JOIN obeyed o ON o.name = v.agent
    WHERE v.agent <> '*'
    GROUP BY v.from_crawl, v.crawl, v.robots_id, o.asked_name
),
answers AS (
    SELECT h.crawl, h.surt_host_name, h.url_host_name, h.url, h.url_host_tld, h.url_host_registered_domain, h.robots_id,
        a.name, a.category, m.best, m.own_google, m.own_rfc9309, m.own_koster1996,
        s.verdict, s.verdict_google, s.verdict_rfc9309, s.verdict_koster1996, s.basis, s.root_allowed, s.crawl_delay, s.evidence_line, s.n_allow, s.n_disallow,
        CASE WHEN m.best IS NOT NULL THEN 'group' WHEN a.ignores_wildcard AND s.basis <> 'http_status' THEN 'none' ELSE '*' END AS obeys
    FROM hosts h
    CROSS JOIN asked a
    LEFT JOIN reached s
        ON s.agent = '*' AND s.from_crawl = h.crawl AND s.crawl = h.rules_crawl AND s.robots_id = h.rules_robots_id
    LEFT JOIN named m
        ON m.from_crawl = h.crawl AND m.crawl = h.rules_crawl AND m.robots_id = h.rules_robots_id AND m.asked_name = a.name
)
SELECT crawl, surt_host_name, url_host_name, url, url_host_tld, url_host_registered_domain, robots_id, name AS agent, category,
    CASE w.obeys WHEN 'group' THEN w.best.verdict WHEN 'none' THEN 'allow_all' ELSE coalesce(w.verdict, 'unknown') END AS verdict,
    coalesce(w.own_google, w.verdict_google, 'unknown') AS verdict_google,
    coalesce(w.own_rfc9309, w.verdict_rfc9309, 'unknown') AS verdict_rfc9309,
    coalesce(w.own_koster1996, w.verdict_koster1996, 'unknown') AS verdict_koster1996,
    CASE w.obeys WHEN 'group' THEN w.best.basis WHEN 'none' THEN 'no_group' ELSE w.basis END AS basis,
    CASE w.obeys WHEN 'group' THEN w.best.root_allowed WHEN 'none' THEN true ELSE w.root_allowed END AS root_allowed,
    CASE w.obeys WHEN 'group' THEN w.best.crawl_delay WHEN '*' THEN w.crawl_delay END AS crawl_delay,
    CASE w.obeys WHEN 'group' THEN w.best.evidence_line WHEN '*' THEN w.evidence_line END AS evidence_line,
    CASE w.obeys WHEN 'group' THEN w.best.n_allow WHEN 'none' THEN 0 ELSE w.n_allow END AS n_allow,
    CASE w.obeys WHEN 'group' THEN w.best.n_disallow WHEN 'none' THEN 0 ELSE w.n_disallow END AS n_disallow
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
