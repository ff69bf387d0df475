-- Which hosts block a crawler by name, since when, and by which line?
-- Title: first block of each host
--
-- Denominator: none: a list of the hosts of which a capture blocks the crawler by name, limited to top. hosts is their number before the limit.
-- Pitfall: with seen_to_begin, an earlier capture of the host decides and does not block: the block began between last_without and
-- first_blocking. Otherwise nobody knows since when. The block may have ended later. Fallbacks of the crawler are not considered.
-- Columns: agent; hosts: hosts found, without the limit; surt_host_name, url_host_name: the host; seen_to_begin; last_without: the time of the last
-- capture before that decides and does not block; first_crawl, first_blocking: the crawl and the time of the first capture that blocks;
-- line_no, line: the line that proves it; policy_id: the key of its rules.
CREATE OR REPLACE MACRO first_block_of_hosts(agent := 'GPTBot', top := 1000, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_named_agents(agent, any_name) AND check_count('top', top) AS is_known
),
named AS (
    SELECT n.agent, n.surt_host_name, n.first_period_no, n.first_period_no + n.n_periods AS end_no, n.verdict,
        n.verdict = 'disallow_all' AND n.basis = 'explicit' AS is_blocking
    FROM agent_periods n
    WHERE n.agent IN (SELECT a.agent FROM asked_agents(agent) a) AND n.basis IN ('explicit', 'too_complex')
),
blocks AS (
    SELECT b.agent, b.surt_host_name, min(b.first_period_no) AS period_no FROM named b WHERE b.is_blocking GROUP BY b.agent, b.surt_host_name
),
-- The periods before the first block that decide for the crawler.
before AS (
    SELECT b.agent, b.surt_host_name, max(p.last_fetch) AS last_without
    FROM blocks b
    JOIN host_periods p ON p.surt_host_name = b.surt_host_name AND p.period_no < b.period_no
    LEFT JOIN named n ON n.agent = b.agent AND n.surt_host_name = p.surt_host_name AND p.period_no >= n.first_period_no AND p.period_no < n.end_no
    WHERE CASE WHEN n.agent IS NOT NULL THEN n.verdict <> 'unknown' ELSE p.has_named_rows AND p.wildcard_verdict <> 'unknown'
        AND NOT (p.wildcard_basis = 'http_status' AND p.wildcard_verdict = 'disallow_all') END
    GROUP BY b.agent, b.surt_host_name
),
answer AS (
    SELECT b.agent, count(*) OVER (PARTITION BY b.agent) AS hosts, b.surt_host_name, p.url_host_name, f.last_without IS NOT NULL AS seen_to_begin, f.last_without,
        p.first_crawl, p.first_fetch AS first_blocking, v.evidence_line AS line_no,
        x.key_raw || CASE WHEN x.has_colon THEN ': ' ELSE ' ' END || x.path_raw AS line, p.policy_id
    FROM blocks b
    JOIN host_periods p ON p.surt_host_name = b.surt_host_name AND p.period_no = b.period_no
    LEFT JOIN before f ON f.agent = b.agent AND f.surt_host_name = b.surt_host_name
    LEFT JOIN policy_verdicts v ON v.policy_id = p.policy_id AND v.agent = b.agent
    LEFT JOIN policy_rules x ON x.policy_id = p.policy_id AND x.line_no = v.evidence_line
    QUALIFY row_number() OVER (PARTITION BY b.agent ORDER BY p.first_fetch, b.surt_host_name) <= top
)
SELECT s.*
FROM checked k
LEFT JOIN answer s ON true
WHERE s.agent IS NOT NULL OR NOT k.is_known
ORDER BY s.agent, s.first_blocking, s.surt_host_name;

FROM first_block_of_hosts();
