-- Macros over the tables of this dataset: verdicts of any crawler, guards against unknown names, and shares. The questions, which
-- follow them, are built from these.
--
-- A parameter of a macro hides every column of its name, so columns are always qualified.

-- The whole name of a crawler, as in the column agent: cut at the first / , ; ( or *, lower-cased in ASCII, trimmed, with inner
-- blanks collapsed and, after another word, a last word of digits and dots removed; '*' alone or before a blank remains. The commands check and match
-- apply the same rule to --agent (whole_name in src/robots/agent_name.rs): change both together.
CREATE OR REPLACE MACRO whole_name(name) AS
    CASE
        WHEN regexp_matches(name, '^[ \t\n\v\f\r]*[*]([ \t\n\v\f\r]|$)') THEN '*'
        ELSE regexp_replace(
            trim(regexp_replace(
                translate(regexp_extract(name, '^[^/,;(*]*'), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'),
                '[ \t\n\v\f\r]+', ' ', 'g'), ' '),
            ' [0-9.]+$', '')
    END;
COMMENT ON MACRO whole_name IS 'The whole name of a crawler, as in the column agent: whole_name(''GPTBot/1.0'') is gptbot';

-- Guards. Each returns true, or ends the query with one line that names the nearest known values. A guard is a CTE of its
-- own, WITH checked AS MATERIALIZED (SELECT check_agents(agent, any_name) AS is_known), and its column is a condition of the query. It
-- then runs once, and the other conditions remain simple enough to skip row groups. DuckDB leaves such a join out if it knows that
-- the other table is empty, so questions end with FROM checked k LEFT JOIN (the answer) s ON true WHERE s.crawl IS NOT NULL OR NOT
-- k.is_known: the last condition is never true, but it keeps the join.

CREATE OR REPLACE MACRO nearest_values(value, known) AS (
    SELECT string_agg(n.name, ', ' ORDER BY n.distance, n.name)
    FROM (SELECT u.name, levenshtein(lower(value), lower(u.name)) AS distance
        FROM (SELECT DISTINCT unnest(known) AS name) u ORDER BY distance, u.name LIMIT 3) n);
COMMENT ON MACRO nearest_values IS 'The three values of a list that are nearest to a value: nearest_values(''gptbto'', [''GPTBot'', ''CCBot''])';

CREATE OR REPLACE MACRO check_agent(name, any_name) AS (
    CASE WHEN contains(name, ',') THEN error('a list of crawlers is written [''GPTBot'', ''CCBot''], and one name has no comma: ''' || name || '''')
        WHEN regexp_matches(name, '^[ ]*Mozilla/') THEN error('the name of a crawler is expected, not a User-Agent header: ''' || name || '''')
        WHEN whole_name(name) = '*' OR whole_name(name) IN (SELECT g.agent FROM agents g) OR any_name AND whole_name(name) <> '' THEN true
        ELSE error('unknown agent ' || coalesce('''' || name || '''', 'NULL') || ': the nearest are '
            || nearest_values(coalesce(name, ''), (SELECT list(g.token) FROM agents g))
            || '; any_name := true accepts a name that is not in the registry') END);
COMMENT ON MACRO check_agent IS 'True if the registry has this crawler or any name is accepted; otherwise an error that suggests names';

CREATE OR REPLACE MACRO check_named_agent(name, any_name) AS (
    CASE WHEN whole_name(name) = '*' THEN error('the name of a crawler is expected, since no rule names ''*''') ELSE check_agent(name, any_name) END);
COMMENT ON MACRO check_named_agent IS 'check_agent, for questions about names, in which * has no place';

-- The parameters agent and crawl are a name or a list of names. A name is no list, so TRY_CAST makes null of it.
CREATE OR REPLACE MACRO list_of(names) AS coalesce(TRY_CAST(names AS VARCHAR[]), [names::VARCHAR]);
COMMENT ON MACRO list_of IS 'A name, or a list of names, as a list: list_of(''GPTBot''), list_of([''GPTBot'', ''CCBot''])';

CREATE OR REPLACE MACRO asked_agents(agent) AS TABLE SELECT DISTINCT whole_name(n.name) AS agent FROM (SELECT unnest(list_of(agent)) AS name) n;
COMMENT ON MACRO TABLE asked_agents IS 'The whole names of a crawler, or of a list of crawlers, one a row';

CREATE OR REPLACE MACRO check_agents(names, any_name) AS (
    SELECT CASE WHEN count(*) = 0 THEN error('no crawler is given: agent is a name, or a list such as [''GPTBot'', ''CCBot'']')
        ELSE bool_and(check_agent(n.name, any_name)) END
    FROM (SELECT unnest(list_of(names)) AS name) n);
COMMENT ON MACRO check_agents IS 'check_agent for a crawler, or for each of a list of crawlers';

CREATE OR REPLACE MACRO check_named_agents(names, any_name) AS (
    SELECT check_agents(names, any_name) AND bool_and(check_named_agent(n.name, any_name)) FROM (SELECT unnest(list_of(names)) AS name) n);
COMMENT ON MACRO check_named_agents IS 'check_named_agent for a crawler, or for each of a list of crawlers';

CREATE OR REPLACE MACRO check_count(name, value) AS
    CASE WHEN TRY_CAST(value AS BIGINT) >= 1 THEN true
        ELSE error(name || ' is 1 or more, not ' || coalesce(value::VARCHAR, 'NULL')) END;
COMMENT ON MACRO check_count IS 'True if a number is 1 or more; otherwise an error: check_count(''top'', 25)';

CREATE OR REPLACE MACRO known_crawls() AS (SELECT list(r.crawl) FROM runs r);
COMMENT ON MACRO known_crawls IS 'The crawls of the dataset, as a list';

CREATE OR REPLACE MACRO check_crawl(name) AS
    CASE WHEN name IS NULL OR list_contains(known_crawls(), name) THEN true
        ELSE error('unknown crawl ''' || name || ''': the nearest are ' || coalesce(nearest_values(name, known_crawls()), 'none, since there is no crawl')) END;
COMMENT ON MACRO check_crawl IS 'True if the dataset has this crawl, and for null, which means every crawl; otherwise an error that suggests crawls';

CREATE OR REPLACE MACRO check_crawls(names) AS
    CASE WHEN names IS NULL OR len(list_of(names)) > 0 AND list_count(list_of(names)) = len(list_of(names)) AND list_has_all(known_crawls(), list_of(names)) THEN true
        WHEN len(list_of(names)) = 1 AND list_of(names)[1] IS NOT NULL THEN check_crawl(list_of(names)[1])
        ELSE error('a list of crawls is expected, each of which FROM crawls() shows: ' || names::VARCHAR) END;
COMMENT ON MACRO check_crawls IS 'check_crawl for a crawl, or for all of a list of crawls';

CREATE OR REPLACE MACRO in_crawls(name, names) AS names IS NULL OR list_contains(list_of(names), name);
COMMENT ON MACRO in_crawls IS 'True if a crawl is the one that is asked for, or in the list of those: in_crawls(h.crawl, ''CC-MAIN-2025-38''); always true for null';

CREATE OR REPLACE MACRO check_choice(name, value, choices) AS
    CASE WHEN list_contains(choices, value) THEN true
        ELSE error('unknown ' || name || ' ' || coalesce('''' || value || '''', 'NULL') || ': choose one of ' || array_to_string(choices, ', ')) END;
COMMENT ON MACRO check_choice IS 'True if a list has this value; otherwise an error with the list: check_choice(''kind'', ''server'', [''firewall'', ''server''])';

CREATE OR REPLACE MACRO known_categories() AS (
    SELECT list(DISTINCT c.category) FROM (SELECT unnest([g.category, g.category2]) AS category FROM agents g) c WHERE c.category IS NOT NULL);
COMMENT ON MACRO known_categories IS 'The categories of the registry, as a list';

CREATE OR REPLACE MACRO categories_in(categories) AS regexp_extract_all(lower(categories::VARCHAR), '[^][, '']+');
COMMENT ON MACRO categories_in IS 'A category, or a list of categories, as a list: categories_in(''seo''), categories_in([''ai_training'', ''ai_search''])';

CREATE OR REPLACE MACRO check_categories(categories) AS (
    SELECT CASE WHEN u.given = 0 THEN error('no category is given: choose from ' || array_to_string(list_sort(u.known), ', '))
        WHEN u.unknown IS NULL THEN true
        ELSE error('unknown category ''' || u.unknown || ''': the nearest are ' || nearest_values(u.unknown, u.known)) END
    FROM (
        SELECT any_value(k.known) AS known, count(n.name) AS given, min(n.name) FILTER (NOT list_contains(k.known, n.name)) AS unknown
        FROM (SELECT known_categories() AS known) k
        LEFT JOIN (SELECT unnest(categories_in(categories)) AS name) n ON true) u);
COMMENT ON MACRO check_categories IS 'True if the registry has all these categories; otherwise an error that suggests categories';

-- Crawls in the order of time, with the number of archives from which their captures come, and for random samples the number from which
-- they were drawn. If the list had archives of several crawls, that is the number of all of them, and intervals are too wide. The times are
-- those of the authoritative captures of its hosts: they show a crawl whose name says another year than its records.
CREATE OR REPLACE MACRO crawls() AS TABLE
SELECT r.crawl, row_number() OVER (ORDER BY h.position NULLS LAST, r.crawl) AS position, coalesce(h.hosts, 0) AS hosts,
    h.first_fetch, h.median_fetch, h.last_fetch, r.archives_read, CASE WHEN r.is_sample THEN r.archives_listed END AS archives_listed, r.is_sample,
    CASE WHEN r.is_sample THEN {'archives_read': r.archives_read, 'archives_listed': r.archives_listed} END AS sample,
    meaning_of(r.crawl) AS meaning
FROM (
    SELECT x.crawl, sum(x.inputs)::BIGINT AS archives_read, max(x.listed_inputs) AS archives_listed, bool_or(x.sample_seed IS NOT NULL) AS is_sample
    FROM runs x GROUP BY x.crawl) r
LEFT JOIN (
    -- The upper part of host_id is the place of the crawl in the order of the times of first captures.
    SELECT t.crawl, min(t.host_id) // 4294967296 AS position, count(*) AS hosts, min(t.fetch_time) AS first_fetch,
        quantile_disc(t.fetch_time, 0.5) AS median_fetch, max(t.fetch_time) AS last_fetch
    FROM hosts t GROUP BY t.crawl) h ON h.crawl = r.crawl
ORDER BY position;
COMMENT ON MACRO TABLE crawls IS 'One row per crawl in the order of their first captures, with its hosts, the first, median and last time at which their authoritative captures were fetched (null if no capture has a time), and the archives that were read; sample is null unless archives were drawn at random; meaning is that of the rows (docs/limits.md#formats), which differs only where robots-scan join --mixed was used';

-- Verdicts. hosts has the verdict of '*' for every host, host_verdicts a row for every crawler that the rules of a host name. The
-- macros return a row for every host. Restrict a query to one crawl, and only the files of that crawl are read: with the
-- parameter crawl, of which an unknown one is an error, or after verdicts_of with WHERE v.crawl = '...'.
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
        min(o.place) FILTER (v.basis IN ('explicit', 'too_complex')) > 0 AS by_fallback,
        arg_min(v.verdict, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS verdict,
        arg_min(v.basis, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS basis,
        arg_min(v.root_allowed, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS root_allowed,
        arg_min(v.n_allow, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS n_allow,
        arg_min(v.n_disallow, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS n_disallow,
        arg_min_null(v.crawl_delay_ms, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS crawl_delay_ms,
        arg_min_null(v.evidence_line, o.place) FILTER (v.basis IN ('explicit', 'too_complex')) AS evidence_line,
        max(v.verdict_google) FILTER (o.place = 0) AS own_google,
        max(v.verdict_rfc9309) FILTER (o.place = 0) AS own_rfc9309,
        max(v.verdict_koster1996) FILTER (o.place = 0) AS own_koster1996
    FROM host_verdicts v
    JOIN obeyed o ON o.name = v.agent
    GROUP BY v.host_id, o.number
),
answers AS (
    SELECT h.*, a.name, a.category, m.by_fallback, m.verdict, m.basis, m.root_allowed, m.n_allow, m.n_disallow, m.crawl_delay_ms, m.evidence_line,
        m.own_google, m.own_rfc9309, m.own_koster1996,
        CASE WHEN m.has_group THEN 'group' WHEN NOT h.has_named_rows AND a.name <> '*' THEN 'unknown'
            WHEN a.ignores_wildcard AND h.wildcard_basis <> 'http_status' THEN 'none' ELSE '*' END AS obeys
    FROM hosts h
    CROSS JOIN asked a
    LEFT JOIN named m ON m.host_id = h.host_id AND m.number = a.number
)
SELECT w.crawl, w.host_id, w.surt_host_name, w.url_host_name, w.url, w.url_host_tld, w.url_host_registered_domain, w.domain, w.domain_id, w.archive_no,
    w.rules_robots_id, w.content_class, w.ruleset_id, w.template, w.name AS agent, w.category,
    CASE w.obeys WHEN 'group' THEN w.verdict WHEN 'none' THEN 'allow_all' WHEN 'unknown' THEN 'unknown' ELSE w.wildcard_verdict END AS verdict,
    CASE w.obeys WHEN 'unknown' THEN 'unknown' ELSE coalesce(w.own_google, w.wildcard_verdict_google) END AS verdict_google,
    CASE w.obeys WHEN 'unknown' THEN 'unknown' ELSE coalesce(w.own_rfc9309, w.wildcard_verdict_rfc9309) END AS verdict_rfc9309,
    CASE w.obeys WHEN 'unknown' THEN 'unknown' ELSE coalesce(w.own_koster1996, w.wildcard_verdict_koster1996) END AS verdict_koster1996,
    CASE w.obeys WHEN 'group' THEN w.basis WHEN 'none' THEN 'no_group' WHEN 'unknown' THEN 'too_complex' ELSE w.wildcard_basis END AS basis,
    CASE w.obeys WHEN 'group' THEN w.root_allowed WHEN 'none' THEN true WHEN '*' THEN w.wildcard_root_allowed END AS root_allowed,
    CASE w.obeys WHEN 'group' THEN w.crawl_delay_ms WHEN '*' THEN w.wildcard_crawl_delay_ms END AS crawl_delay_ms,
    CASE w.obeys WHEN 'group' THEN w.evidence_line WHEN '*' THEN w.wildcard_evidence_line END AS evidence_line,
    CASE w.obeys WHEN 'group' THEN w.n_allow WHEN 'none' THEN 0 WHEN '*' THEN w.wildcard_n_allow END AS n_allow,
    CASE w.obeys WHEN 'group' THEN w.n_disallow WHEN 'none' THEN 0 WHEN '*' THEN w.wildcard_n_disallow END AS n_disallow,
    w.obeys = 'group' AND w.by_fallback AS by_fallback
FROM answers w;
COMMENT ON MACRO TABLE verdicts_of IS 'One row per host and name with its verdict, for a list of crawler names: verdicts_of([''GPTBot'', ''CCBot''])';

CREATE OR REPLACE MACRO verdicts_for(agent, crawl := NULL, any_name := false) AS TABLE
WITH checked_agent AS MATERIALIZED (SELECT check_agents(agent, any_name) AND check_crawls(crawl) AS is_known)
SELECT v.* FROM verdicts_of(list_of(agent)) v, checked_agent c WHERE c.is_known AND in_crawls(v.crawl, crawl);
COMMENT ON MACRO TABLE verdicts_for IS 'One row per host with its verdict for this crawler, named in the file or not: verdicts_for(''GPTBot'', crawl := ''CC-MAIN-2025-38''); for a list of crawlers, one row per host and crawler. An unknown crawl is an error, and so is a name that is not in the registry, unless any_name := true';

CREATE OR REPLACE MACRO verdicts_in(categories, crawl := NULL) AS TABLE
WITH checked_categories AS MATERIALIZED (SELECT check_categories(categories) AND check_crawls(crawl) AS is_known)
SELECT v.* FROM verdicts_of((
    SELECT coalesce(list(DISTINCT g.agent), []) FROM agents g
    WHERE list_contains(categories_in(categories), g.category) OR list_contains(categories_in(categories), g.category2))) v, checked_categories c
WHERE c.is_known AND in_crawls(v.crawl, crawl);
COMMENT ON MACRO TABLE verdicts_in IS 'One row per host and crawler of the registry in these categories: verdicts_in([''ai_training'', ''ai_search''], crawl := ''CC-MAIN-2025-38''). Query one crawl at a time';

-- Hosts with a known verdict for a crawler, and the reason for which they block it.
CREATE OR REPLACE MACRO blocking(agent, crawl := NULL, any_name := false) AS TABLE
SELECT v.crawl, v.host_id, v.surt_host_name, v.url_host_name, v.url_host_tld, v.domain, v.domain_id, v.archive_no, v.ruleset_id, v.template,
    v.rules_robots_id, v.agent, v.verdict, v.basis, v.evidence_line,
    v.verdict = 'disallow_all' AND v.basis = 'explicit' AS by_name,
    v.verdict = 'disallow_all' AND v.basis NOT IN ('explicit', 'http_status') AS by_wildcard,
    v.verdict = 'disallow_all' AND v.basis = 'http_status' AS by_status
FROM verdicts_for(agent, crawl := crawl, any_name := any_name) v
WHERE v.verdict <> 'unknown';
COMMENT ON MACRO TABLE blocking IS 'One row per host and crawler with a known verdict, for a crawler or a list of crawlers, and whether all paths are disallowed by name, by the rules of * or by the HTTP status';

-- The origin of the line that blocks a crawler: 'vendor' for the lines that the vendor of the template is known to have written, 'site' for
-- another line of these files. Of the other files, 'site' for a block by name if the template writes none: WordPress (do_robots in
-- wp-includes/functions.php has no name but '*'), Drupal (its robots.txt as installed), and Yoast SEO, which names a crawler only if the site
-- chose so in its settings. 'unknown' otherwise; null if nothing or the status blocks.
CREATE OR REPLACE MACRO origin_of(by_name, by_wildcard, line_no, template, vendor_first_line, vendor_last_line) AS
    CASE WHEN NOT (by_name OR by_wildcard) THEN NULL
        WHEN line_no BETWEEN vendor_first_line AND vendor_last_line THEN 'vendor'
        WHEN vendor_first_line IS NOT NULL AND line_no IS NOT NULL THEN 'site'
        WHEN by_name AND template IN ('wordpress', 'yoast', 'drupal') THEN 'site'
        ELSE 'unknown' END;
COMMENT ON MACRO origin_of IS 'The origin of the line that blocks a crawler: site, vendor or unknown; null if no line blocks';

CREATE OR REPLACE MACRO block_origins(agent, crawl := NULL, any_name := false) AS TABLE
SELECT b.*, h.vendor_first_line, h.vendor_last_line, origin_of(b.by_name, b.by_wildcard, b.evidence_line, b.template, h.vendor_first_line, h.vendor_last_line) AS origin
FROM blocking(agent, crawl := crawl, any_name := any_name) b
JOIN hosts h ON h.crawl = b.crawl AND h.host_id = b.host_id
WHERE b.verdict = 'disallow_all' AND in_crawls(h.crawl, crawl);
COMMENT ON MACRO TABLE block_origins IS 'One row per host that blocks a crawler, or one of a list, with the origin of the line: site, vendor (of its software) or unknown; null for a block by the HTTP status: block_origins(agent := ''GPTBot'')';

-- The reason why a crawler cannot use a host, or 'no_block': of the host, not of the verdict, since a 403 allows everything by the
-- protocol and refuses in fact. The first line that applies decides (docs/verdicts.md#reasons).
CREATE OR REPLACE MACRO reason_of(fetch_status, waf_hint, is_challenge, verdict, basis, by_fallback) AS CASE
    WHEN verdict = 'unknown' THEN 'undecided'
    WHEN is_challenge OR fetch_status IN (401, 403, 429, 451, 999) OR fetch_status IN (405, 406, 418) AND waf_hint IS NOT NULL THEN 'refused'
    WHEN fetch_status = 402 THEN 'payment'
    WHEN fetch_status BETWEEN 500 AND 599 THEN 'origin_down'
    WHEN fetch_status BETWEEN 400 AND 499 THEN 'no_block'
    WHEN basis = 'http_status' THEN 'undecided'
    WHEN verdict <> 'disallow_all' THEN 'no_block'
    WHEN basis <> 'explicit' THEN 'wildcard'
    WHEN by_fallback THEN 'fallback_name'
    ELSE 'own_name' END;
COMMENT ON MACRO reason_of IS 'The reason why a crawler cannot use a host: own_name, fallback_name, wildcard (rules), refused, payment (a server), origin_down, undecided; or no_block';

-- Preferences. host_preferences has rows for '*' and for every crawler that the rules of a host name, if the host states something of
-- a mechanism. The mechanism any reads Content-Usage and Content-Signal together: count its categories training and search.
CREATE OR REPLACE MACRO preferences_for(agent, crawl := NULL, any_name := false) AS TABLE
WITH checked_preferences AS MATERIALIZED (SELECT check_agents(agent, any_name) AND check_crawls(crawl) AS is_known),
asked AS (
    SELECT n.agent, any_value(g.fallbacks) AS fallbacks FROM asked_agents(agent) n LEFT JOIN agents g ON lower(g.agent) = n.agent GROUP BY n.agent
),
-- The names whose rows a crawler may have, with its own at position 0: those of the first one that the host names, otherwise of '*'.
obeyed AS (
    SELECT a.agent, a.agent AS name, 0 AS place FROM asked a
    UNION ALL
    SELECT a.agent, trim(unnest(string_split(a.fallbacks, ','))), unnest(range(1, 1 + len(string_split(a.fallbacks, ',')))) FROM asked a
    UNION ALL
    SELECT a.agent, '*', 1000 FROM asked a WHERE a.agent <> '*'
),
found AS (
    SELECT p.*, o.agent AS asked_agent, o.place
    FROM host_preferences p
    JOIN obeyed o ON o.name = p.agent
    WHERE in_crawls(p.crawl, crawl)
    QUALIFY o.place = min(o.place) OVER (PARTITION BY p.host_id, o.agent, p.mechanism)
)
SELECT h.crawl, h.host_id, h.surt_host_name, h.url_host_name, h.domain, h.domain_id, h.archive_no, h.ruleset_id, h.rules_robots_id,
    f.asked_agent AS agent, f.mechanism, f.category,
    CASE WHEN f.agent = '*' AND f.asked_agent <> '*' AND NOT h.has_named_rows AND f.mechanism IN ('any', 'content-usage', 'content-signal') THEN 'too_complex' ELSE f.preference END AS preference,
    f.has_allowed, f.has_disallowed, f.has_unknown, f.evidence_line, f.address
FROM checked_preferences k
CROSS JOIN found f
JOIN hosts h ON h.host_id = f.host_id
WHERE k.is_known;
COMMENT ON MACRO TABLE preferences_for IS 'The preferences of hosts about the use of their content by this crawler, one row per host, mechanism and category: preferences_for(''*'', crawl := ''CC-MAIN-2025-38''); for a list of crawlers, rows for each. A crawler that a host does not name has the rows of *, and hosts that state nothing have none';

-- The categories of preferences that are about the purpose of a crawler, for a category of the registry. Training and search are
-- categories of the mechanism any.
CREATE OR REPLACE MACRO uses_of(category) AS CASE
    WHEN category IN ('ai_search', 'search_engine') THEN ['search']
    WHEN category IN ('ai_assistant', 'ai_agent') THEN ['ai-input', 'ai-output', 'ai-use']
    ELSE ['training'] END;
COMMENT ON MACRO uses_of IS 'The categories of preferences about the purpose of a crawler: uses_of(''ai_search'') is [''search'']; those about training for ai_training and for all categories that are neither search nor assistants';

-- Denominators. Questions that are not about one crawler count their hosts among these:
--
--   captured     hosts with a capture of /robots.txt
--   decided      hosts with a known verdict for '*', and with rows in host_verdicts for the names in their rules
--   successful   hosts with a 2xx response whose body is stored, of any content
--   rules        hosts whose file has rules, and is neither an HTML page nor binary data
CREATE OR REPLACE MACRO hosts_with(denominator, crawl := NULL) AS TABLE
WITH checked_hosts AS MATERIALIZED (SELECT check_crawls(crawl) AND check_choice('denominator', denominator, ['captured', 'decided', 'successful', 'rules']) AS is_known)
SELECT h.crawl, h.host_id, h.surt_host_name, h.url_host_name, h.url_host_tld, h.domain, h.domain_id, h.archive_no, h.ruleset_id, h.template, h.url,
    h.rules_robots_id, h.is_revisit, h.content_class, h.outcome, h.fetch_class, h.fetch_status,
    h.wildcard_verdict, h.wildcard_basis, h.n_named, h.has_named_rows
FROM hosts h, checked_hosts c
WHERE c.is_known AND in_crawls(h.crawl, crawl)
    AND CASE denominator WHEN 'decided' THEN h.wildcard_verdict <> 'unknown' AND h.has_named_rows WHEN 'successful' THEN h.content_class IS NOT NULL
        WHEN 'rules' THEN h.content_class = 'rules' ELSE true END;
COMMENT ON MACRO TABLE hosts_with IS 'The hosts of a denominator (captured, decided, successful, rules)';

-- A question over nothing is an error, since an answer without rows looks like a share of zero. DuckDB 1.1 needs other names of
-- parameters than those of hosts_with.
CREATE OR REPLACE MACRO check_hosts(hosts_of, crawl_names) AS
    CASE WHEN NOT check_crawls(crawl_names) THEN false
        WHEN EXISTS (SELECT 1 FROM hosts_with(hosts_of, crawl := crawl_names) h) THEN true
        ELSE error('no host of ' || CASE WHEN crawl_names IS NULL THEN 'this dataset' ELSE array_to_string(list_of(crawl_names), ' or ') END || CASE hosts_of WHEN 'captured' THEN ' has a capture of /robots.txt'
            WHEN 'decided' THEN ' has a known verdict for ''*''' WHEN 'successful' THEN ' has a 2xx response' ELSE ' has a file with rules' END
            || ': FROM denominators() shows what each crawl has') END;
COMMENT ON MACRO check_hosts IS 'True if the dataset has this crawl, or each of a list, and hosts of a denominator of hosts_with in them; otherwise an error';

-- Questions about two crawls take the first and the last in time that have hosts, unless others are given.
CREATE OR REPLACE MACRO two_crawls(from_crawl, to_crawl) AS TABLE
SELECT coalesce(from_crawl, o.first) AS first, coalesce(to_crawl, o.last) AS last,
    check_crawl(from_crawl) AND check_crawl(to_crawl) AND check_hosts('captured', NULL) AS is_known
FROM (SELECT arg_min(c.crawl, c.position) AS first, arg_max(c.crawl, c.position) AS last FROM crawls() c WHERE c.hosts > 0) o
WHERE CASE WHEN from_crawl IS NULL AND to_crawl IS NULL AND o.first = o.last
        THEN error('this question compares two crawls, and the dataset has hosts of one, ''' || o.first || ''': robots-scan join makes one dataset of several')
    WHEN from_crawl = to_crawl OR from_crawl = o.last AND to_crawl IS NULL OR to_crawl = o.first AND from_crawl IS NULL
    THEN error('two crawls are expected: from_crawl and to_crawl are the same') ELSE true END;
COMMENT ON MACRO TABLE two_crawls IS 'The two crawls of a question about changes, by default the first and the last: two_crawls(NULL, NULL)';

-- Shares. A question counts its hosts three times, with GROUPING SETS: per registered domain, per rule set and per archive. The column
-- part, which part_of makes, tells these rows apart:
--
--   domain     the hosts of one registered domain
--   single     all hosts that are alone in their domain, whose domain_id is null: one row, since grouping them by domain adds nothing
--   ruleset    the hosts with one rule set, or without one
--   archive    the hosts of one archive. Every host has one, so that sums over these rows are sums over hosts
--
-- A question about the hosts of each domain, such as a median, groups by coalesce(domain_id, host_id) instead, and has no row single.
-- The columns of answers are
--
--   share                each host counts once
--   share_of_domains     each registered domain counts once, in equal parts divided among its hosts in the denominator. A host without
--                        a registered domain (an IP address, a public suffix) counts as a domain
--   largest_domain       of the hosts counted, the share that the domain with most of them has; 1 means that all are of one domain
--   largest_ruleset      of the hosts counted, the share that have the most common rule set
--   low, high            the 95 percent interval of the share of hosts, if the archives of the crawl are a random sample; otherwise null.
--                        Archives are the unit that was drawn: the variance is that of a ratio of their totals, with the correction
--                        for a finite number of archives, and with Student's distribution (Cochran, Sampling Techniques, chapters 2
--                        and 6). Null for samples of fewer than five archives, and for the shares 0 and 1, whose
--                        error such a sample does not show
-- set_number is the result of grouping(): the bit of a column is set if the set does not group by it. For rows that are grouped by domain
-- alone, it is 1.
CREATE OR REPLACE MACRO part_of(set_number, domain_id) AS CASE
    WHEN set_number IN (1, 3) THEN CASE WHEN domain_id IS NULL THEN 'single' ELSE 'domain' END
    WHEN set_number = 5 THEN 'ruleset' ELSE 'archive' END;
COMMENT ON MACRO part_of IS 'The unit of a row of GROUPING SETS by domain_id, ruleset_id and archive_no, or without ruleset_id: part_of(grouping(domain_id, ruleset_id, archive_no), domain_id)';

-- Half the width of the interval for the ratio x / n of two totals over archives, from the sums of squares and products. The
-- polynomial is the quantile of Student's distribution for read - 1 degrees of freedom (Abramowitz and Stegun, 26.7.5).
CREATE OR REPLACE MACRO margin_of(x, n, xx, xn, nn, sample) AS
    CASE WHEN sample.archives_read >= 5 AND sample.archives_read < sample.archives_listed AND x > 0 AND x < n THEN
        (1.959964 + 2.372273 / (sample.archives_read - 1) + 2.822498 / (sample.archives_read - 1) ** 2 + 2.555852 / (sample.archives_read - 1) ** 3)
        * sqrt(greatest(0, (1 - sample.archives_read / sample.archives_listed) * sample.archives_read / (sample.archives_read - 1)
            * (xx - 2 * (x / n) * xn + (x / n) ** 2 * nn))) / n END;
COMMENT ON MACRO margin_of IS 'Half the width of the 95 percent interval of x / n, where x and n are totals over a random sample of archives';

CREATE OR REPLACE MACRO share_of_hosts(part, x, n) AS
    round(coalesce(sum(x) FILTER (part = 'archive'), 0) / sum(n) FILTER (part = 'archive'), 6);
COMMENT ON MACRO share_of_hosts IS 'The share x / n of hosts, over rows with the column part';

CREATE OR REPLACE MACRO domains_with(part, x) AS
    count(*) FILTER (part = 'domain' AND x > 0) + coalesce(sum(x) FILTER (part = 'single'), 0)::BIGINT;
COMMENT ON MACRO domains_with IS 'The number of registered domains with hosts x, over rows with the column part';

CREATE OR REPLACE MACRO weight_of_domains(part, x, n) AS
    coalesce(sum(x / n) FILTER (part = 'domain'), 0) + coalesce(sum(x) FILTER (part = 'single'), 0);
COMMENT ON MACRO weight_of_domains IS 'The sum of the parts x / n of registered domains, over rows with the column part';

CREATE OR REPLACE MACRO share_of_domains(part, x, n) AS round(weight_of_domains(part, x, n) / nullif(domains_with(part, n), 0), 6);
COMMENT ON MACRO share_of_domains IS 'The share x / n with each registered domain counted once, over rows with the column part';

CREATE OR REPLACE MACRO number_of_domains(domain_id) AS count(DISTINCT domain_id) + count(*) - count(domain_id);
COMMENT ON MACRO number_of_domains IS 'The number of registered domains of hosts of one crawl: number_of_domains(h.domain_id)';

CREATE OR REPLACE MACRO largest_domain(part, x) AS
    round(greatest(max(x) FILTER (part = 'domain'), max(1) FILTER (part = 'single' AND x > 0))
        / nullif(sum(x) FILTER (part IN ('domain', 'single')), 0), 6);
COMMENT ON MACRO largest_domain IS 'Of the hosts x, the share of the registered domain with most of them, over rows with the column part';

CREATE OR REPLACE MACRO largest_ruleset(part, ruleset_id, x) AS
    round(coalesce(max(x) FILTER (part = 'ruleset' AND ruleset_id IS NOT NULL), 0) / nullif(sum(x) FILTER (part = 'ruleset'), 0), 6);
COMMENT ON MACRO largest_ruleset IS 'Of the hosts x, the share with the most common rule set, over rows with the column part';

-- greatest and least ignore null, so that a share without a margin would get the interval from 0 to 1.
CREATE OR REPLACE MACRO lower_end(share, margin) AS CASE WHEN margin IS NOT NULL THEN round(greatest(0, share - margin), 6) END;
COMMENT ON MACRO lower_end IS 'The lower end of an interval around a share; null without a margin';

CREATE OR REPLACE MACRO upper_end(share, margin) AS CASE WHEN margin IS NOT NULL THEN round(least(1, share + margin), 6) END;
COMMENT ON MACRO upper_end IS 'The upper end of an interval around a share; null without a margin';

-- The columns of a question about one crawler, over rows that have all hosts of their unit. n: hosts with a known verdict.
CREATE OR REPLACE MACRO blocking_margin(part, x, n, sample) AS margin_of(
    sum(x) FILTER (part = 'archive'), sum(n) FILTER (part = 'archive'), sum(x * x) FILTER (part = 'archive'),
    sum(x * n) FILTER (part = 'archive'), sum(n * n) FILTER (part = 'archive'), sample);
COMMENT ON MACRO blocking_margin IS 'Half the width of the interval in blocking_shares';

CREATE OR REPLACE MACRO blocking_shares(part, ruleset_id, n, by_name, by_wildcard, by_status, sample) AS {
    'hosts': coalesce(sum(n) FILTER (part = 'archive'), 0)::BIGINT,
    'domains': domains_with(part, n),
    'hosts_blocked_by_name': coalesce(sum(by_name) FILTER (part = 'archive'), 0)::BIGINT,
    'blocked_by_name': share_of_hosts(part, by_name, n),
    'blocked_by_wildcard': share_of_hosts(part, by_wildcard, n),
    'blocked_by_status': share_of_hosts(part, by_status, n),
    'domains_blocked_by_name': share_of_domains(part, by_name, n),
    'domains_blocked_by_wildcard': share_of_domains(part, by_wildcard, n),
    'domains_blocked_by_status': share_of_domains(part, by_status, n),
    'largest_domain': largest_domain(part, by_name),
    'largest_ruleset': largest_ruleset(part, ruleset_id, by_name),
    'low': lower_end(share_of_hosts(part, by_name, n), blocking_margin(part, by_name, n, sample)),
    'high': upper_end(share_of_hosts(part, by_name, n), blocking_margin(part, by_name, n, sample))};
COMMENT ON MACRO blocking_shares IS 'The columns of a question about one crawler: shares of hosts and of registered domains that block it; the last four columns describe blocks by name';

-- The rows of a denominator, with their hosts n: one per crawl and registered domain, one per crawl for the hosts that are alone in their
-- domain, whose unit is null, and one per crawl and archive.
CREATE OR REPLACE MACRO units_of(denominator, crawl := NULL) AS TABLE
SELECT h.crawl, part_of(grouping(h.domain_id, h.archive_no), h.domain_id) AS part, coalesce(h.domain_id, h.archive_no) AS unit, count(*) AS n
FROM hosts_with(denominator, crawl := crawl) h
GROUP BY GROUPING SETS ((h.crawl, h.domain_id), (h.crawl, h.archive_no));
COMMENT ON MACRO TABLE units_of IS 'The registered domains and the archives of a denominator with the number of their hosts';

CREATE OR REPLACE MACRO rules_of_hosts(ids) AS TABLE
SELECT DISTINCT h.host_id, g.agent, r.allow, r.path
FROM hosts h
JOIN groups g ON g.crawl = h.crawl AND g.robots_id = h.rules_robots_id
LEFT JOIN rules r ON r.crawl = g.crawl AND r.robots_id = g.robots_id AND r.group_no = g.group_no AND r.counts AND NOT r.is_empty
WHERE list_contains(ids, h.host_id) AND g.counts AND g.agent <> '';
COMMENT ON MACRO TABLE rules_of_hosts IS 'The rules that count of each name in the files of hosts, by their host_id; a name without rules has one row';

-- The columns of a question that counts hosts x among the hosts of a denominator. n: hosts of the unit in the denominator, from
-- units_of; whole: the totals of the denominator, by whole_of, or null if the crawl has no such hosts.
--
-- Answers begin with crawls(), to which everything else is joined, so that a crawl in which nothing was counted has one row: hosts is
-- 0, and of_hosts and of_domains say among how many.
CREATE OR REPLACE MACRO whole_of(part, n) AS {
    'hosts': sum(n) FILTER (part = 'archive')::BIGINT,
    'domains': domains_with(part, n),
    'nn': sum(n * n) FILTER (part = 'archive')};
COMMENT ON MACRO whole_of IS 'The totals of the rows of units_of';

CREATE OR REPLACE MACRO share_margin(part, x, n, whole, sample) AS margin_of(
    sum(x) FILTER (part = 'archive'), whole.hosts, sum(x * x) FILTER (part = 'archive'), sum(x * n) FILTER (part = 'archive'), whole.nn, sample);
COMMENT ON MACRO share_margin IS 'Half the width of the interval in shares';

CREATE OR REPLACE MACRO shares(part, ruleset_id, x, n, whole, sample) AS {
    'hosts': coalesce(sum(x) FILTER (part = 'archive'), 0)::BIGINT,
    'of_hosts': coalesce(whole.hosts, 0),
    'share': round(coalesce(sum(x) FILTER (part = 'archive'), 0) / nullif(whole.hosts, 0), 6),
    'domains_any': domains_with(part, x),
    'of_domains': coalesce(whole.domains, 0),
    'share_of_domains': round(weight_of_domains(part, x, n) / nullif(whole.domains, 0), 6),
    'largest_domain': largest_domain(part, x),
    'largest_ruleset': largest_ruleset(part, ruleset_id, x),
    'low': lower_end(sum(x) FILTER (part = 'archive') / whole.hosts, share_margin(part, x, n, whole, sample)),
    'high': upper_end(sum(x) FILTER (part = 'archive') / whole.hosts, share_margin(part, x, n, whole, sample))};
COMMENT ON MACRO shares IS 'The columns of a question that counts hosts: how many of how many hosts and registered domains, their shares, concentration and interval';

-- The crawlers that most hosts name with a verdict, of a list of crawlers or, for null, of all; those that fewer than min_hosts hosts name are left out.
CREATE OR REPLACE MACRO named_with(verdict, crawl := NULL, top := 25, min_hosts := 30, among := NULL) AS TABLE
WITH ranking AS (
    SELECT v.crawl, v.agent, count(*) AS named
    FROM host_verdicts v
    WHERE v.basis = 'explicit' AND in_crawls(v.crawl, crawl) AND (among IS NULL OR list_contains(among, v.agent))
    GROUP BY v.crawl, v.agent
    HAVING count(*) >= min_hosts
    QUALIFY row_number() OVER (PARTITION BY v.crawl ORDER BY count(*) FILTER (v.verdict = verdict) DESC, count(*) DESC, v.agent) <= top
),
found AS (
    SELECT r.crawl, r.agent, h.domain_id, h.ruleset_id, h.archive_no
    FROM ranking r
    JOIN host_verdicts v ON v.crawl = r.crawl AND v.agent = r.agent
    JOIN hosts h ON h.host_id = v.host_id
    WHERE v.basis = 'explicit' AND v.verdict = verdict AND h.wildcard_verdict <> 'unknown' AND in_crawls(v.crawl, crawl)
),
parts AS (
    SELECT f.crawl, f.agent, f.ruleset_id, part_of(grouping(f.domain_id, f.ruleset_id, f.archive_no), f.domain_id) AS part,
        coalesce(f.domain_id, f.archive_no) AS unit, count(*) AS x
    FROM found f
    GROUP BY GROUPING SETS ((f.crawl, f.agent, f.domain_id), (f.crawl, f.agent, f.ruleset_id), (f.crawl, f.agent, f.archive_no))
),
units AS (
    SELECT u.crawl, u.part, u.unit, u.n FROM units_of('decided', crawl := crawl) u
),
wholes AS (
    SELECT u.crawl, whole_of(u.part, u.n) AS whole FROM units u GROUP BY u.crawl
)
SELECT c.position, c.crawl, r.agent, coalesce(any_value(r.named), 0) AS named, weight_of_domains(p.part, p.x, u.n) AS weight,
    unnest(shares(p.part, p.ruleset_id, p.x, u.n, any_value(w.whole), any_value(c.sample)))
FROM crawls() c
LEFT JOIN wholes w ON w.crawl = c.crawl
LEFT JOIN ranking r ON r.crawl = c.crawl
LEFT JOIN parts p ON p.crawl = c.crawl AND p.agent = r.agent
LEFT JOIN units u ON u.crawl = p.crawl AND u.part = p.part AND u.unit = p.unit
WHERE c.hosts > 0 AND in_crawls(c.crawl, crawl)
GROUP BY c.position, c.crawl, r.agent;
COMMENT ON MACRO TABLE named_with IS 'The crawlers that most hosts name with this verdict: how many of the hosts with a known verdict, and of the hosts that name them';

-- Lists of others, which questions join. A list that cannot be used is an error of one line that says what is expected.

-- The lines of a text file, without carriage returns. A file that does not exist has no lines.
CREATE OR REPLACE MACRO lines_of(file) AS TABLE
SELECT ltrim(rtrim(l.line, chr(13)), chr(65279)) AS line, l.line_no
FROM (SELECT unnest(string_split(t.content, chr(10))) AS line, generate_subscripts(string_split(t.content, chr(10)), 1) AS line_no
    FROM read_text(coalesce(file, '')) t) l
WHERE rtrim(l.line, chr(13)) <> '';
COMMENT ON MACRO TABLE lines_of IS 'The lines of a text file that are not empty; none if the file does not exist';

CREATE OR REPLACE MACRO host_of(url) AS regexp_extract(lower(trim(url)), '^(?:[a-z]+://)?([^/:]*)', 1);
COMMENT ON MACRO host_of IS 'The host of a URL, or of a host with a port or a path: host_of(''https://example.com/a'') is example.com';

CREATE OR REPLACE MACRO is_host_name(host) AS regexp_matches(lower(trim(host)), '^[a-z0-9_-]+([.][a-z0-9_-]+)*[.]?$');
COMMENT ON MACRO is_host_name IS 'True for the name of a host in ASCII, without a scheme, quotes, a port or a path';

CREATE OR REPLACE MACRO host_key(host) AS
    array_to_string(list_reverse(string_split(regexp_replace(rtrim(lower(trim(host)), '.'), '^www[.](.*[.].*)$', '\1'), '.')), ',');
COMMENT ON MACRO host_key IS 'The column surt_host_name of a host: host_key(''www.example.com'') is com,example';

-- A list of ranks, as Tranco publishes it: rank, domain.
CREATE OR REPLACE MACRO ranked_hosts(list) AS TABLE
WITH rank_lines AS MATERIALIZED (
    SELECT l.line_no, string_split(l.line, ',') AS fields FROM lines_of(list) l
),
checked_ranks AS MATERIALIZED (
    SELECT CASE WHEN list IS NULL THEN error('no list is given: list := ''tranco.csv'' is a CSV file of rank and domain without a header')
        WHEN count(*) = 0 THEN error('the list ''' || list || ''' does not exist or is empty: expected a CSV file of rank and domain without a header')
        WHEN count(*) FILTER (len(l.fields) <> 2 OR NOT regexp_matches(l.fields[1], '^[1-9][0-9]{0,17}$')) > 0
            THEN error('the list ''' || list || ''' has other columns: expected rank and domain without a header, such as 1,google.com; see line '
                || min(l.line_no) FILTER (len(l.fields) <> 2 OR NOT regexp_matches(l.fields[1], '^[1-9][0-9]{0,17}$')))
        WHEN count(*) FILTER (NOT is_host_name(l.fields[2])) > 0
            THEN error('the list ''' || list || ''' has a name that is not one of a host: expected example.com or xn--kln-sna.de, without scheme, quotes '
                || 'or path; see line ' || min(l.line_no) FILTER (NOT is_host_name(l.fields[2])))
        ELSE true END AS is_valid
    FROM rank_lines l
)
SELECT TRY_CAST(l.fields[1] AS BIGINT) AS rank, host_key(l.fields[2]) AS surt_host_name
FROM rank_lines l, checked_ranks k
WHERE k.is_valid;
COMMENT ON MACRO TABLE ranked_hosts IS 'The hosts of a rank list (a CSV file of rank and domain without a header), as surt_host_name';

-- A list of labels: a header with host or domain, label and perhaps weight. A host may have several labels.
CREATE OR REPLACE MACRO labelled_hosts(list) AS TABLE
WITH label_lines AS MATERIALIZED (
    SELECT l.line_no, string_split(l.line, ',') AS fields FROM lines_of(list) l
),
label_header AS MATERIALIZED (
    SELECT string_split(lower(array_to_string(l.fields, ',')), ',') AS names FROM label_lines l WHERE l.line_no = 1
),
bad_label AS MATERIALIZED (
    SELECT min(l.line_no) AS line_no
    FROM label_lines l, label_header h
    WHERE len(l.fields) <> len(h.names) OR l.line_no > 1 AND len(h.names) = 3 AND NOT coalesce(TRY_CAST(l.fields[3] AS DOUBLE) >= 0 AND isfinite(TRY_CAST(l.fields[3] AS DOUBLE)), false)
        OR l.line_no > 1 AND (NOT is_host_name(l.fields[1]) OR trim(l.fields[2]) IN ('', '""')
        OR starts_with(trim(l.fields[2]), '"'))
),
-- A registered domain may begin with www, such as www.gov.uk below the public suffix gov.uk.
www_names AS MATERIALIZED (
    SELECT min(lower(trim(l.fields[1]))) AS name
    FROM label_lines l, label_header h
    WHERE l.line_no > 1 AND h.names[1] = 'domain' AND regexp_matches(lower(trim(l.fields[1])), '^www[.].+[.].+$') AND lower(trim(l.fields[1])) NOT IN (
        SELECT t.url_host_registered_domain FROM hosts t WHERE starts_with(t.url_host_registered_domain, 'www.'))
),
two_weights AS MATERIALIZED (
    SELECT min(d.label) AS label
    FROM (SELECT trim(l.fields[2]) AS label FROM label_lines l, label_header h WHERE l.line_no > 1 AND len(h.names) = 3 AND len(l.fields) = 3
        GROUP BY trim(l.fields[2]) HAVING count(DISTINCT TRY_CAST(l.fields[3] AS DOUBLE)) > 1) d
),
checked_labels AS MATERIALIZED (
    SELECT CASE WHEN list IS NULL
            THEN error('no list is given: labels := ''labels.csv'' is a CSV file with the header domain,label or host,label, and perhaps a third column weight')
        WHEN (SELECT count(*) FROM label_lines) = 0
            THEN error('the list ''' || list || ''' does not exist or is empty: expected a CSV file with the header domain,label or host,label')
        WHEN (SELECT count(*) FROM label_header h
                WHERE array_to_string(h.names, ',') IN ('domain,label', 'host,label', 'domain,label,weight', 'host,label,weight')) = 0
            THEN error('the list ''' || list || ''' has other columns: expected the header domain,label or host,label, and perhaps a third column weight')
        WHEN (SELECT b.line_no FROM bad_label b) IS NOT NULL
            THEN error('the list ''' || list || ''' has other columns than its header, a name that is not one of a host, no label, quotes, '
                || 'or a weight that is not a number, in line ' || (SELECT b.line_no FROM bad_label b) || ': '''
                || (SELECT array_to_string(l.fields, ',') FROM label_lines l, bad_label b WHERE l.line_no = b.line_no)
                || '''; a name is written as example.com, not reversed (com,example) as in the columns surt_host_name and domain')
        WHEN (SELECT w.name FROM www_names w) IS NOT NULL
            THEN error('the list ''' || list || ''' has ''' || (SELECT w.name FROM www_names w) || ''', which is no registered domain: write '''
                || (SELECT regexp_replace(w.name, '^www[.]', '') FROM www_names w) || ''', or give hosts by the header host,label')
        WHEN (SELECT t.label FROM two_weights t) IS NOT NULL
            THEN error('the list ''' || list || ''' has two weights for the label ''' || (SELECT t.label FROM two_weights t) || '''')
        ELSE true END AS is_valid
)
SELECT DISTINCT h.names[1] = 'domain' AS is_domain, lower(trim(l.fields[1])) AS name, host_key(l.fields[1]) AS surt_host_name, trim(l.fields[2]) AS label,
    CASE len(h.names) WHEN 3 THEN TRY_CAST(l.fields[3] AS DOUBLE) END AS weight
FROM label_lines l, label_header h, checked_labels k
WHERE k.is_valid AND l.line_no > 1;
COMMENT ON MACRO TABLE labelled_hosts IS 'The hosts or domains of a list of labels: a CSV file with the header domain,label or host,label, and perhaps a third column weight';

-- The ranks of hosts in a web graph of Common Crawl, as published (cc-main-...-host-ranks.txt.gz): five columns separated by tabs.
CREATE OR REPLACE MACRO webgraph_hosts(ranks) AS TABLE
WITH graph_lines AS (
    SELECT string_split(l.line, chr(9)) AS fields
    FROM read_csv(coalesce(ranks, 'no ranks are given: ranks := ''cc-main-2025-26-nov-dec-jan-host-ranks.txt.gz'''), header = false, auto_detect = false,
        delim = chr(1), quote = '', escape = '', columns = {'line': 'VARCHAR'}) l
),
checked_graph AS MATERIALIZED (
    SELECT CASE WHEN count(*) FILTER (array_to_string(g.fields, ' ') = '#harmonicc_pos #harmonicc_val #pr_pos #pr_val #host_rev') = 1
            AND count(*) FILTER (len(g.fields) <> 5) = 0 THEN true
        ELSE error('the file ''' || ranks || ''' does not have the ranks of hosts: expected the columns #harmonicc_pos, #harmonicc_val, #pr_pos, #pr_val '
            || 'and #host_rev, separated by tabs, as in host-ranks.txt.gz of a web graph of Common Crawl') END AS is_valid
    FROM graph_lines g
)
SELECT TRY_CAST(g.fields[1] AS BIGINT) AS rank, TRY_CAST(g.fields[2] AS DOUBLE) AS harmonic_centrality, regexp_replace(replace(g.fields[5], '.', ','), '^(.+,.+),www$', '\1') AS surt_host_name
FROM graph_lines g, checked_graph k
WHERE k.is_valid AND NOT starts_with(g.fields[1], '#');
COMMENT ON MACRO TABLE webgraph_hosts IS 'The hosts of a web graph of Common Crawl with the rank of their harmonic centrality: webgraph_hosts(''host-ranks.txt.gz'')';

-- Common Crawl's host index (cc-host-index). Columns that a file does not have would be null, so they are checked.
CREATE OR REPLACE MACRO host_index(index) AS TABLE
WITH checked_index AS MATERIALIZED (
    SELECT CASE WHEN count(DISTINCT s.name) < 3 THEN error('''' || index || ''' is not the host index of Common Crawl: expected Parquet files with '
            || 'the columns surt_host_name, hcrank10 and fetch_200, and crawl as a column or in the path')
        WHEN (SELECT count(*) FROM (SELECT NULL::VARCHAR AS crawl WHERE false UNION ALL BY NAME
                SELECT x.* FROM read_parquet(coalesce(index, 'no index is given: index := ''host-index/crawl=*/*.parquet'' are Parquet files of cc-host-index'), hive_partitioning = true, hive_types_autocast = false, union_by_name = true) x) y
                WHERE y.crawl IN (SELECT c.crawl FROM crawls() c)) = 0
            THEN error('the host index ''' || index || ''' has no rows of the crawls of this dataset: ' || (SELECT string_agg(c.crawl, ', ' ORDER BY c.crawl) FROM crawls() c))
        ELSE true END AS is_valid
    FROM parquet_schema(coalesce(index, 'no index is given: index := ''host-index/crawl=*/*.parquet'' are Parquet files of cc-host-index')) s
    WHERE s.name IN ('surt_host_name', 'hcrank10', 'fetch_200')
)
SELECT i.crawl, i.surt_host_name, i.hcrank10, i.fetch_200
FROM (
    SELECT NULL::VARCHAR AS crawl, NULL::VARCHAR AS surt_host_name, NULL::DOUBLE AS hcrank10, NULL::INTEGER AS fetch_200 WHERE false
    UNION ALL BY NAME
    SELECT r.* FROM read_parquet(coalesce(index, 'no index is given: index := ''host-index/crawl=*/*.parquet'' are Parquet files of cc-host-index'), hive_partitioning = true, hive_types_autocast = false, union_by_name = true) r) i, checked_index k
WHERE k.is_valid;
COMMENT ON MACRO TABLE host_index IS 'The host index of Common Crawl, by the name of its Parquet files: host_index(''host-index/crawl=*/*.parquet'')';

CREATE OR REPLACE MACRO line_text(key, has_colon, value) AS key || CASE WHEN has_colon THEN ': ' ELSE ' ' END || value;
COMMENT ON MACRO line_text IS 'A line of a robots.txt file without its comment, rebuilt from the columns key_raw, has_colon and path_raw or agent_raw';

-- Evidence: the record and the line behind the verdict of each host.
CREATE OR REPLACE MACRO evidence(agent, crawl := NULL, any_name := false) AS TABLE
SELECT v.crawl, v.surt_host_name, v.url_host_name, v.agent, v.verdict, v.basis, v.evidence_line AS line_no,
    coalesce(line_text(x.key_raw, x.has_colon, x.path_raw), line_text(g.key_raw, g.has_colon, g.agent_raw)) AS line,
    r.url, r.fetch_time, r.fetch_status, r.content_digest, r.warc_filename, r.warc_record_offset, r.warc_record_length, r.warc_record_in_member
FROM verdicts_for(agent, crawl := crawl, any_name := any_name) v
JOIN robots_files r ON r.crawl = v.crawl AND r.robots_id = v.rules_robots_id
LEFT JOIN rules x ON x.crawl = v.crawl AND x.robots_id = v.rules_robots_id AND x.line_no = v.evidence_line
LEFT JOIN groups g ON g.crawl = v.crawl AND g.robots_id = v.rules_robots_id AND g.line_no = v.evidence_line;
COMMENT ON MACRO TABLE evidence IS 'One row per host with its verdict for a crawler or for each of a list of crawlers, the WARC record whose rules apply, and the line that proves the verdict: evidence(''GPTBot'')';
