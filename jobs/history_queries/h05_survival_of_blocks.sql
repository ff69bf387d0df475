-- How long does a block of a crawler by name last?
-- Title: how long blocks last
--
-- Denominator: at_risk, the blocks that were seen to begin (an earlier capture decides and does not block) and that were observed for this long. The
-- share that still lasts is an estimate of Kaplan and Meier: a block that is there at the last capture that decides counts until then.
-- Pitfall: a block ends at the first capture that decides and does not block, and may have ended earlier. Revisits, redirects without end, 429 and
-- 5xx, and rules whose names are not known decide nothing. Blocks that were there at the first capture of a host are left out, as nobody knows their age.
-- Columns: agent; from_day, to_day: the age of the block; at_risk: blocks that were observed for this long; ended, not_seen_longer: blocks
-- that ended, and those not observed longer; still_blocking: the estimated share that lasts beyond.
CREATE OR REPLACE MACRO survival_of_blocks(agent := 'GPTBot', step_days := 90, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_named_agents(agent, any_name) AND check_count('step_days', step_days) AS is_known
),
named AS (
    SELECT n.agent, n.surt_host_name, n.first_period_no, n.first_period_no + n.n_periods AS end_no, n.verdict,
        n.verdict = 'disallow_all' AND n.basis = 'explicit' AS is_blocking
    FROM agent_periods n
    WHERE n.agent IN (SELECT a.agent FROM asked_agents(agent) a) AND n.basis IN ('explicit', 'too_complex')
),
blocking_hosts AS (
    SELECT DISTINCT n.agent, n.surt_host_name FROM named n WHERE n.is_blocking
),
-- The periods that decide for the crawler, of hosts that ever block it.
deciding AS (
    SELECT h.agent, p.surt_host_name, p.period_no, p.first_fetch, p.last_fetch, coalesce(n.is_blocking, false) AS is_blocking
    FROM blocking_hosts h
    JOIN host_periods p ON p.surt_host_name = h.surt_host_name
    LEFT JOIN named n ON n.agent = h.agent AND n.surt_host_name = p.surt_host_name AND p.period_no >= n.first_period_no AND p.period_no < n.end_no
    WHERE CASE WHEN n.agent IS NOT NULL THEN n.verdict <> 'unknown' ELSE p.has_named_rows AND p.wildcard_verdict <> 'unknown'
        AND NOT (p.wildcard_basis = 'http_status' AND p.wildcard_verdict = 'disallow_all') END
),
ordered AS (
    SELECT d.*, lag(d.is_blocking) OVER host AS blocked_before, lead(d.is_blocking) OVER host AS blocks_after, lead(d.first_fetch) OVER host AS next_fetch FROM deciding d
    WINDOW host AS (PARTITION BY d.agent, d.surt_host_name ORDER BY d.period_no)
),
numbered AS (
    SELECT o.*, sum((o.blocked_before IS DISTINCT FROM true)::INTEGER) OVER (PARTITION BY o.agent, o.surt_host_name ORDER BY o.period_no) AS block_no
    FROM ordered o WHERE o.is_blocking
),
blocks AS (
    SELECT n.agent, n.surt_host_name, min({'no': n.period_no, 'fetch': n.first_fetch}).fetch AS first_fetch, bool_or(n.blocked_before IS NULL) AS has_no_before,
        max({'no': n.period_no, 'fetch': n.last_fetch}).fetch AS last_fetch, coalesce(bool_or(NOT n.blocks_after), false) AS has_ended, max(n.next_fetch) FILTER (NOT n.blocks_after) AS ended_fetch
    FROM numbered n GROUP BY n.agent, n.surt_host_name, n.block_no
),
durations AS (
    SELECT b.agent, b.has_ended, date_diff('day', b.first_fetch, CASE WHEN b.has_ended THEN b.ended_fetch ELSE b.last_fetch END) // step_days AS step
    FROM blocks b
    WHERE NOT b.has_no_before
),
steps AS (
    SELECT d.agent, d.step, count(*) AS blocks, count(*) FILTER (d.has_ended) AS ended FROM durations d WHERE d.step IS NOT NULL GROUP BY d.agent, d.step
),
risks AS (
    SELECT s.*, sum(s.blocks) OVER (PARTITION BY s.agent ORDER BY s.step DESC) AS at_risk FROM steps s
),
answer AS (
    SELECT r.agent, r.step * step_days AS from_day, (r.step + 1) * step_days AS to_day, r.at_risk::BIGINT AS at_risk, r.ended, r.blocks - r.ended AS not_seen_longer,
        round(exp(sum(CASE WHEN r.ended = r.at_risk THEN -1e9 ELSE ln(1 - r.ended / r.at_risk) END) OVER (PARTITION BY r.agent ORDER BY r.step)), 6) AS still_blocking
    FROM risks r
)
SELECT s.*
FROM checked k
LEFT JOIN answer s ON true
WHERE s.agent IS NOT NULL OR NOT k.is_known
ORDER BY s.agent, s.from_day;

FROM survival_of_blocks();
