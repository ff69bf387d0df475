
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
