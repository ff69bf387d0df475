-- Opens a dataset in Spark SQL. Name its folder first: SET dataset=/path/to/out.parquet
-- The macros of views.sql are written for DuckDB and are not here.

CREATE OR REPLACE TEMPORARY VIEW robots_files AS SELECT
    robots_id,
    url_surtkey,
    url,
    surt_host_name,
    url_host_name,
    url_host_tld,
    CAST(coalesce(url_host_registry_suffix, substr(url_host_registered_domain, instr(url_host_registered_domain, '.') + 1)) AS STRING) AS url_host_registry_suffix,
    url_host_registered_domain,
    CAST(nullif(coalesce(url_host_private_domain, url_host_registered_domain), '') AS STRING) AS url_host_private_domain,
    fetch_time,
    fetch_status,
    fetch_redirect,
    content_digest,
    content_mime_type,
    content_mime_detected,
    content_truncated,
    warc_filename,
    warc_record_offset,
    warc_record_length,
    warc_record_in_member,
    warc_record_id,
    warc_ip_address,
    http_server,
    http_last_modified,
    http_content_usage,
    http_tdm_reservation,
    waf_hint,
    is_revisit,
    is_robots_path,
    content_class,
    body_bytes,
    n_lines,
    n_groups,
    n_user_agents,
    n_allow,
    n_disallow,
    n_sitemaps,
    n_comment_lines,
    n_blank_lines,
    n_directives,
    n_anomalies,
    max_line_bytes,
    has_bom,
    line_endings,
    is_valid_utf8,
    ruleset_id,
    template,
    body,
    is_doubtful,
    crawl,
    subset,
    CAST(CASE WHEN url_host_tld IS NOT NULL THEN array_join(reverse(split(url_host_name, '[.]')), '.') END AS STRING) AS url_host_name_reversed,
    CAST(CASE WHEN url_surtkey IS NOT NULL THEN split_part(url, ':', 1) END AS STRING) AS url_protocol,
    CAST(CASE WHEN url_surtkey IS NOT NULL THEN nullif(regexp_extract(url, '^[a-z][a-z0-9+.-]*://([^/?]*@)?(\\[[0-9a-f:.]+\\]|[^/:?\\[]*):([0-9]+)', 3), '') END AS INTEGER) AS url_port,
    CAST(CASE WHEN url_surtkey IS NOT NULL THEN regexp_replace(regexp_extract(url, '^[a-z][a-z0-9+.-]*:(//[^/?]*)?([^?]*)', 2), '^/[.]//', '//') END AS STRING) AS url_path,
    CAST(CASE WHEN url_surtkey IS NOT NULL AND instr(url, '?') > 0 THEN substr(url, instr(url, '?') + 1) END AS STRING) AS url_query,
    CAST(CASE WHEN coalesce(fetch_status, CASE WHEN content_class IS NOT NULL THEN 200 END) BETWEEN 200 AND 299 THEN 'successful' WHEN fetch_status BETWEEN 300 AND 399 THEN 'redirect' WHEN fetch_status BETWEEN 400 AND 499 THEN 'unavailable' ELSE 'unreachable' END AS STRING) AS outcome,
    CAST(CASE WHEN coalesce(fetch_status, CASE WHEN content_class IS NOT NULL THEN 200 END) = 200 THEN 'success' WHEN fetch_status BETWEEN 300 AND 399 THEN 'redirect' WHEN fetch_status IN (400, 404, 410) THEN 'notfound' WHEN fetch_status = 401 THEN 'unauthorized' WHEN fetch_status = 403 THEN 'forbidden' WHEN fetch_status = 429 OR fetch_status BETWEEN 500 AND 599 THEN 'defer_visits' ELSE 'other' END AS STRING) AS fetch_class,
    CAST(CASE WHEN coalesce(fetch_status, CASE WHEN content_class IS NOT NULL THEN 200 END) BETWEEN 200 AND 299 THEN 'parse' WHEN fetch_status BETWEEN 300 AND 399 THEN CASE WHEN fetch_redirect IS NOT NULL AND fetch_status <> 304 THEN 'follow' ELSE 'defer' END WHEN fetch_status BETWEEN 400 AND 499 AND fetch_status <> 429 THEN 'allow_all' ELSE 'disallow_all' END AS STRING) AS effect_google,
    CAST(CASE WHEN coalesce(fetch_status, CASE WHEN content_class IS NOT NULL THEN 200 END) BETWEEN 200 AND 299 THEN 'parse' WHEN fetch_status BETWEEN 300 AND 399 THEN CASE WHEN fetch_redirect IS NOT NULL AND fetch_status <> 304 THEN 'follow' ELSE 'defer' END WHEN fetch_status BETWEEN 400 AND 499 THEN 'allow_all' ELSE 'disallow_all' END AS STRING) AS effect_rfc9309,
    CAST(CASE WHEN coalesce(fetch_status, CASE WHEN content_class IS NOT NULL THEN 200 END) BETWEEN 200 AND 299 THEN 'parse' WHEN fetch_status BETWEEN 300 AND 399 THEN CASE WHEN fetch_redirect IS NOT NULL AND fetch_status <> 304 THEN 'follow' ELSE 'defer' END WHEN fetch_status IN (401, 403) THEN 'disallow_all' WHEN fetch_status = 404 THEN 'allow_all' ELSE 'defer' END AS STRING) AS effect_koster1996,
    CAST(n_allow + n_disallow AS INTEGER) AS n_rules,
    CAST(CASE WHEN n_lines IS NOT NULL THEN body_bytes > 512000 END AS BOOLEAN) AS over_500kib
