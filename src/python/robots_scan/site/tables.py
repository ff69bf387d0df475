"""The tables of a site, made in the database `site` from those of a dataset or a history.

captures  one row per host and crawl, sorted by host, then by time: response, verdict for `*`, and the place of the record. `refusal` is the
          reason of `reasons_for` if a server, and no rule, keeps crawlers out; in a history, as far as the status alone shows it
verdicts  one row per host and crawler that its rules name, for consecutive captures with the same verdict, basis and line
rules     with `--with-rules`: the lines of a host, for consecutive captures with the same lines
trends    one row per crawler and crawl: hosts and registered domains that block it
blockers  the registered domains whose hosts block a crawler by name in the last crawl, those with most hosts first

The pages derive the verdict of a crawler that a host does not name as the macro `verdicts_of` does (`web/verdict.js`).
"""

from .exclusions import is_excluded

# A crawler is listed if it is in the registry or if this many hosts of a crawl name it, as in `shares` of a history.
NAMING_MIN = 10
# The crawlers and, for each of them, the domains that are listed at most.
AGENTS_MAX, DOMAINS_MAX = 2_000, 1_000
# The lines of a file that are written at most.
LINES_MAX = 1_000
BY_NAME = "verdict = 'disallow_all' AND basis = 'explicit'"

STATE = """h.fetch_time AS time, h.url, h.url_host_registered_domain AS domain, h.fetch_status AS status, h.fetch_class, h.content_class, h.is_revisit,
    h.n_redirects AS redirects, h.redirect_end, h.wildcard_verdict AS verdict, h.wildcard_verdict_google AS google, h.wildcard_verdict_rfc9309 AS rfc9309,
    h.wildcard_verdict_koster1996 AS koster1996, h.wildcard_basis AS basis, h.wildcard_evidence_line AS line, h.n_named, h.has_named_rows"""


def make_tables(source, excluded, with_rules):
    """Makes all tables. Returns the number of hosts, and of hosts that are left out."""
    make_crawls(source)
    skipped = is_excluded(excluded)
    make_captures(source, skipped)
    make_connections(source)
    make_verdicts(source)
    if with_rules:
        make_rules(source)
    make_members(source)
    make_trends(source)
    make_blockers(source, skipped)
    left_out = source.value(f"SELECT count(DISTINCT h.surt_host_name) FROM hosts h WHERE {skipped}") if excluded else 0
    return source.value("SELECT count(DISTINCT c.host) FROM site.captures c"), left_out


def make_crawls(source):
    if source.is_history:
        source.rows("""CREATE TABLE site.crawls AS SELECT c.position::INTEGER AS position, c.crawl, c.first_fetch, c.median_fetch, c.last_fetch, c.hosts, c.domains,
            c.is_sample FROM crawls c""")
        return
    source.rows("""CREATE TABLE site.crawls AS
        WITH times AS (
            SELECT h.crawl, min(h.fetch_time) AS first_fetch, quantile_disc(h.fetch_time, 0.5) AS median_fetch, max(h.fetch_time) AS last_fetch,
                count(DISTINCT h.domain) AS domains, count(*) AS hosts
            FROM hosts h GROUP BY h.crawl)
        SELECT (row_number() OVER (ORDER BY t.median_fetch NULLS FIRST, c.position) - 1)::INTEGER AS position, c.crawl, t.first_fetch, t.median_fetch, t.last_fetch,
            coalesce(t.hosts, 0) AS hosts, coalesce(t.domains, 0) AS domains, c.is_sample
        FROM crawls() c LEFT JOIN times t ON t.crawl = c.crawl""")


