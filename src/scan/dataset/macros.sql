-- Relations between captures, and answers for any crawler, over the tables of this dataset.
--
-- The tables hold what was captured, row by row; nothing here reads a robots.txt. What stands here is what needs more than
-- one row to be decided: which capture fills a revisit, where a redirect leads, which capture speaks for a host, and which
-- verdict a crawler takes that a file does not name.
--
--   revisits, redirects  ->  hosts  ->  verdicts_for(agent), verdicts_in(categories)
--
-- All of it is computed when it is asked for. Ask for one crawl (WHERE crawl = '...') and only that crawl's files are read;
-- for many questions over a whole crawl, keep the answer once: CREATE TABLE my_hosts AS FROM hosts WHERE crawl = '...'.

-- How much one capture decides, 0 being most. Shared by the views below, so that the target of a redirect and the capture
-- that speaks for a host are chosen by one scale:
--   0  content was fetched (2xx), or a revisit was filled with such content
--   1  the status alone allows all (404, 410 and their like)
--   2  401 or 403: by RFC 9309 it allows all too, but crawlers differ (Common Crawl's stays away), so a plainer answer wins
--   3  come back later: 429, 5xx, no usable answer
--   4  nothing: a redirect that was not followed to its end, a 304, a revisit whose content is nowhere in the dataset
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
COMMENT ON MACRO answer_rank IS 'How much a capture decides: 0 content, 1 allow-all by status, 2 401 or 403, 3 come back later, 4 nothing';

-- A revisit record says "the same bytes as before" and holds none. Same bytes means same digest, so any capture with that
-- digest can stand in, from any crawl of the dataset. The same URL comes first, because then the crawler itself meant that
-- capture; then the latest one not after the revisit, as the archive could know no later one; else the earliest one after.
--
-- Equal bytes are not an equal answer: a page "not found" may be sent with 404 and with 200. So a revisit is filled from 2xx
-- if its own status is 2xx, 304 or missing (a revisit need not repeat the headers), from the same status if it is another
-- 4xx, and never otherwise. A 304 has no body; some writers give it the digest of nothing, which would make every such
-- host allow everything, so that digest fills no 304. A capture without a time counts as the earliest, here and below.
CREATE OR REPLACE VIEW revisits AS
WITH wanted AS (
    SELECT crawl, robots_id, url, content_digest, coalesce(fetch_time, TIMESTAMP '1970-01-01') AS fetch_time,
        CASE WHEN fetch_status IS NULL OR fetch_status = 304 OR outcome = 'successful' THEN 200 ELSE fetch_status END AS answer
    FROM robots_files
    WHERE is_revisit AND content_digest IS NOT NULL
        AND NOT coalesce(fetch_status = 304 AND content_digest = '3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ', false)
),
-- One capture for every digest, answer, URL and moment, so that the joins below cannot tie.
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
-- The nearest earlier one by ASOF: a plain join would pair every revisit of a common digest with every capture of it.
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
COMMENT ON VIEW revisits IS 'The capture whose content fills a revisit record: same digest and answer; same URL first, then the latest not after it, else the earliest';
COMMENT ON COLUMN revisits.crawl IS 'Crawl of the revisit';
COMMENT ON COLUMN revisits.robots_id IS 'The revisit, in robots_files of that crawl';
COMMENT ON COLUMN revisits.filled_by_crawl IS 'Crawl of the capture that fills it; may be another one';
COMMENT ON COLUMN revisits.filled_by IS 'The capture that fills it: its robots_id';

-- Where a redirected request for a robots.txt ends, as far as this dataset can tell. RFC 9309 section 2.3.1.2 has crawlers
-- follow at least five redirects, so five hops it is, across hosts, within one crawl.
--
-- A URL captured several times is entered by one capture, the same for every chain: the one that decides most, then the
-- latest, then the smallest robots_id. It is chosen before any chain is built, so a chain costs one look-up a hop however
-- often its pages were captured. Five joins are written out instead of a recursion: a recursion would hide WHERE crawl = '...'
-- from the tables, and every question on one crawl would read them all.
--
-- A chain that comes back to a capture it has passed ends there, unresolved. So does one whose next URL was not captured,
-- and one that still redirects after five hops.
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
COMMENT ON VIEW redirects IS 'Where a redirected request for a robots.txt ends: chains of up to five hops inside one crawl of the dataset';
COMMENT ON COLUMN redirects.robots_id IS 'The capture of a robots.txt that redirects, in robots_files of that crawl';
COMMENT ON COLUMN redirects.hops IS 'Captures passed, the last one included; 0: the first target was not captured';
COMMENT ON COLUMN redirects.target_url IS 'URL of the last capture reached; NULL if none was';
COMMENT ON COLUMN redirects.target_robots_id IS 'The last capture reached; it may be of another path than /robots.txt';
COMMENT ON COLUMN redirects.resolved IS 'True if the last capture reached does not redirect further';
COMMENT ON COLUMN redirects.answer_rank IS 'How much the last capture reached decides, by the macro answer_rank';
COMMENT ON COLUMN redirects.rules_crawl IS 'Crawl of rules_robots_id: another one only where a revisit is filled from there';
COMMENT ON COLUMN redirects.rules_robots_id IS 'The capture whose rules stand at the end: the last one reached, or what fills it if it is a revisit';

-- One capture speaks for a host: a crawl may hold a hundred captures of one host's robots.txt, by http and https, by www and
-- the bare name, and counting captures would count busy hosts more. In this order:
--   1. what decides most, by answer_rank, where a redirect counts as what its chain ends in if it is resolved;
--   2. https before http, as that is where visitors are sent today;
--   3. the latest;
--   4. the smallest robots_id, so that the same dataset always gives the same answer.
-- The columns are those of the capture picked, as it was fetched. Rules, verdicts and figures of the file belong to
-- (rules_crawl, rules_robots_id): the capture itself, or the end of its redirects, or what fills a revisit. Join child
-- tables on these two.
--
-- A minimum by key, not a window: a window would sort every capture of a crawl.
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
COMMENT ON VIEW hosts IS 'One row per crawl and surt_host_name: the capture that speaks for the host (what decides most, https, latest, smallest robots_id), with the capture whose rules apply';
COMMENT ON COLUMN hosts.rules_crawl IS 'Crawl of rules_robots_id: another one only where a revisit is filled from there';
COMMENT ON COLUMN hosts.rules_robots_id IS 'The capture whose rules apply: the one picked, the end of its redirects, or what fills a revisit';

-- The verdicts table is sparse: a row for '*' and for every name a file holds. These macros give every host an answer.
--   verdict         its own group; else the group of the first of its fallbacks that has one (never merged: Googlebot-News
--                   reads one group, its own or Googlebot's); else '*'. A crawler known to ignore '*' takes no rules from
--                   there, so all is allowed, unless the status decided: a 503 binds it as it binds the others. A '*' row
--                   without a basis tells of no content that could be ignored, so it stands too.
--   verdict_google, verdict_rfc9309, verdict_koster1996
--                   what each reading gives a crawler of that name: its own row, else '*'. No registry has a say.
--   basis           of verdict. 'explicit' means that the crawler, or one it falls back to, was named.
-- A row is a group of its own only if its basis is 'explicit'; it may be there because another reading knows the name. One
-- that is 'too_complex' stands too: its group may say anything, so to pass on to the next would be a guess.
--
-- The whole name of a crawler, as the column agent has it: cut at the first / , ; ( or *, lower-cased in ASCII, trimmed, inner
-- blanks collapsed, a last word of digits and dots dropped; '*' alone or before a blank stays. The commands check and match
-- apply the same rule to --agent (whole_name in src/robots/token.rs): change both together.
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

-- verdicts_of(names) does the work, for a list of names as they are sent or written: each is taken by its whole_name. A name need
-- not be in the registry. The sparse rows are gathered by file and name first, and the '*' row is fetched once a host, so the
-- only large thing is the answer itself.
CREATE OR REPLACE MACRO verdicts_of(names) AS TABLE
WITH asked AS (
    SELECT n.name, any_value(g.category) AS category, any_value(g.fallbacks) AS fallbacks,
        coalesce(bool_or(g.ignores_wildcard), false) AS ignores_wildcard
    FROM (SELECT DISTINCT whole_name(unnest(names)) AS name) n
    LEFT JOIN agents g ON lower(g.agent) = n.name
    GROUP BY n.name
),
-- The names whose groups each one obeys, its own at place 0.
obeyed AS (
    SELECT name AS asked_name, name, 0 AS place FROM asked
    UNION ALL
    SELECT name, trim(unnest(string_split(fallbacks, ','))), unnest(range(1, 1 + len(string_split(fallbacks, ',')))) FROM asked
),
-- The rows in reach of each crawl: its own, and those of other crawls that fill its revisits. Were rules_crawl joined instead,
-- a question on one crawl would read the verdicts of all.
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

-- A row for each host and each crawler of these categories, so ask for one crawl at a time.
CREATE OR REPLACE MACRO verdicts_in(categories) AS TABLE
SELECT * FROM verdicts_of((
    SELECT list(DISTINCT g.agent) FROM agents g
    WHERE list_contains(categories, g.category) OR list_contains(categories, g.category2)));
COMMENT ON MACRO TABLE verdicts_in IS 'One row per host and crawler of the registry with one of these categories: verdicts_in([''ai_training'', ''ai_search''])';
