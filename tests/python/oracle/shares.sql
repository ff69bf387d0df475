-- The rows of the table `shares` of a history, in SQL over the datasets of its crawls, for tests/python/test_history.py: the verdicts of all hosts for
-- all crawlers are listed and counted. The meaning of columns is that of src/history/own_tables/shares.rs, docs/verdicts.md and
-- docs/queries.md. The test fills these tables.

-- The crawls in the order of the history, and the registry of the last one.
CREATE TABLE crawls(crawl VARCHAR, position INTEGER);
CREATE TABLE agents(agent VARCHAR, fallbacks VARCHAR, ignores_wildcard BOOLEAN);

-- Rows of the datasets.
CREATE TABLE hosts(
    crawl VARCHAR, host_id BIGINT, surt_host_name VARCHAR, url_host_registered_domain VARCHAR, authoritative_robots_id BIGINT,
    wildcard_verdict VARCHAR, wildcard_basis VARCHAR, has_named_rows BOOLEAN);
CREATE TABLE host_verdicts(crawl VARCHAR, host_id BIGINT, agent VARCHAR, verdict VARCHAR, basis VARCHAR);
CREATE TABLE runs(crawl VARCHAR, inputs INTEGER, listed_inputs INTEGER, sample_seed BIGINT);

-- The hosts that are counted.
CREATE TABLE captures(crawl VARCHAR, host_id BIGINT);

