-- The rules of the tables `hosts` and `host_verdicts` in SQL, by plain joins over the tables of captures: an oracle that shares
-- no code with src/hosts. tests/python/test_hosts.py compares the two. The rows are computed when the file is executed.

-- The rank of the answer of one capture; 0 is the most decisive:
--   0  content was fetched (2xx), or such content was found for a revisit
--   1  the status alone allows all (such as 404 and 410)
--   2  401 or 403: RFC 9309 allows all, but crawlers differ (Common Crawl's stays away), so a clearer answer is preferred
--   3  temporary: 429, 5xx, no usable response
--   4  none: a redirect that was not followed to its end, a 304, a revisit without content in its crawl, a response of which
--      bytes are missing
CREATE OR REPLACE MACRO oracle_rank(outcome, fetch_class, effect, is_revisit, is_filled, status, content_class) AS
    CASE
        WHEN is_revisit AND NOT is_filled THEN 4
        WHEN is_revisit AND (status IS NULL OR status = 304) THEN 0
        WHEN outcome = 'redirect' THEN 4
        WHEN outcome = 'successful' AND NOT is_revisit AND content_class IS NULL THEN 4
        WHEN outcome = 'successful' THEN 0
        WHEN effect = 'defer' THEN 4
        WHEN fetch_class IN ('unauthorized', 'forbidden') THEN 2
        WHEN effect = 'allow_all' THEN 1
        ELSE 3
    END;

-- The capture that supplies the content of a revisit: same crawl, digest and status; the same URL first, then the latest not after
-- it, otherwise the earliest.
CREATE OR REPLACE TEMP TABLE oracle_revisits AS
WITH wanted AS (
    SELECT f.crawl, f.robots_id, f.url, f.content_digest, coalesce(f.fetch_time, TIMESTAMP '1970-01-01') AS fetch_time,
        CASE WHEN f.fetch_status IS NULL OR f.fetch_status = 304 OR f.outcome = 'successful' THEN 200 ELSE f.fetch_status END AS answer
    FROM robots_files f
    WHERE f.is_revisit AND f.content_digest IS NOT NULL
        AND NOT coalesce(f.fetch_status = 304 AND f.content_digest = '3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ', false)
),
kept AS (
    SELECT f.crawl, f.robots_id, f.url, f.content_digest, coalesce(f.fetch_time, TIMESTAMP '1970-01-01') AS fetch_time,
        CASE WHEN f.outcome = 'successful' THEN 200 ELSE f.fetch_status END AS answer
    FROM robots_files f
    WHERE NOT f.is_revisit AND (f.content_class IS NOT NULL OR f.outcome = 'unavailable')
)
SELECT w.crawl, w.robots_id, k.robots_id AS filled_by
FROM wanted w
JOIN kept k ON k.crawl = w.crawl AND k.content_digest = w.content_digest AND k.answer = w.answer
QUALIFY row_number() OVER (
    PARTITION BY w.crawl, w.robots_id
    ORDER BY k.url <> w.url, k.fetch_time > w.fetch_time, abs(epoch_us(k.fetch_time) - epoch_us(w.fetch_time)),
        k.url DESC, k.robots_id DESC) = 1;

-- The end of the redirects of a request for robots.txt: up to five hops within one crawl. A URL that was captured several times is
-- represented by one capture, the same for every chain: the most decisive one, then the latest, then the smallest robots_id.
CREATE OR REPLACE TEMP TABLE oracle_redirects AS
WITH pages AS (
    SELECT f.crawl, f.url,
        arg_min(
            {'robots_id': f.robots_id, 'url': f.url, 'follows': f.effect_google = 'follow',
             'next_url': CASE WHEN f.effect_google = 'follow' THEN f.fetch_redirect END,
             'answer_rank': oracle_rank(f.outcome, f.fetch_class, f.effect_google, f.is_revisit, v.filled_by IS NOT NULL, f.fetch_status, f.content_class),
             'rules_robots_id': coalesce(v.filled_by, f.robots_id)},
            {'rank': oracle_rank(f.outcome, f.fetch_class, f.effect_google, f.is_revisit, v.filled_by IS NOT NULL, f.fetch_status, f.content_class),
             'age': -coalesce(epoch_us(f.fetch_time), 0), 'robots_id': f.robots_id}
        ) AS page
    FROM robots_files f
    LEFT JOIN oracle_revisits v ON v.crawl = f.crawl AND v.robots_id = f.robots_id
    JOIN (SELECT DISTINCT crawl, fetch_redirect FROM robots_files WHERE effect_google = 'follow' AND fetch_redirect IS NOT NULL) t
        ON t.crawl = f.crawl AND t.fetch_redirect = f.url
    GROUP BY f.crawl, f.url
),
chains AS (
    SELECT f.crawl, f.robots_id,
        (p1.page IS NOT NULL)::INTEGER + (p2.page IS NOT NULL)::INTEGER + (p3.page IS NOT NULL)::INTEGER
            + (p4.page IS NOT NULL)::INTEGER + (p5.page IS NOT NULL)::INTEGER AS hops,
        coalesce(p5.page, p4.page, p3.page, p2.page, p1.page) AS last,
        f.fetch_redirect AS first_url
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
SELECT c.crawl, c.robots_id, c.hops, c.last.robots_id AS target_robots_id, coalesce(NOT c.last.follows, false) AS resolved,
    CASE WHEN coalesce(NOT c.last.follows, false) THEN 'resolved'
        WHEN c.hops = 5 THEN 'too_many'
        WHEN n.page IS NULL THEN 'not_captured'
        ELSE 'loop' END AS redirect_end,
    c.last.answer_rank AS answer_rank, c.last.rules_robots_id AS rules_robots_id
FROM chains c
LEFT JOIN pages n ON n.crawl = c.crawl AND n.url = coalesce(c.last.next_url, c.first_url);

CREATE OR REPLACE TEMP TABLE oracle_hosts AS
WITH ranked AS (
    SELECT f.*, CASE WHEN r.resolved THEN r.rules_robots_id ELSE coalesce(v.filled_by, f.robots_id) END AS rules_robots_id,
        coalesce(r.hops, 0) AS n_redirects, r.redirect_end,
        oracle_rank(f.outcome, f.fetch_class, f.effect_google, f.is_revisit, v.filled_by IS NOT NULL, f.fetch_status, f.content_class) AS own_rank,
        CASE WHEN r.resolved THEN r.answer_rank ELSE own_rank END AS rank,
        CASE WHEN (f.content_class IS NOT NULL OR f.is_revisit AND f.outcome = 'successful' OR f.is_revisit AND (f.fetch_status IS NULL OR f.fetch_status = 304))
            AND NOT coalesce(f.fetch_status = 304 AND f.content_digest = '3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ', false)
            THEN f.content_digest END AS content
    FROM robots_files f
    LEFT JOIN oracle_redirects r ON r.crawl = f.crawl AND r.robots_id = f.robots_id
    LEFT JOIN oracle_revisits v ON v.crawl = f.crawl AND v.robots_id = f.robots_id
    WHERE f.is_robots_path AND f.surt_host_name IS NOT NULL
),
changes AS (
    SELECT crawl, surt_host_name, max(changed) AS n_changes
    FROM (
        SELECT crawl, surt_host_name, url, count(*) FILTER (content <> before) AS changed
        FROM (
            SELECT crawl, surt_host_name, url, content, lag(content) OVER (
                PARTITION BY crawl, surt_host_name, url ORDER BY fetch_time NULLS FIRST, own_rank, robots_id) AS before
            FROM ranked WHERE content IS NOT NULL)
        GROUP BY ALL)
    GROUP BY ALL
),
selected AS (
    SELECT *, count(*) OVER (PARTITION BY crawl, surt_host_name) AS n_captures
    FROM ranked
    QUALIFY row_number() OVER (
        PARTITION BY crawl, surt_host_name
        ORDER BY rank, url_protocol <> 'https', url_port IS NOT NULL, fetch_time DESC NULLS LAST, robots_id) = 1
)
SELECT s.crawl, s.surt_host_name, s.url_host_name, s.url_host_registered_domain, s.url_host_tld, s.url_protocol,
    -- Without a user and a final dot of the host: robots_files has the URL of the capture as it is.
    regexp_replace(regexp_replace(s.url, '^([a-z]+://)[^/?]*@', '\1'), '^([a-z]+://[^/:?]*)[.]([:/?])', '\1\2') AS url, s.fetch_time,
    s.robots_id AS authoritative_robots_id, s.rules_robots_id, s.n_redirects, s.redirect_end,
    r.fetch_status, r.is_revisit, r.content_class, r.ruleset_id, r.template,
    w.verdict AS wildcard_verdict, w.verdict_google AS wildcard_verdict_google, w.verdict_rfc9309 AS wildcard_verdict_rfc9309,
    w.verdict_koster1996 AS wildcard_verdict_koster1996, w.basis AS wildcard_basis, w.root_allowed AS wildcard_root_allowed,
    w.n_allow AS wildcard_n_allow, w.n_disallow AS wildcard_n_disallow, w.crawl_delay_ms AS wildcard_crawl_delay_ms,
    w.evidence_line AS wildcard_evidence_line,
    coalesce(n.n_named, 0) AS n_named,
    is_own OR coalesce(n.name_count, 0) <= 2000 AND
        -- The rows of the hosts of the crawl with the rules of other captures, of files with up to as many names.
        coalesce(sum(n.name_count) FILTER (NOT is_own AND n.name_count <= 2000) OVER (
            PARTITION BY s.crawl ORDER BY coalesce(n.name_count, 0)
            RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), 0)
        <= 25000000 + 25 * count(*) OVER (PARTITION BY s.crawl) AS has_named_rows,
    s.n_captures, coalesce(c.n_changes, 0) AS n_changes, r.outcome, r.fetch_class
FROM (SELECT *, rules_robots_id = robots_id AS is_own FROM selected) s
JOIN robots_files r ON r.crawl = s.crawl AND r.robots_id = s.rules_robots_id
JOIN verdicts w ON w.crawl = s.crawl AND w.robots_id = s.rules_robots_id AND w.agent = '*'
LEFT JOIN changes c ON c.crawl = s.crawl AND c.surt_host_name = s.surt_host_name
LEFT JOIN (
    SELECT v.crawl, v.robots_id, count(*) AS n_named,
        -- Names as the limit counts them: one for each 64 bytes that are begun.
        sum(greatest(ceil(strlen(v.agent) / 64), 1)) AS name_count
    FROM verdicts v
    JOIN verdicts a ON a.crawl = v.crawl AND a.robots_id = v.robots_id AND a.agent = '*'
    WHERE v.agent <> '*' AND (v.basis IN ('explicit', 'too_complex') OR v.verdict_google <> a.verdict_google
        OR v.verdict_rfc9309 <> a.verdict_rfc9309 OR v.verdict_koster1996 <> a.verdict_koster1996)
    GROUP BY ALL) n ON n.crawl = s.crawl AND n.robots_id = s.rules_robots_id;

CREATE OR REPLACE TEMP TABLE oracle_host_verdicts AS
SELECT h.crawl, v.agent, h.surt_host_name, h.url_host_registered_domain, v.verdict, v.verdict_google, v.verdict_rfc9309,
    v.verdict_koster1996, v.basis, v.root_allowed, v.n_allow, v.n_disallow, v.crawl_delay_ms, v.evidence_line
FROM oracle_hosts h
JOIN verdicts v ON v.crawl = h.crawl AND v.robots_id = h.rules_robots_id AND v.agent <> '*'
WHERE h.has_named_rows AND (v.basis IN ('explicit', 'too_complex')
    OR v.verdict_google <> h.wildcard_verdict_google
    OR v.verdict_rfc9309 <> h.wildcard_verdict_rfc9309
    OR v.verdict_koster1996 <> h.wildcard_verdict_koster1996);

CREATE OR REPLACE TEMP TABLE oracle_host_preferences AS
SELECT h.crawl, p.agent, h.surt_host_name, h.url_host_registered_domain, p.mechanism, p.category, p.preference, p.has_allowed,
    p.has_disallowed, p.has_unknown, p.evidence_line, p.address
FROM oracle_hosts h
JOIN file_preferences p ON p.crawl = h.crawl AND p.robots_id = h.rules_robots_id
WHERE p.agent = '*' OR h.has_named_rows;