FROM parquet.`${dataset}/robots_files`;

CREATE OR REPLACE TEMPORARY VIEW groups AS SELECT
    robots_id,
    group_no,
    agent_no,
    line_no,
    record_no,
    CAST(coalesce(key_raw, 'User-agent') AS STRING) AS key_raw,
    has_colon,
    counts,
    CAST(coalesce(agent_raw, agent) AS STRING) AS agent_raw,
    agent,
    CAST(coalesce(token_valid, coalesce(agent_raw, agent) RLIKE '^([A-Za-z_-]+|[*])$') AS BOOLEAN) AS token_valid,
    n_allow,
    n_disallow,
    crawl_delay,
    request_rate,
    visit_time,
    crawl,
    subset,
    CAST(CASE WHEN agent = '*' THEN '*' ELSE regexp_extract(agent, '^[a-z_-]*', 0) END AS STRING) AS agent_token,
    CAST(n_allow + n_disallow AS INTEGER) AS n_rules
FROM parquet.`${dataset}/groups`;

CREATE OR REPLACE TEMPORARY VIEW rules AS SELECT
    robots_id,
    group_no,
    line_no,
    record_no,
    allow,
    CAST(coalesce(path_raw, path) AS STRING) AS path_raw,
    path,
    CAST(coalesce(path_bytes, octet_length(path)) AS INTEGER) AS path_bytes,
    CAST(coalesce(key_raw, CASE WHEN allow THEN 'Allow' ELSE 'Disallow' END) AS STRING) AS key_raw,
    has_colon,
    counts,
    beyond_500kib,
    crawl,
    subset,
    CAST(path = '' AS BOOLEAN) AS is_empty,
    CAST(instr(path, '*') > 0 AS BOOLEAN) AS has_wildcard,
    CAST(path LIKE '%$' AS BOOLEAN) AS has_end_anchor,
    CAST(instr(path, '?') > 0 AS BOOLEAN) AS has_query
FROM parquet.`${dataset}/rules`;

CREATE OR REPLACE TEMPORARY VIEW sitemaps AS SELECT
    robots_id,
    line_no,
    CAST(coalesce(sitemap_raw, sitemap_url) AS STRING) AS sitemap_raw,
    sitemap_url,
    CAST(nullif(coalesce(sitemap_registered_domain, regexp_replace(nullif(regexp_replace(regexp_extract(sitemap_url, '^[a-z]+://([^/?]*@)?(\\[[0-9a-f:.]+\\]|[^/:?\\[]*)', 2), '[.]$', ''), ''), '^www[.]', '')), '') AS STRING) AS sitemap_registered_domain,
    is_absolute,
    same_host,
    same_registered_domain,
    crawl,
    subset,
    CAST(nullif(regexp_replace(regexp_extract(sitemap_url, '^[a-z]+://([^/?]*@)?(\\[[0-9a-f:.]+\\]|[^/:?\\[]*)', 2), '[.]$', ''), '') AS STRING) AS sitemap_host_name,
    CAST(sitemap_url IS NOT NULL AS BOOLEAN) AS is_valid_url
