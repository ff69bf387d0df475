
-- A history has no tables of records. The places of macros that read them are taken by these.
CREATE OR REPLACE MACRO known_crawls() AS (SELECT list(c.crawl) FROM crawls c);
COMMENT ON MACRO known_crawls IS 'The crawls of the history, as a list';

CREATE OR REPLACE MACRO crawls() AS TABLE
SELECT c.crawl, c.position + 1 AS position, c.hosts, c.first_fetch, c.median_fetch, c.last_fetch, c.archives_read,
    CASE WHEN c.is_sample THEN c.archives_listed END AS archives_listed, c.is_sample,
    CASE WHEN c.is_sample THEN {'archives_read': c.archives_read, 'archives_listed': c.archives_listed} END AS sample, c.meaning
FROM crawls c ORDER BY c.position;
COMMENT ON MACRO TABLE crawls IS 'One row per crawl in the order of the median times of their captures, as in a dataset; the table crawls has more columns';

CREATE OR REPLACE MACRO rules_of_hosts(ids) AS TABLE
SELECT DISTINCT h.host_id, g.agent, r.allow, r.path
FROM hosts h
JOIN policy_groups g ON g.policy_id = h.policy_id
LEFT JOIN policy_rules r ON r.policy_id = g.policy_id AND r.group_no = g.group_no AND r.counts AND NOT r.is_empty
WHERE list_contains(ids, h.host_id) AND g.counts AND g.agent <> '';
COMMENT ON MACRO TABLE rules_of_hosts IS 'The rules that count of each name in the files of hosts, by their host_id; a name without rules has one row';

-- One crawl, or one host.
CREATE OR REPLACE MACRO surt_of(host) AS
    CASE WHEN contains(host, ',') THEN host
        WHEN regexp_matches(host, '^([0-9.]+|.*:.*)$') THEN array_to_string(list_reverse(string_split(host, '.')), ',')
        ELSE array_to_string(list_reverse(string_split(regexp_replace(lower(host), '^www[.](.*[.])', '\1'), '.')), ',') END;
COMMENT ON MACRO surt_of IS 'The column surt_host_name of a host: surt_of(''www.example.com'') is com,example';

CREATE OR REPLACE MACRO hosts_at(crawl) AS TABLE
WITH checked_crawl AS MATERIALIZED (SELECT check_crawl(crawl) AS is_known)
SELECT h.* FROM hosts h, checked_crawl k WHERE k.is_known AND h.crawl = crawl;
COMMENT ON MACRO TABLE hosts_at IS 'The hosts of a crawl: hosts_at(''CC-MAIN-2025-38'')';

CREATE OR REPLACE MACRO verdicts_at(crawl) AS TABLE
WITH checked_crawl AS MATERIALIZED (SELECT check_crawl(crawl) AS is_known)
SELECT v.* FROM host_verdicts v, checked_crawl k WHERE k.is_known AND v.crawl = crawl;
COMMENT ON MACRO TABLE verdicts_at IS 'The verdicts of a crawl for the crawlers that hosts name: verdicts_at(''CC-MAIN-2025-38'')';

-- A host has one capture in a crawl. The limit says so to DuckDB, which otherwise expects many and reads all policies.
CREATE OR REPLACE MACRO groups_at(host, crawl) AS TABLE
WITH checked_crawl AS MATERIALIZED (SELECT check_crawl(crawl) AS is_known),
capture AS (
    SELECT p.policy_id FROM host_periods p JOIN host_captures c ON c.host_no = p.host_no AND c.period_no = p.period_no
    WHERE p.surt_host_name = surt_of(host) AND c.crawl = crawl LIMIT 1)
SELECT g.* EXCLUDE (policy_id)
FROM capture c JOIN policy_groups g ON g.policy_id = c.policy_id, checked_crawl k
WHERE k.is_known ORDER BY g.line_no;
COMMENT ON MACRO TABLE groups_at IS 'The user-agent lines of a host in a crawl, as in groups: groups_at(''example.com'', ''CC-MAIN-2025-38'')';

CREATE OR REPLACE MACRO rules_at(host, crawl) AS TABLE
WITH checked_crawl AS MATERIALIZED (SELECT check_crawl(crawl) AS is_known),
capture AS (
    SELECT p.policy_id FROM host_periods p JOIN host_captures c ON c.host_no = p.host_no AND c.period_no = p.period_no
    WHERE p.surt_host_name = surt_of(host) AND c.crawl = crawl LIMIT 1)
SELECT r.* EXCLUDE (policy_id)
FROM capture c JOIN policy_rules r ON r.policy_id = c.policy_id, checked_crawl k
WHERE k.is_known ORDER BY r.line_no;
COMMENT ON MACRO TABLE rules_at IS 'The allow and disallow lines of a host in a crawl, as in rules: rules_at(''example.com'', ''CC-MAIN-2025-38'')';

CREATE OR REPLACE MACRO captures_of(host) AS TABLE
SELECT c.crawl, c.fetch_time, a.warc_filename, c.warc_record_offset, c.warc_record_in_member, c.period_no
FROM host_periods p
JOIN host_captures c ON c.host_no = p.host_no AND c.period_no = p.period_no
JOIN crawls k ON k.crawl = c.crawl
LEFT JOIN archives a ON a.crawl = c.crawl AND a.archive_no = c.archive_no
WHERE p.surt_host_name = surt_of(host) ORDER BY coalesce(c.fetch_time, k.median_fetch) NULLS FIRST, k.position;
COMMENT ON MACRO TABLE captures_of IS 'The captures of a host with the places of their records: captures_of(''example.com'')';

CREATE OR REPLACE MACRO periods_of(host) AS TABLE
SELECT p.* FROM host_periods p WHERE p.surt_host_name = surt_of(host) ORDER BY p.period_no;
COMMENT ON MACRO TABLE periods_of IS 'The periods of a host, the first one first: periods_of(''example.com'')';
