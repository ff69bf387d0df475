
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

CREATE OR REPLACE MACRO reasons_for(agent, crawl := NULL, any_name := false) AS TABLE
WITH challenges AS (
    SELECT DISTINCT a.crawl, a.robots_id FROM anomalies a WHERE a.code = 'challenge_page' AND in_crawls(a.crawl, crawl)
)
SELECT v.*, r.waf_hint, c.robots_id IS NOT NULL AS is_challenge,
    reason_of(r.fetch_status, r.waf_hint, c.robots_id IS NOT NULL, v.verdict, v.basis, v.by_fallback) AS reason
FROM verdicts_for(agent, crawl := crawl, any_name := any_name) v
JOIN robots_files r ON r.crawl = v.crawl AND r.robots_id = v.rules_robots_id
LEFT JOIN challenges c ON c.crawl = v.crawl AND c.robots_id = v.rules_robots_id
WHERE in_crawls(r.crawl, crawl);
COMMENT ON MACRO TABLE reasons_for IS 'One row per host and crawler with the reason why the crawler cannot use the host, or no_block: reasons_for([''GPTBot'', ''CCBot''], crawl := ''CC-MAIN-2025-38'')';