FROM parquet.`${dataset}/sitemaps`;

CREATE OR REPLACE TEMPORARY VIEW directives AS SELECT
    robots_id,
    group_no,
    line_no,
    directive,
    CAST(coalesce(directive_raw, directive) AS STRING) AS directive_raw,
    value,
    crawl,
    subset,
    CAST(directive IN ('clean-param', 'content-signal', 'content-usage', 'crawl-delay', 'domain', 'host', 'noarchive', 'nofollow', 'noindex', 'request-rate', 'revisit-after', 'visit-time', 'license', 'disallowaitraining', 'allowaitraining', 'user-agent-purpose', 'robot-version', 'comment', 'llm-policy', 'llm-content', 'llm-full-content', 'llms', 'llms-txt', 'llms.txt', 'schemamap', 'agentmap', 'content-signals', 'cache-delay', 'acap-crawler', 'acap-disallow-crawl', 'acap-allow-crawl', 'nosnippet', 'crawl-rate', 'index') AS BOOLEAN) AS known
FROM parquet.`${dataset}/directives`;

CREATE OR REPLACE TEMPORARY VIEW preferences AS SELECT
    robots_id,
    group_no,
    line_no,
    mechanism,
    path,
    pref_key,
    pref_value,
    allow,
    is_valid,
    from_template,
    crawl,
    subset
FROM parquet.`${dataset}/preferences`;

CREATE OR REPLACE TEMPORARY VIEW anomalies AS SELECT
    robots_id,
    line_no,
    code,
    changes_verdict,
    detail,
    crawl,
    subset,
    CAST(CASE WHEN code IN ('utf16', 'html_body', 'typo_other', 'rule_before_agent', 'empty_agent', 'path_without_slash', 'full_url_path', 'multiple_paths_per_line', 'too_complex', 'bad_status', 'undeclared_gzip', 'challenge_page') THEN 'error' WHEN code IN ('partial_bom', 'nul_bytes', 'invalid_utf8', 'over_500kib', 'overlong_line', 'no_directive', 'missing_colon', 'typo_accepted_by_google', 'key_by_prefix', 'invalid_token_chars', 'token_with_version', 'sitemap_between_agents', 'crawl_delay_between_agents', 'group_without_rules', 'unencoded_non_ascii', 'fragment_in_path', 'conflicting_equal_length', 'bad_crawl_delay', 'relative_sitemap', 'bad_signal_value', 'signal_contradiction', 'bad_date', 'bad_url', 'redirect_without_location', 'headers_cut', 'record_cut', 'payload_truncated', 'misdeclared_coding', 'coding_cut') THEN 'warning' ELSE 'info' END AS STRING) AS severity
FROM parquet.`${dataset}/anomalies`;

CREATE OR REPLACE TEMPORARY VIEW verdicts AS SELECT
    robots_id,
    is_robots_path,
    agent,
    verdict,
    verdict_google,
    verdict_rfc9309,
    verdict_koster1996,
    basis,
    root_allowed,
    n_allow,
    n_disallow,
    crawl_delay,
    evidence_line,
    crawl,
    subset
FROM parquet.`${dataset}/verdicts`;

CREATE OR REPLACE TEMPORARY VIEW agents AS SELECT
    agent,
    token,
    operator,
    category,
    category2,
    purpose,
    fallbacks,
    ignores_wildcard,
    is_control_token,
    source
FROM parquet.`${dataset}/agents`;

CREATE OR REPLACE TEMPORARY VIEW runs AS SELECT
    part,
    version,
    options,
    psl_version,
    agents_version,
    inputs,
    input_bytes,
    records,
    captures,
    faults,
    crawl,
    subset
FROM parquet.`${dataset}/runs`;

CREATE OR REPLACE TEMPORARY VIEW faults AS SELECT
    warc_filename,
    warc_record_offset,
    bytes_skipped,
    code,
    detail,
    crawl,
    subset
FROM parquet.`${dataset}/faults`;