def make_captures(source, skipped):
    """The column `key` joins the captures with the other tables of the source."""
    if source.is_history:
        keys, place, tables = "h.policy_id AS lines_key", """a.warc_filename AS archive, r.warc_record_offset AS record_offset, NULL::BIGINT AS record_length,
            r.warc_record_in_member AS in_member, NULL::VARCHAR AS rules_archive, NULL::BIGINT AS rules_offset, NULL::INTEGER AS rules_in_member,
            reason_of(h.fetch_status, NULL, false, h.wildcard_verdict, h.wildcard_basis, false) AS reason""", """
            JOIN host_captures r ON r.capture_no = h.host_id LEFT JOIN archives a ON a.crawl = r.crawl AND a.archive_no = r.archive_no"""
    else:
        other = "h.rules_robots_id <> h.authoritative_robots_id"
        keys, place, tables = "{'crawl': h.crawl, 'robots_id': h.rules_robots_id} AS lines_key", f"""f.warc_filename AS archive, f.warc_record_offset AS record_offset,
            f.warc_record_length::BIGINT AS record_length, f.warc_record_in_member::INTEGER AS in_member, CASE WHEN {other} THEN r.warc_filename END AS rules_archive,
            CASE WHEN {other} THEN r.warc_record_offset END AS rules_offset, CASE WHEN {other} THEN r.warc_record_in_member END::INTEGER AS rules_in_member,
            s.reason""", """
            LEFT JOIN robots_files f ON f.crawl = h.crawl AND f.robots_id = h.authoritative_robots_id
            LEFT JOIN robots_files r ON r.crawl = h.crawl AND r.robots_id = h.rules_robots_id
            LEFT JOIN reasons_for('*') s ON s.host_id = h.host_id"""
    order = "h.host_id" if source.is_history else "k.position"
    source.rows(f"""CREATE TABLE site.captures AS
        SELECT h.surt_host_name AS host, (row_number() OVER (PARTITION BY h.surt_host_name ORDER BY {order}) - 1)::INTEGER AS number, k.position AS crawl, {STATE},
            {place}, CASE WHEN reason IN ('refused', 'payment', 'origin_down') THEN reason END AS refusal, h.host_id AS key, {keys}
        FROM hosts h JOIN site.crawls k ON k.crawl = h.crawl {tables}
        WHERE NOT {skipped}
        ORDER BY host, number""")


def make_connections(source):
    """Pairs of consecutive crawls of which the smaller one has at least half of its hosts in the other: a chart connects them."""
    source.rows("""CREATE TABLE site.connections AS
        WITH sizes AS (SELECT c.crawl, count(*) AS hosts FROM site.captures c GROUP BY c.crawl),
        common AS (
            SELECT b.crawl, count(*) AS hosts FROM site.captures a JOIN site.captures b ON b.host = a.host AND b.crawl = a.crawl + 1 GROUP BY b.crawl)
        SELECT c.crawl FROM common c JOIN sizes a ON a.crawl = c.crawl - 1 JOIN sizes b ON b.crawl = c.crawl WHERE 2 * c.hosts >= least(a.hosts, b.hosts)""")


def make_verdicts(source):
    """Rows of consecutive captures are one row: `number` is the first of them."""
    source.rows("""CREATE TABLE site.verdicts AS
        WITH named AS (
            SELECT c.host, v.agent, c.number, v.verdict, v.verdict_google AS google, v.verdict_rfc9309 AS rfc9309, v.verdict_koster1996 AS koster1996, v.basis,
                v.evidence_line AS line, c.number - row_number() OVER (PARTITION BY c.host, v.agent, v.verdict, v.verdict_google, v.verdict_rfc9309,
                    v.verdict_koster1996, v.basis, v.evidence_line ORDER BY c.number) AS island
            FROM host_verdicts v JOIN site.captures c ON c.key = v.host_id)
        SELECT n.host, n.agent, min(n.number)::INTEGER AS number, count(*)::INTEGER AS captures, n.verdict, n.google, n.rfc9309, n.koster1996, n.basis, n.line
        FROM named n
        GROUP BY n.host, n.agent, n.verdict, n.google, n.rfc9309, n.koster1996, n.basis, n.line, n.island
        ORDER BY n.host, n.agent, min(n.number)""")


