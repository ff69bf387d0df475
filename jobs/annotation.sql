-- Writes an annotation of hosts for Common Crawl's host index: robotstxt.parquet, in the current folder.
--
--     duckdb -init out.parquet/views.sql -c ".read jobs/annotation.sql"
--     duckdb -init out.parquet/views.sql -c "SET VARIABLE crawl = 'CC-MAIN-2025-38'" -c ".read jobs/annotation.sql"
--
-- The file has one row per host of one crawl, sorted by surt_host_name. docs/whole-crawl.md describes its columns, and
-- jobs/annotation/ has the YAML files with which Common Crawl's cc-index-annotations joins it.
-- Variables: crawl (the last crawl in time). A crawl that the dataset does not have is an error.
-- If you change a column, also change docs/whole-crawl.md and jobs/annotation/join_robotstxt.yaml.
--
-- DuckDB 1.1 takes no expression as the name of an output. To write another file, read this one and then run
-- COPY (FROM annotation) TO '…' with the options at the end.

-- The upper 32 bits of host_id number the crawls in time. An empty dataset has no crawl, and its annotation no row.
SET VARIABLE annotation_crawl = (
    SELECT CASE
        WHEN getvariable('crawl') IS NULL THEN coalesce(arg_max(crawl, last_host_id), '')
        WHEN coalesce(bool_or(crawl = getvariable('crawl')), false) THEN getvariable('crawl')
        ELSE error(concat('the dataset has no crawl ''', getvariable('crawl'), '''; it has: ',
            coalesce(string_agg(crawl, ', ' ORDER BY last_host_id), 'none')))
        END
    FROM (SELECT crawl, max(host_id) AS last_host_id FROM hosts GROUP BY crawl));

CREATE OR REPLACE VIEW annotation AS
-- The verdicts that do not follow from '*': those of all other crawlers are in hosts.
WITH own_verdicts AS (
    SELECT surt_host_name, agent, verdict, verdict = 'disallow_all' AND basis = 'explicit' AS blocked_by_name, evidence_line
    FROM verdicts_of(['Amazonbot', 'Applebot-Extended', 'Bytespider', 'CCBot', 'ClaudeBot', 'Google-Extended', 'Googlebot', 'GPTBot',
        'meta-externalagent', 'PerplexityBot'])
    WHERE crawl = getvariable('annotation_crawl') AND basis IN ('explicit', 'no_group', 'too_complex')
),
-- One row per host, with columns for each crawler.
own_columns AS (
    SELECT surt_host_name,
        max(verdict) FILTER (agent = 'amazonbot') AS amazonbot,
        bool_or(blocked_by_name) FILTER (agent = 'amazonbot') AS amazonbot_by_name,
        max(evidence_line) FILTER (agent = 'amazonbot') AS amazonbot_line,
        max(verdict) FILTER (agent = 'applebot-extended') AS applebot_extended,
        bool_or(blocked_by_name) FILTER (agent = 'applebot-extended') AS applebot_extended_by_name,
        max(evidence_line) FILTER (agent = 'applebot-extended') AS applebot_extended_line,
        max(verdict) FILTER (agent = 'bytespider') AS bytespider,
        bool_or(blocked_by_name) FILTER (agent = 'bytespider') AS bytespider_by_name,
        max(evidence_line) FILTER (agent = 'bytespider') AS bytespider_line,
        max(verdict) FILTER (agent = 'ccbot') AS ccbot,
        bool_or(blocked_by_name) FILTER (agent = 'ccbot') AS ccbot_by_name,
        max(evidence_line) FILTER (agent = 'ccbot') AS ccbot_line,
        max(verdict) FILTER (agent = 'claudebot') AS claudebot,
        bool_or(blocked_by_name) FILTER (agent = 'claudebot') AS claudebot_by_name,
        max(evidence_line) FILTER (agent = 'claudebot') AS claudebot_line,
        max(verdict) FILTER (agent = 'google-extended') AS google_extended,
        bool_or(blocked_by_name) FILTER (agent = 'google-extended') AS google_extended_by_name,
        max(evidence_line) FILTER (agent = 'google-extended') AS google_extended_line,
        max(verdict) FILTER (agent = 'googlebot') AS googlebot,
        bool_or(blocked_by_name) FILTER (agent = 'googlebot') AS googlebot_by_name,
        max(evidence_line) FILTER (agent = 'googlebot') AS googlebot_line,
        max(verdict) FILTER (agent = 'gptbot') AS gptbot,
        bool_or(blocked_by_name) FILTER (agent = 'gptbot') AS gptbot_by_name,
        max(evidence_line) FILTER (agent = 'gptbot') AS gptbot_line,
        max(verdict) FILTER (agent = 'meta-externalagent') AS meta_externalagent,
        bool_or(blocked_by_name) FILTER (agent = 'meta-externalagent') AS meta_externalagent_by_name,
        max(evidence_line) FILTER (agent = 'meta-externalagent') AS meta_externalagent_line,
        max(verdict) FILTER (agent = 'perplexitybot') AS perplexitybot,
        bool_or(blocked_by_name) FILTER (agent = 'perplexitybot') AS perplexitybot_by_name,
        max(evidence_line) FILTER (agent = 'perplexitybot') AS perplexitybot_line
    FROM own_verdicts
    GROUP BY surt_host_name
),
ai_agents AS (
    SELECT g.agent FROM agents g WHERE starts_with(g.category, 'ai_') OR starts_with(g.category2, 'ai_')
),
-- hosts.n_named also counts tokens that only Google's parser reads.
names AS (
    SELECT v.host_id, count(*) AS named, count(*) FILTER (v.agent IN (SELECT a.agent FROM ai_agents a)) AS ai_named,
        count(*) FILTER (v.verdict = 'disallow_all' AND v.agent IN (SELECT a.agent FROM ai_agents a)) AS ai_blocked
    FROM host_verdicts v
    WHERE v.crawl = getvariable('annotation_crawl') AND v.basis = 'explicit'
    GROUP BY v.host_id
),
-- Valid statements about AI training, for the site, a path or a group.
training AS (
    SELECT crawl, robots_id,
        CASE WHEN bool_and(allow) THEN 'yes' WHEN NOT bool_or(allow) THEN 'no' ELSE 'both' END AS preference,
        bool_and(from_template) AS is_from_template
    FROM preferences
    WHERE pref_key IN ('ai-train', 'train-ai') AND is_valid AND allow IS NOT NULL
        AND crawl = getvariable('annotation_crawl')
    GROUP BY crawl, robots_id
),
captures AS (
    SELECT crawl, robots_id, url, fetch_time, warc_filename, warc_record_offset, warc_record_length, warc_record_in_member
    FROM robots_files
    WHERE crawl = getvariable('annotation_crawl')
)
SELECT h.surt_host_name, h.crawl, h.url_host_tld, h.url_host_registered_domain,
    h.wildcard_verdict <> 'unknown' AS robotstxt_is_decided,
    h.outcome AS robotstxt_outcome,
    h.fetch_status::INTEGER AS robotstxt_fetch_status,
    h.redirect_end AS robotstxt_redirect_end,
    h.content_class AS robotstxt_content_class,
    h.template AS robotstxt_template,
    h.ruleset_id AS robotstxt_ruleset_id,
    h.n_captures AS robotstxt_n_captures,
    h.n_changes AS robotstxt_n_changes,
    h.wildcard_verdict AS robotstxt_wildcard,
    h.wildcard_basis AS robotstxt_wildcard_basis,
    h.wildcard_crawl_delay_ms AS robotstxt_wildcard_crawl_delay_ms,
    h.wildcard_evidence_line AS robotstxt_wildcard_line,
    -- A verdict that is unknown because of the status means that no rules were found.
    CASE WHEN (h.wildcard_verdict <> 'unknown' OR h.wildcard_basis <> 'http_status') AND h.has_named_rows
        THEN coalesce(a.named, 0)::INTEGER END AS robotstxt_n_named,
    CASE WHEN (h.wildcard_verdict <> 'unknown' OR h.wildcard_basis <> 'http_status') AND h.has_named_rows
        THEN coalesce(a.ai_named, 0)::INTEGER END AS robotstxt_n_ai_named,
    CASE WHEN (h.wildcard_verdict <> 'unknown' OR h.wildcard_basis <> 'http_status') AND h.has_named_rows
        THEN coalesce(a.ai_blocked, 0)::INTEGER END AS robotstxt_n_ai_blocked_by_name,
    t.preference AS robotstxt_training_preference,
    t.is_from_template AS robotstxt_training_preference_from_template,
    coalesce(o.amazonbot, h.wildcard_verdict) AS robotstxt_amazonbot,
    CASE WHEN coalesce(o.amazonbot, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.amazonbot_by_name, false) END
        AS robotstxt_amazonbot_blocked_by_name,
    CASE WHEN o.amazonbot IS NULL THEN h.wildcard_evidence_line ELSE o.amazonbot_line END
        AS robotstxt_amazonbot_line,
    coalesce(o.applebot_extended, h.wildcard_verdict) AS robotstxt_applebot_extended,
    CASE WHEN coalesce(o.applebot_extended, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.applebot_extended_by_name, false) END
        AS robotstxt_applebot_extended_blocked_by_name,
    CASE WHEN o.applebot_extended IS NULL THEN h.wildcard_evidence_line ELSE o.applebot_extended_line END
        AS robotstxt_applebot_extended_line,
    coalesce(o.bytespider, h.wildcard_verdict) AS robotstxt_bytespider,
    CASE WHEN coalesce(o.bytespider, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.bytespider_by_name, false) END
        AS robotstxt_bytespider_blocked_by_name,
    CASE WHEN o.bytespider IS NULL THEN h.wildcard_evidence_line ELSE o.bytespider_line END
        AS robotstxt_bytespider_line,
    coalesce(o.ccbot, h.wildcard_verdict) AS robotstxt_ccbot,
    CASE WHEN coalesce(o.ccbot, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.ccbot_by_name, false) END
        AS robotstxt_ccbot_blocked_by_name,
    CASE WHEN o.ccbot IS NULL THEN h.wildcard_evidence_line ELSE o.ccbot_line END
        AS robotstxt_ccbot_line,
    coalesce(o.claudebot, h.wildcard_verdict) AS robotstxt_claudebot,
    CASE WHEN coalesce(o.claudebot, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.claudebot_by_name, false) END
        AS robotstxt_claudebot_blocked_by_name,
    CASE WHEN o.claudebot IS NULL THEN h.wildcard_evidence_line ELSE o.claudebot_line END
        AS robotstxt_claudebot_line,
    coalesce(o.google_extended, h.wildcard_verdict) AS robotstxt_google_extended,
    CASE WHEN coalesce(o.google_extended, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.google_extended_by_name, false) END
        AS robotstxt_google_extended_blocked_by_name,
    CASE WHEN o.google_extended IS NULL THEN h.wildcard_evidence_line ELSE o.google_extended_line END
        AS robotstxt_google_extended_line,
    coalesce(o.googlebot, h.wildcard_verdict) AS robotstxt_googlebot,
    CASE WHEN coalesce(o.googlebot, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.googlebot_by_name, false) END
        AS robotstxt_googlebot_blocked_by_name,
    CASE WHEN o.googlebot IS NULL THEN h.wildcard_evidence_line ELSE o.googlebot_line END
        AS robotstxt_googlebot_line,
    coalesce(o.gptbot, h.wildcard_verdict) AS robotstxt_gptbot,
    CASE WHEN coalesce(o.gptbot, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.gptbot_by_name, false) END
        AS robotstxt_gptbot_blocked_by_name,
    CASE WHEN o.gptbot IS NULL THEN h.wildcard_evidence_line ELSE o.gptbot_line END
        AS robotstxt_gptbot_line,
    coalesce(o.meta_externalagent, h.wildcard_verdict) AS robotstxt_meta_externalagent,
    CASE WHEN coalesce(o.meta_externalagent, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.meta_externalagent_by_name, false) END
        AS robotstxt_meta_externalagent_blocked_by_name,
    CASE WHEN o.meta_externalagent IS NULL THEN h.wildcard_evidence_line ELSE o.meta_externalagent_line END
        AS robotstxt_meta_externalagent_line,
    coalesce(o.perplexitybot, h.wildcard_verdict) AS robotstxt_perplexitybot,
    CASE WHEN coalesce(o.perplexitybot, h.wildcard_verdict) <> 'unknown' THEN coalesce(o.perplexitybot_by_name, false) END
        AS robotstxt_perplexitybot_blocked_by_name,
    CASE WHEN o.perplexitybot IS NULL THEN h.wildcard_evidence_line ELSE o.perplexitybot_line END
        AS robotstxt_perplexitybot_line,
    r.url AS robotstxt_url,
    r.fetch_time::TIMESTAMP AS robotstxt_fetch_time,
    r.warc_filename AS robotstxt_warc_filename,
    r.warc_record_offset AS robotstxt_warc_record_offset,
    r.warc_record_length AS robotstxt_warc_record_length,
    r.warc_record_in_member AS robotstxt_warc_record_in_member
FROM hosts h
LEFT JOIN own_columns o ON o.surt_host_name = h.surt_host_name
LEFT JOIN names a ON a.host_id = h.host_id
LEFT JOIN training t ON t.crawl = h.crawl AND t.robots_id = h.rules_robots_id
LEFT JOIN captures r ON r.crawl = h.crawl AND r.robots_id = h.rules_robots_id
WHERE h.crawl = getvariable('annotation_crawl')
ORDER BY h.surt_host_name;

COPY (FROM annotation) TO 'robotstxt.parquet' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880);
