"""What the commands return: the documents that they print with ``--json``."""

import typing


class BlockedAgent(typing.TypedDict):
    """A crawler, the hosts that name it and disallow everything, and the parts of these in one domain and with one rule set."""

    agent: str
    hosts: int
    share: float
    largest_domain: float
    largest_ruleset: float


class MostBlocked(typing.TypedDict):
    """The crawlers that are blocked most, of the hosts of the last crawl with a known verdict for ``*``."""

    crawl: str | None
    hosts: int
    agents: list[BlockedAgent]


class InputError(typing.TypedDict):
    """The error of an input that could not be read."""

    kind: str
    message: str
    path: str | None
    hint: str | None


class ScanSummary(typing.TypedDict):
    """The summary of ``scan``, ``records`` and ``bodies``."""

    output: str
    exit_code: int
    inputs: int
    bytes: int
    records: int
    records_by_type: dict[str, int]
    captures: int
    captures_by_status: dict[str, int]
    most_blocked: MostBlocked | None
    faults: int
    resumed_faults: int
    failed_inputs: int
    errors: list[InputError]
    requests: int
    parts: int
    resumed_parts: int
    resumed_rows: int
    rows: dict[str, int]
    bytes_written: int
    seconds: float


class MatchSummary(typing.TypedDict):
    """The summary of ``match``."""

    output: str
    exit_code: int
    dialect: str
    category: str | None
    agents: list[str]
    urls: int
    changed_urls: int
    origins: int
    files: int
    rows: int
    rows_by_access: dict[str, int]
    rows_by_basis: dict[str, int]
    sort_runs: int
    bytes_written: int
    dataset_is_whole: bool
    seconds: float


class JoinSummary(typing.TypedDict):
    """The summary of ``join``."""

    output: str
    exit_code: int
    members: list[str]
    crawls: list[str]
    kept_crawls: int
    rows: int
    bytes_written: int
    most_blocked: MostBlocked | None
    seconds: float


class HistorySummary(typing.TypedDict):
    """The summary of ``history``."""

    output: str
    exit_code: int
    crawls: list[str]
    crawls_read: int
    hosts: int
    captures: int
    periods: int
    agent_periods: int
    policies: int
    files: int
    bytes_written: int
    seconds: float


class Finding(typing.TypedDict):
    """A problem of a dataset."""

    kind: str
    path: str
    what: str
    remedy: str


class VerifyReport(typing.TypedDict):
    """The report of ``verify``."""

    dataset: str
    exit_code: int
    findings: list[Finding]
    findings_by_kind: dict[str, int]
    notes: list[str]
    not_checked: list[str]
    parts: int
    files: int
    sound_files: int
    rows: int
    captures: int
    bytes: int
    seconds: float
    crawls: typing.NotRequired[int]
