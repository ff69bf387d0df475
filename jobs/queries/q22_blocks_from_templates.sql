-- What share of the hosts that block an agent by name do so with a vendor's template?

-- Denominator: hosts that name the agent and block it fully. No template means that none was recognized, not that a person wrote the file.
-- A template may be enabled by default or by one click: it reflects the choice of the vendor as much as that of the site.
-- Variables: agent (gptbot), crawl (every crawl).
SELECT h.crawl, h.template, count(*) AS hosts, round(count(*) / sum(count(*)) OVER (PARTITION BY h.crawl), 6) AS share
FROM hosts h
JOIN host_verdicts v ON v.host_id = h.host_id
WHERE v.agent = lower(coalesce(getvariable('agent'), 'gptbot')) AND v.basis = 'explicit' AND v.verdict = 'disallow_all' AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl, h.template
ORDER BY h.crawl, hosts DESC, h.template NULLS FIRST;
