"""Rows of the tables that the computation takes as given: what the program finds in a capture, and does not count."""

from collections import defaultdict

# The tables, and the columns that questions need of them.
COLUMNS = {
    "robots_files": "ruleset_id, template, vendor_first_line, vendor_last_line, waf_hint, http_server, warc_filename, warc_record_offset, warc_record_length, warc_record_in_member",
    "anomalies": "code, severity, line_no, changes_verdict",
    "preferences": "mechanism, pref_key, pref_value, from_template",
    "file_preferences": "agent, mechanism, category, preference, has_disallowed",
    "verdicts": "agent, verdict_google, verdict_rfc9309, verdict_koster1996",
}


class Tables:
    """The rows of each table by capture. No two captures of the samples have the same crawl, URL and time."""

    def __init__(self, connection):
        self.rows = {table: defaultdict(list) for table in COLUMNS}
        for table, columns in COLUMNS.items():
            answer = connection.sql(f"SELECT crawl, f.url, f.fetch_time, {columns} FROM {table} t JOIN "
                                    f"(SELECT crawl, robots_id, url, fetch_time FROM robots_files) f USING (crawl, robots_id)")
            for row in answer.fetchall():
                self.rows[table][row[:3]].append(dict(zip(answer.columns[3:], row[3:])))

    def of(self, table, capture):
        return self.rows[table][capture.crawl, capture.url, capture.time]

    def file(self, capture):
        """The row of robots_files."""
        row, = self.of("robots_files", capture)
        return row
