-- Which rule sets are shared by most hosts?

-- Denominator of share: hosts whose file has rules. Equal sets may be written differently: comments, order and spelling do not matter.
-- The most common sets are defaults of software and parked domains, not decisions.
-- Variables: crawl (every crawl), top (50, a crawl).
SELECT h.crawl, h.ruleset_id, max(h.template) AS template, count(*) AS hosts,
    round(count(*) / sum(count(*)) OVER (PARTITION BY h.crawl), 6) AS share, min(h.url) AS example
FROM hosts h
WHERE h.content_class = 'rules' AND h.ruleset_id IS NOT NULL AND (getvariable('crawl') IS NULL OR h.crawl = getvariable('crawl'))
GROUP BY h.crawl, h.ruleset_id
QUALIFY row_number() OVER (PARTITION BY h.crawl ORDER BY count(*) DESC, h.ruleset_id) <= coalesce(getvariable('top'), 50)
ORDER BY h.crawl, hosts DESC, h.ruleset_id;
