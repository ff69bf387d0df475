-- How many captures have different verdicts under each pair of dialects?

-- Denominator: every capture of a /robots.txt except revisits, regardless of its status. A capture differs if the two dialects give
-- different verdicts for '*' or for any name in its file. Body and status are counted separately: 401, 403, 410 and 429 have different
-- effects in the three dialects, regardless of the files. An unknown verdict (a redirect, a deferral) counts as a verdict of its own.
-- Variables: crawl (every crawl).
WITH files AS (
    SELECT v.crawl, v.robots_id, f.outcome = 'successful' AS is_parsed,
        bool_or(v.verdict_google <> v.verdict_rfc9309) AS google_rfc9309,
        bool_or(v.verdict_google <> v.verdict_koster1996) AS google_koster1996,
        bool_or(v.verdict_rfc9309 <> v.verdict_koster1996) AS rfc9309_koster1996,
        bool_or(v.agent = '*' AND v.verdict_google <> v.verdict_rfc9309) AS google_rfc9309_all,
        bool_or(v.agent = '*' AND v.verdict_google <> v.verdict_koster1996) AS google_koster1996_all,
        bool_or(v.agent = '*' AND v.verdict_rfc9309 <> v.verdict_koster1996) AS rfc9309_koster1996_all
    FROM verdicts v
    JOIN robots_files f ON f.crawl = v.crawl AND f.robots_id = v.robots_id
    WHERE f.is_robots_path AND NOT f.is_revisit AND (getvariable('crawl') IS NULL OR v.crawl = getvariable('crawl'))
    GROUP BY ALL
),
pairs AS (
    SELECT crawl, 'google, rfc9309' AS dialects, is_parsed, google_rfc9309 AS differs, google_rfc9309_all AS differs_for_all FROM files
    UNION ALL
    SELECT crawl, 'google, koster1996', is_parsed, google_koster1996, google_koster1996_all FROM files
    UNION ALL
    SELECT crawl, 'rfc9309, koster1996', is_parsed, rfc9309_koster1996, rfc9309_koster1996_all FROM files
)
SELECT crawl, dialects, count(*) AS captures, count(*) FILTER (differs) AS differ, round(avg(differs::INTEGER), 6) AS share,
    count(*) FILTER (differs AND is_parsed) AS by_their_rules, count(*) FILTER (differs_for_all AND is_parsed) AS by_their_rules_for_all,
    count(*) FILTER (differs AND NOT is_parsed) AS by_their_status
FROM pairs
GROUP BY crawl, dialects
ORDER BY crawl, dialects;