CREATE VIEW oracle_shares AS
WITH counted AS (
    SELECT c.crawl, c.host_id, coalesce(own.url_host_registered_domain, own.surt_host_name) AS domain,
        own.authoritative_robots_id // 4294967296 AS archive_no, own.wildcard_verdict, own.wildcard_basis, own.has_named_rows
    FROM captures c
    JOIN hosts own ON own.crawl = c.crawl AND own.host_id = c.host_id
),
-- The groups of each host. The other rows of host_verdicts are names that only another dialect reads.
named AS (
    SELECT c.crawl, c.host_id, v.agent, v.verdict, v.basis
    FROM counted c
    JOIN host_verdicts v ON v.crawl = c.crawl AND v.host_id = c.host_id
    WHERE v.basis IN ('explicit', 'too_complex')
),
asked AS (
    SELECT crawl, '*' AS agent FROM crawls
    UNION
    SELECT c.crawl, a.agent FROM crawls c CROSS JOIN agents a
    UNION
    SELECT crawl, agent FROM named GROUP BY crawl, agent HAVING count(*) >= 10
),
crawlers AS (
    SELECT q.crawl, q.agent, coalesce(a.ignores_wildcard, false) AS ignores_wildcard FROM asked q LEFT JOIN agents a ON a.agent = q.agent
),
-- The names whose groups a crawler obeys: its own, then its fallbacks in order.
obeyed AS (
    SELECT DISTINCT agent, agent AS name, 0 AS place FROM asked
    UNION ALL
    SELECT agent, trim(unnest(string_split(fallbacks, ','))), generate_subscripts(string_split(fallbacks, ','), 1) FROM agents
    WHERE fallbacks IS NOT NULL
),
group_verdicts AS (
    SELECT n.crawl, n.host_id, o.agent, n.verdict, n.basis
    FROM named n
    JOIN obeyed o ON o.name = n.agent
    QUALIFY row_number() OVER (PARTITION BY n.crawl, n.host_id, o.agent ORDER BY o.place) = 1
),
decisions AS (
    SELECT c.crawl, c.domain, c.archive_no, k.agent,
        CASE
            WHEN k.agent = '*' THEN {'verdict': c.wildcard_verdict, 'basis': c.wildcard_basis}
            -- The names are not known, so that any of them may be the crawler.
            WHEN NOT c.has_named_rows THEN {'verdict': 'unknown', 'basis': 'too_complex'}
            WHEN g.verdict IS NOT NULL THEN {'verdict': g.verdict, 'basis': g.basis}
            WHEN k.ignores_wildcard AND c.wildcard_basis <> 'http_status' THEN {'verdict': 'allow_all', 'basis': 'no_group'}
            ELSE {'verdict': c.wildcard_verdict, 'basis': c.wildcard_basis}
        END AS decision
    FROM counted c
    JOIN crawlers k ON k.crawl = c.crawl
    LEFT JOIN group_verdicts g ON g.crawl = c.crawl AND g.host_id = c.host_id AND g.agent = k.agent
),
denominators AS (
    SELECT crawl, agent, count(*) FILTER (decision.verdict <> 'unknown') AS known_hosts FROM decisions GROUP BY crawl, agent
),
numerators AS (
    SELECT crawl, agent, decision, sum(hosts)::BIGINT AS hosts, count(*) AS domains, max(hosts) AS largest_domain
    FROM (SELECT crawl, agent, decision, domain, count(*) AS hosts FROM decisions GROUP BY crawl, agent, decision, domain)
    GROUP BY crawl, agent, decision
),
-- Random samples, with half the width of an interval in standard errors: the quantile 0.975 of Student's distribution by the first terms
-- of Abramowitz and Stegun, 26.7.5, from that of the normal distribution. All archives of a list are no sample.
samples AS (
    SELECT crawl, n_read, n_listed, z + (z ** 3 + z) / 4 / freedom + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96 / freedom ** 2
        + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384 / freedom ** 3 AS quantile
    FROM (
        SELECT crawl, sum(inputs)::DOUBLE AS n_read, max(listed_inputs)::DOUBLE AS n_listed, n_read - 1 AS freedom, 1.959963984540054::DOUBLE AS z
        FROM runs GROUP BY crawl HAVING bool_or(sample_seed IS NOT NULL))
    WHERE n_read >= 5 AND n_read < n_listed
),
-- The archives are clusters of hosts: the residual of one is the difference of its hosts from those that it has by the share of all. An
-- archive without hosts has the residual 0.
residuals AS (
    SELECT n.crawl, n.agent, n.decision,
        count(*) FILTER (d.decision = n.decision) - n.hosts / any_value(k.known_hosts) * count(*) FILTER (d.decision.verdict <> 'unknown') AS residual
    FROM samples s
    JOIN numerators n ON n.crawl = s.crawl AND n.decision.verdict <> 'unknown'
    JOIN denominators k ON k.crawl = n.crawl AND k.agent = n.agent
    JOIN decisions d ON d.crawl = n.crawl AND d.agent = n.agent
    GROUP BY n.crawl, n.agent, n.decision, n.hosts, d.archive_no
),
errors AS (
    SELECT r.crawl, r.agent, r.decision,
        -- The variance of a ratio of totals, with the correction for a finite number of archives.
        s.quantile * sqrt((1 - s.n_read / s.n_listed) * s.n_read / (s.n_read - 1) * sum(r.residual ** 2)) / any_value(k.known_hosts) AS margin
    FROM residuals r
    JOIN samples s ON s.crawl = r.crawl
    JOIN denominators k ON k.crawl = r.crawl AND k.agent = r.agent
    GROUP BY r.crawl, r.agent, r.decision, s.quantile, s.n_read, s.n_listed
)
SELECT n.agent, n.crawl, n.decision.verdict AS verdict, n.decision.basis AS basis, n.hosts, k.known_hosts, n.domains AS domains_any, n.largest_domain,
    -- In millionths that are not rounded.
    CASE WHEN n.hosts < k.known_hosts AND e.margin IS NOT NULL THEN greatest(0, n.hosts / k.known_hosts - e.margin) * 1e6 END AS low_millionths,
    CASE WHEN n.hosts < k.known_hosts AND e.margin IS NOT NULL THEN least(1, n.hosts / k.known_hosts + e.margin) * 1e6 END AS high_millionths
FROM numerators n
JOIN denominators k ON k.crawl = n.crawl AND k.agent = n.agent
JOIN crawls c ON c.crawl = n.crawl
LEFT JOIN errors e ON e.crawl = n.crawl AND e.agent = n.agent AND e.decision = n.decision
ORDER BY n.agent, c.position, verdict, basis;
