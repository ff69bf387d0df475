"""The query of the card: it reads the files of the dataset without its views."""

from ..report.tables import glob_of, literal


def share(dataset, prefix):
    """Returns the shares that block GPTBot by name, crawl by crawl, or None if the tables of hosts are missing."""
    if dataset.is_history:
        return f"""\
SELECT crawl, known_hosts, hosts, round(hosts / known_hosts, 6) AS share, domains_any
FROM {files(dataset, "shares", prefix)}
WHERE agent = 'gptbot' AND verdict = 'disallow_all' AND basis = 'explicit'
ORDER BY crawl;
"""
    if not {"hosts", "host_verdicts"} <= dataset.tables.keys():
        return None
    return f"""\
WITH named AS (
  FROM {files(dataset, "host_verdicts", prefix)}
  WHERE agent = 'gptbot'
), answers AS (
  SELECT h.crawl, coalesce(h.url_host_registered_domain, h.surt_host_name) AS domain,
    coalesce(n.verdict = 'disallow_all' AND n.basis = 'explicit', false) AS by_name
  FROM {files(dataset, "hosts", prefix)} h
  LEFT JOIN named n ON n.crawl = h.crawl AND n.surt_host_name = h.surt_host_name
  WHERE CASE WHEN n.verdict IS NOT NULL THEN n.verdict
    WHEN h.has_named_rows THEN h.wildcard_verdict ELSE 'unknown' END <> 'unknown'
), domains AS (
  SELECT crawl, domain, count(*) AS hosts, count(*) FILTER (by_name) AS blocking
  FROM answers GROUP BY crawl, domain
)
SELECT crawl, sum(hosts)::BIGINT AS hosts, count(*) AS domains,
  round(sum(blocking) / sum(hosts), 6) AS share_of_hosts,
  round(avg(blocking / hosts), 6) AS share_of_domains
FROM domains GROUP BY crawl ORDER BY crawl;
"""


def files(dataset, table, prefix):
    patterns = [literal(glob_of(prefix) + pattern) for pattern in dataset.tables[table].patterns]
    given = patterns[0] if len(patterns) == 1 else "[" + ", ".join(patterns) + "]"
    return f"read_parquet({given}{'' if dataset.is_history else ', hive_partitioning = true'})"
