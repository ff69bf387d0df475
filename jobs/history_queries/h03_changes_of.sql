-- What changed on one host, and when?
-- Title: what changed on a host
--
-- Denominator: none. One row per period of the host: consecutive captures with the same state.
-- Pitfall: a change happened between the last capture of a period and the first one of the next, and may have been undone in between. Crawls
-- without a capture of the host say nothing. changed compares with the period before, except that a revisit is compared in no other way than its
-- origin; policy means other lines, or other line numbers. An empty list means that the host is as it was before a revisit, or that only a
-- revisit was seen before.
-- Columns: first_crawl, first_fetch, last_crawl, last_fetch, n_captures: the period; changed: what differs from the period before; url,
-- fetch_status, redirect_end, is_revisit, content_class: the response; wildcard_verdict, wildcard_basis, n_named: its rules for *, and the
-- number of names; policy_id, preferences_id: equal for equal lines.
CREATE OR REPLACE MACRO changes_of(host) AS TABLE
WITH periods AS (
    SELECT p.*, concat(p.url_protocol, '://', p.url_host_name, ':' || p.url_port) AS origin, coalesce(p.policy_id, '') AS policy, coalesce(p.preferences_id, '') AS preferences,
        coalesce(p.fetch_status, 0) AS status, coalesce(p.content_class, '') AS class, concat(p.n_redirects, p.redirect_end) AS redirects
    FROM host_periods p
    WHERE p.surt_host_name = surt_of(host)
),
-- The last values before each period; revisits do not say what they contain.
compared AS (
    SELECT p.*, lag(p.origin) OVER (ORDER BY p.period_no) AS origin_before,
        last_value(CASE WHEN NOT p.is_revisit THEN p.policy END IGNORE NULLS) OVER before AS policy_before,
        last_value(CASE WHEN NOT p.is_revisit THEN p.preferences END IGNORE NULLS) OVER before AS preferences_before,
        last_value(CASE WHEN NOT p.is_revisit THEN p.status END IGNORE NULLS) OVER before AS status_before,
        last_value(CASE WHEN NOT p.is_revisit THEN p.class END IGNORE NULLS) OVER before AS class_before,
        last_value(CASE WHEN NOT p.is_revisit THEN p.redirects END IGNORE NULLS) OVER before AS redirects_before
    FROM periods p
    WINDOW before AS (ORDER BY p.period_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT p.first_crawl, p.first_fetch, p.last_crawl, p.last_fetch, p.n_captures,
    CASE WHEN p.origin_before IS NOT NULL THEN list_filter([
        CASE WHEN p.origin <> p.origin_before THEN 'origin' END,
        CASE WHEN p.is_revisit THEN 'revisit' END,
        CASE WHEN NOT p.is_revisit AND p.redirects <> p.redirects_before THEN 'redirects' END,
        CASE WHEN NOT p.is_revisit AND p.status <> p.status_before THEN 'status' END,
        CASE WHEN NOT p.is_revisit AND p.class <> p.class_before THEN 'content_class' END,
        CASE WHEN NOT p.is_revisit AND p.policy <> p.policy_before THEN 'policy' END,
        CASE WHEN NOT p.is_revisit AND p.preferences <> p.preferences_before THEN 'preferences' END], lambda what: what IS NOT NULL) END AS changed,
    concat(p.url_protocol, '://', p.url_host_name, coalesce(':' || p.url_port, ''), '/robots.txt') AS url, p.fetch_status, p.redirect_end, p.is_revisit, p.content_class,
    p.wildcard_verdict, p.wildcard_basis, p.n_named, p.policy_id, p.preferences_id
FROM compared p
ORDER BY p.period_no;

FROM changes_of('example.com');