def make_rules(source):
    """The lines as they are written, without comments: values end before a `#`."""
    key = "policy_id" if source.is_history else "{'crawl': t.crawl, 'robots_id': t.robots_id}"
    prefix = "policy_" if source.is_history else ""
    key = f"t.{key}" if source.is_history else key
    source.rows(f"""CREATE TABLE site.rules AS
        WITH spans AS (
            SELECT s.host, s.lines_key, min(s.number)::INTEGER AS number, count(*)::INTEGER AS captures
            FROM (SELECT c.host, c.number, c.lines_key, c.number - row_number() OVER (PARTITION BY c.host, c.lines_key ORDER BY c.number) AS island FROM site.captures c
                WHERE c.lines_key IS NOT NULL) s
            GROUP BY s.host, s.lines_key, s.island),
        lines AS (
            SELECT {key} AS lines_key, t.line_no AS line, t.key_raw || CASE WHEN t.has_colon THEN ': ' ELSE ' ' END || t.agent_raw AS text FROM {prefix}groups t
            UNION ALL
            SELECT {key}, t.line_no, t.key_raw || CASE WHEN t.has_colon THEN ': ' ELSE ' ' END || t.path_raw FROM {prefix}rules t)
        SELECT s.host, s.number, s.captures, l.line, l.text
        FROM spans s JOIN lines l ON l.lines_key = s.lines_key
        QUALIFY row_number() OVER (PARTITION BY s.host, s.number ORDER BY l.line) <= {LINES_MAX}
        ORDER BY s.host, s.number, l.line""")


def make_members(source):
    """The crawlers of the site, and the names whose groups each of them obeys, with its own at place 0."""
    if source.is_history:
        names = "SELECT s.agent, max(s.hosts) FILTER (s.basis = 'explicit') AS hosts FROM shares s GROUP BY s.agent"
    else:
        names = f"""SELECT coalesce(g.agent, n.agent) AS agent, n.hosts FROM (SELECT '*' AS agent UNION SELECT a.agent FROM agents a) g FULL JOIN (
            SELECT v.agent, max(v.hosts) AS hosts FROM (
                SELECT v.agent, v.crawl, count(*) AS hosts FROM host_verdicts v WHERE v.basis IN ('explicit', 'too_complex') GROUP BY v.agent, v.crawl) v
            GROUP BY v.agent) n ON n.agent = g.agent
            WHERE g.agent IS NOT NULL OR n.hosts >= {NAMING_MIN}"""
    source.rows(f"""CREATE TABLE site.members AS
        SELECT n.agent, g.token, g.operator, g.category, g.fallbacks, coalesce(g.ignores_wildcard, false) AS ignores_wildcard
        FROM ({names}) n LEFT JOIN agents g ON g.agent = n.agent
        QUALIFY row_number() OVER (ORDER BY g.agent IS NULL AND n.agent <> '*', n.hosts DESC NULLS LAST, n.agent) <= {AGENTS_MAX}
        ORDER BY n.agent""")
    source.rows("""CREATE TABLE site.obeyed AS
        SELECT m.agent, m.agent AS name, 0 AS place FROM site.members m WHERE m.agent <> '*'
        UNION ALL
        SELECT m.agent, trim(unnest(string_split(m.fallbacks, ','))), unnest(range(1, 1 + len(string_split(m.fallbacks, ',')))) FROM site.members m
        WHERE m.fallbacks IS NOT NULL""")


def named(where):
    """Returns a query for the hosts with a group that a crawler obeys."""
    return f"""SELECT v.host_id, o.agent, arg_min(v.verdict, o.place) AS verdict, arg_min(v.basis, o.place) AS basis
        FROM host_verdicts v JOIN site.obeyed o ON o.name = v.agent
        WHERE v.basis IN ('explicit', 'too_complex') AND {where}
        GROUP BY v.host_id, o.agent"""


