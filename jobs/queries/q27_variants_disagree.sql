-- On how many hosts do http and https, or www and the name without it, have different rules?

-- Denominator: hosts with rules under more than one URL in the same crawl, each URL with its latest capture.
-- Most hosts are captured under one URL only and are not included; redirects hide many variants.
-- Variables: crawl (every crawl).
SELECT crawl, count(*) AS hosts, count(*) FILTER (rulesets > 1) AS disagree, round(avg((rulesets > 1)::INTEGER), 6) AS share
FROM (
    SELECT crawl, surt_host_name, count(DISTINCT ruleset_id) AS rulesets
    FROM (
        SELECT crawl, surt_host_name, url,
            arg_max(ruleset_id, {'time': fetch_time, 'robots_id': robots_id}) AS ruleset_id
        FROM robots_files
        WHERE is_robots_path AND content_class = 'rules' AND ruleset_id IS NOT NULL AND (getvariable('crawl') IS NULL OR crawl = getvariable('crawl'))
        GROUP BY ALL)
    GROUP BY ALL
    HAVING count(*) > 1)
GROUP BY crawl
ORDER BY crawl;
