-- Which WARC record, and which line in it, determines the verdict of a host?

-- Denominator: none. This is a list, limited to top. Without a host, it lists hosts that block the agent by name.
-- The record is the one whose rules apply: after redirects it may belong to another host and to a later time than the first request.
-- Variables: agent (gptbot), host (www.example.com), crawl (every crawl), top (20).
SELECT v.crawl, v.url_host_name, v.agent, v.verdict, v.basis, v.evidence_line, r.url, r.fetch_time,
    r.warc_filename, r.warc_record_offset, r.warc_record_length, r.warc_record_in_member
FROM verdicts_for(coalesce(getvariable('agent'), 'gptbot')) v
JOIN robots_files r ON r.crawl = v.rules_crawl AND r.robots_id = v.rules_robots_id
WHERE ((getvariable('host') IS NOT NULL AND v.url_host_name = getvariable('host'))
        OR (getvariable('host') IS NULL AND v.basis = 'explicit' AND v.verdict = 'disallow_all'))
    AND (getvariable('crawl') IS NULL OR v.crawl = getvariable('crawl'))
ORDER BY v.crawl, v.surt_host_name
LIMIT coalesce(getvariable('top'), 20);