def make_trends(source):
    """Counts are over all hosts, also those that the site leaves out."""
    shares = "SELECT s.agent, s.crawl, s.verdict, s.basis, s.hosts, s.domains_any AS domains, s.largest_domain FROM shares s" if source.is_history else f"""
        WITH named AS ({named('true')}),
        unnamed AS (
            SELECT h.crawl, h.host_id, h.domain, k.kind,
                CASE WHEN k.kind <> '*' AND NOT h.has_named_rows THEN 'unknown' WHEN k.kind = 'ignores' AND h.wildcard_basis <> 'http_status' THEN 'allow_all'
                    ELSE h.wildcard_verdict END AS verdict,
                CASE WHEN k.kind <> '*' AND NOT h.has_named_rows THEN 'too_complex' WHEN k.kind = 'ignores' AND h.wildcard_basis <> 'http_status' THEN 'no_group'
                    ELSE h.wildcard_basis END AS basis
            FROM hosts h CROSS JOIN (VALUES ('*'), ('obeys'), ('ignores')) k(kind)),
        kinds AS (SELECT m.agent, CASE WHEN m.agent = '*' THEN '*' WHEN m.ignores_wildcard THEN 'ignores' ELSE 'obeys' END AS kind FROM site.members m),
        terms AS (
            SELECT k.agent, u.crawl, u.verdict, u.basis, u.hosts FROM kinds k JOIN (
                SELECT u.crawl, u.kind, u.verdict, u.basis, count(*) AS hosts FROM unnamed u GROUP BY ALL) u ON u.kind = k.kind
            UNION ALL
            SELECT n.agent, u.crawl, unnest([u.verdict, n.verdict]), unnest([u.basis, n.basis]), unnest([-1, 1])
            FROM named n JOIN kinds k ON k.agent = n.agent JOIN unnamed u ON u.host_id = n.host_id AND u.kind = k.kind),
        domains AS (
            SELECT d.agent, d.crawl, count(*) AS domains, max(d.hosts) AS largest_domain FROM (
                SELECT n.agent, h.crawl, h.domain, count(*) AS hosts FROM named n JOIN hosts h ON h.host_id = n.host_id WHERE n.{BY_NAME.replace('basis', 'n.basis')} GROUP BY ALL) d
            GROUP BY d.agent, d.crawl)
        SELECT t.agent, t.crawl, t.verdict, t.basis, sum(t.hosts) AS hosts, any_value(d.domains) AS domains, any_value(d.largest_domain) AS largest_domain
        FROM terms t LEFT JOIN domains d ON d.agent = t.agent AND d.crawl = t.crawl
        GROUP BY t.agent, t.crawl, t.verdict, t.basis"""
    source.rows(f"""CREATE TABLE site.trends AS
        SELECT s.agent, k.position AS crawl, coalesce(sum(s.hosts) FILTER (s.verdict <> 'unknown'), 0)::BIGINT AS hosts,
            coalesce(sum(s.hosts) FILTER ({BY_NAME}), 0)::BIGINT AS by_name,
            coalesce(sum(s.hosts) FILTER (verdict = 'disallow_all' AND basis NOT IN ('explicit', 'http_status')), 0)::BIGINT AS by_wildcard,
            coalesce(sum(s.hosts) FILTER (verdict = 'disallow_all' AND basis = 'http_status'), 0)::BIGINT AS by_status,
            coalesce(sum(s.hosts) FILTER (verdict = 'partial'), 0)::BIGINT AS partly,
            coalesce(max(s.domains) FILTER ({BY_NAME}), 0)::BIGINT AS domains_by_name, coalesce(max(s.largest_domain) FILTER ({BY_NAME}), 0)::BIGINT AS largest_domain
        FROM ({shares}) s JOIN site.crawls k ON k.crawl = s.crawl JOIN site.members m ON m.agent = s.agent
        GROUP BY s.agent, k.position
        ORDER BY s.agent, k.position""")


def make_blockers(source, skipped):
    source.rows(f"""CREATE TABLE site.blockers AS
        WITH last_crawl AS (SELECT k.crawl FROM site.crawls k WHERE k.hosts > 0 ORDER BY k.position DESC LIMIT 1),
        blocks AS (
            SELECT n.agent, h.domain, count(*) AS hosts, min(h.surt_host_name) AS host,
                -- A host without a registered domain is its own.
                CASE WHEN any_value(h.url_host_registered_domain) IS NULL THEN array_to_string(list_reverse(string_split(h.domain, ',')), '.') ELSE h.domain END AS name
            FROM ({named('v.crawl = (SELECT l.crawl FROM last_crawl l)')}) n
            JOIN hosts h ON h.host_id = n.host_id
            WHERE n.verdict = 'disallow_all' AND n.basis = 'explicit' AND NOT {skipped}
            GROUP BY n.agent, h.domain)
        SELECT b.agent, row_number() OVER (PARTITION BY b.agent ORDER BY b.hosts DESC, b.name)::INTEGER AS rank, b.name AS domain, b.hosts::INTEGER AS hosts, b.host
        FROM blocks b
        QUALIFY rank <= {DOMAINS_MAX}
        ORDER BY b.agent, rank""")
