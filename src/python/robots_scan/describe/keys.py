"""The columns that identify a row of a table, and those that name a row of another one."""

# The keys that docs/tables.md states; tests/python/test_describe.py checks that they are unique. Tables whose rows have no key are left out.
KEYS = {
    "hosts": ("crawl", "surt_host_name"),
    "host_verdicts": ("crawl", "surt_host_name", "agent"),
    "robots_files": ("crawl", "robots_id"),
    "groups": ("crawl", "robots_id", "line_no"),
    "rules": ("crawl", "robots_id", "line_no"),
    "sitemaps": ("crawl", "robots_id", "line_no"),
    "directives": ("crawl", "robots_id", "line_no"),
    "verdicts": ("crawl", "robots_id", "agent"),
    "agents": ("agent",),
    "runs": ("crawl", "subset", "part"),
    "crawls": ("crawl",),
    "archives": ("crawl", "archive_no"),
    "host_captures": ("capture_no",),
    "host_periods": ("host_no", "period_no"),
    "host_contents": ("surt_host_name", "content_no"),
    "agent_periods": ("agent", "surt_host_name", "first_period_no"),
    "policies": ("policy_id",),
    "policy_groups": ("policy_id", "line_no"),
    "policy_rules": ("policy_id", "line_no"),
    "policy_directives": ("policy_id", "line_no"),
    "policy_verdicts": ("policy_id", "agent"),
    "shares": ("agent", "crawl", "verdict", "basis"),
}
# Columns with the value of a column of another table, which is unique there. Programs that read Croissant may join by them, so that none may repeat rows.
REFERENCES = {
    **{(table, "host_id"): ("hosts", "host_id") for table in ("host_verdicts", "host_preferences")},
    **{(table, "robots_id"): ("robots_files", "robots_id")
       for table in ("groups", "rules", "sitemaps", "directives", "preferences", "file_preferences", "anomalies", "verdicts")},
    **{(table, "crawl"): ("crawls", "crawl") for table in ("archives", "shares")},
    **{(table, "policy_id"): ("policies", "policy_id") for table in ("host_periods", "policy_groups", "policy_rules", "policy_directives", "policy_verdicts")},
}


def key_of(table):
    """Returns the key of a table, or nothing if it has none."""
    return KEYS.get(table.name, ())


def reference_of(dataset, table, column):
    """Returns the table and the column that a column refers to, or None. In a joined folder, captures of different crawls may have the same `robots_id`."""
    target = REFERENCES.get((table.name, column.name))
    is_unique = target is not None and not (dataset.members and target[0] == "robots_files")
    return target if is_unique and target[0] in dataset.tables else None
