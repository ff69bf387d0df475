"""Measures robots.txt across the web.

``parse`` reads one robots.txt file exactly as the command ``robots-scan`` does, in three readings of the protocol:

>>> import robots_scan
>>> robots = robots_scan.parse(b"User-agent: GPTBot\\nUser-agent: CCBot\\nDisallow: /\\n")
>>> robots.can_fetch("CCBot", "https://example.com/")
False
>>> robots.verdict("Googlebot")
'allow_all'
"""

import atexit

from robots_scan import _native
from robots_scan._commands import bodies, history, join, match, read, records, scan, verify
from robots_scan._errors import Error, StoppedError, UsageError
from robots_scan._native import RobotsTxt, Table, TableStream, __version__, parse, robots_allowed, robots_preference, robots_verdict, select_sql
from robots_scan._results import Access, Anomaly, Group, Preference, RequestRate, Rule

__all__ = [
    "Access",
    "Anomaly",
    "Error",
    "Group",
    "Preference",
    "RequestRate",
    "RobotsTxt",
    "Rule",
    "StoppedError",
    "Table",
    "TableStream",
    "UsageError",
    "__version__",
    "bodies",
    "history",
    "join",
    "match",
    "parse",
    "read",
    "records",
    "robots_allowed",
    "robots_preference",
    "robots_verdict",
    "scan",
    "select_sql",
    "verify",
]

atexit.register(_native.log_warnings)
