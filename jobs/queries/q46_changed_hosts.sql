-- Which hosts changed what a crawler may fetch between two crawls, and by which lines?
-- Title: hosts that changed
--
-- Denominator: none: a list of the hosts that were captured in both crawls and have another verdict or basis in the second, limited to top,
-- those first whose verdict changed. hosts is their number before the limit.
-- Pitfall: changes to and from unknown, and those whose basis is http_status, are changes of the network, not of the site. The line is the one
-- that proves the verdict: the file may have changed elsewhere, too. from_crawl is the first crawl in time and to_crawl the last, unless given.
-- Columns: from_crawl, to_crawl: the two crawls; agent; hosts: hosts that changed, without the limit; surt_host_name, url_host_name: the
-- host; verdict_before, verdict_after: what the crawler may fetch in each of the two; basis_before, basis_after: why; line_before,
-- line_after: the line that proves it; fetch_time_before, fetch_time_after: when robots.txt was fetched.
CREATE OR REPLACE MACRO changed_hosts(agent := 'GPTBot', from_crawl := NULL, to_crawl := NULL, top := 1000, any_name := false) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT t.first, t.last, check_agents(agent, any_name) AND check_count('top', top) AND t.is_known AS is_known FROM two_crawls(from_crawl, to_crawl) t
),
changed AS (
    SELECT k.first AS from_crawl, k.last AS to_crawl, b.agent, count(*) OVER (PARTITION BY b.agent) AS hosts, b.surt_host_name, b.url_host_name,
        a.verdict AS verdict_before, a.basis AS basis_before, a.line AS line_before, a.fetch_time AS fetch_time_before,
        b.verdict AS verdict_after, b.basis AS basis_after, b.line AS line_after, b.fetch_time AS fetch_time_after
    FROM checked k
    JOIN evidence(agent, any_name := any_name) a ON a.crawl = k.first
    JOIN evidence(agent, any_name := any_name) b ON b.crawl = k.last AND b.surt_host_name = a.surt_host_name AND b.agent = a.agent
    WHERE k.first <> k.last AND (a.verdict <> b.verdict OR a.basis <> b.basis)
    QUALIFY row_number() OVER (PARTITION BY b.agent ORDER BY a.verdict = b.verdict, b.surt_host_name) <= top
)
SELECT s.*
FROM checked k
LEFT JOIN changed s ON true
WHERE s.agent IS NOT NULL OR NOT k.is_known
ORDER BY s.agent, s.verdict_before = s.verdict_after, s.surt_host_name;

FROM changed_hosts();
