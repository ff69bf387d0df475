-- Which WARC record, and which line in it, determines the verdict of a host?
--
-- Denominator: none: a list of hosts, limited to top. Without a host, it lists hosts that block the crawler by name.
-- Pitfall: the record is the one whose rules apply: after redirects it may belong to another host and to a later time than the first
-- request. robots-scan check prints the file with its line numbers.
CREATE OR REPLACE MACRO provenance(agent := 'GPTBot', host := NULL, crawl := NULL, top := 20, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_agents(agent, any_name) AND check_count('top', top) AND CASE WHEN host IS NULL THEN true
        WHEN (SELECT count(*) FROM hosts h WHERE h.surt_host_name = host_key(host_of(host))) > 0 THEN true
        ELSE error('the host ''' || host || ''' has no capture in this dataset') END AND check_hosts('captured', crawl) AS is_known
),
chosen AS MATERIALIZED (
    SELECT c.position, v.crawl, v.surt_host_name, v.url_host_name, v.agent, v.verdict, v.basis, v.evidence_line, v.rules_robots_id
    FROM verdicts_for(agent, any_name := any_name) v
    JOIN crawls() c ON c.crawl = v.crawl
    WHERE (crawl IS NULL OR v.crawl = crawl)
        AND CASE WHEN host IS NULL THEN v.basis = 'explicit' AND v.verdict = 'disallow_all' ELSE v.surt_host_name = host_key(host_of(host)) END
    QUALIFY row_number() OVER (PARTITION BY v.agent ORDER BY c.position, v.surt_host_name) <= top
),
-- The text of the line: of a rule, or of a user-agent line where a group without rules decides.
lines AS (
    SELECT x.crawl, x.robots_id, x.line_no, line_text(x.key_raw, x.has_colon, x.path_raw) AS line
    FROM chosen c JOIN rules x ON x.crawl = c.crawl AND x.robots_id = c.rules_robots_id AND x.line_no = c.evidence_line
    UNION
    SELECT g.crawl, g.robots_id, g.line_no, line_text(g.key_raw, g.has_colon, g.agent_raw)
    FROM chosen c JOIN groups g ON g.crawl = c.crawl AND g.robots_id = c.rules_robots_id AND g.line_no = c.evidence_line
),
answer AS (
    SELECT c.position, c.crawl, c.surt_host_name, c.url_host_name, c.agent, c.verdict, c.basis, c.evidence_line AS line_no, l.line, r.url, r.fetch_time,
        r.fetch_status, r.content_digest, r.warc_filename, r.warc_record_offset, r.warc_record_length, r.warc_record_in_member
    FROM chosen c
    JOIN robots_files r ON r.crawl = c.crawl AND r.robots_id = c.rules_robots_id
    LEFT JOIN lines l ON l.crawl = c.crawl AND l.robots_id = c.rules_robots_id AND l.line_no = c.evidence_line
)
SELECT s.* EXCLUDE (position)
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.position, s.agent, s.surt_host_name;

FROM provenance();
