"""Compares the answers of the research questions with an independent computation in plain Python.

Usage: test_independent.py PROGRAM [DATASET]

tests/python/independent/ reads the two sample crawls of data-samples/warc itself, without robots-scan or any code of this project, and
answers the questions from their definitions: docs/verdicts.md, docs/tables.md and the comments of jobs/queries/. PROGRAM scans each
of these archives, the later one first, and joins both. The macros of the joined folder must give the same rows in all their columns. Numbers with fractions may differ by 1e-6, because
macros round shares to six digits. With a DATASET that has these crawls among others, the macros are also compared by their parameter
`crawl`.

Anomalies, preferences, verdicts by dialect, templates, software and the places of records are not computed, but read from the tables
(independent/tables.py): of questions about these, the counting is tested. The test of a question is `test_` and the name of its macro.
"""

import inspect
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True

import test_queries
import test_runner
from dataset import opened
from independent.archive import read_captures
from independent.hosts import Crawls, read_registry
from independent.questions import Questions
from independent.robots_txt import whole_name
from independent.tables import Tables


ROOT = Path(__file__).resolve().parents[2]
ARCHIVES = [ROOT / "data-samples" / "warc" / name for name in ("cc-robotstxt.warc.gz", "cc-robotstxt-later.warc.gz")]
NOTHING = ROOT / "data-samples" / "warc" / "nothing.warc.gz"
REGISTRY = ROOT / "src" / "crawlers" / "agents.csv"

# More rows than any list has: which of equal rows are in a shorter list is not part of a question.
ALL = 100_000

# Macros and arguments. Macros without an entry are called without arguments.
CALLS = {
    "share_of_hosts_blocking": [{}, {"agent": "CCBot"}, {"agent": "Googlebot-News"}, {"agent": "AdsBot-Google"}, {"agent": "MJ12bot"}],
    "most_blocked_agents": [{"top": ALL, "min_hosts": 1}, {"top": ALL}],
    "invitations": [{"top": ALL, "min_hosts": 1}, {"top": ALL}],
    "hosts_or_registered_domains": [{}, {"agent": "ClaudeBot"}],
    "blocking_by_tld": [{"min_hosts": 1}, {}, {"agent": "CCBot", "min_hosts": 5}, {"min_hosts": ALL}],
    "access_in_three": [{}, {"agent": "Googlebot"}, {"agent": "AdsBot-Google-Mobile"}],
    "changes_between_crawls": [{}, {"agent": "CCBot"}],
    "changed_hosts": [{}, {"agent": "CCBot"}, {"agent": "Googlebot-Image"}],
    "names_first_seen": [{}, {"agent": "OAI-SearchBot"}],
    "walled_gardens": [{"top": ALL}],
    "bias_against_agents": [{"top": ALL, "min_hosts": 1}, {"top": ALL, "min_hosts": 20}],
    "agents_blocked_together": [{"top": ALL, "min_hosts": 1}, {"top": ALL, "min_hosts": 5}, {"top": ALL}],
    "most_addressed_names": [{"top": ALL, "min_hosts": 1}, {"top": ALL}, {"top": ALL, "min_hosts": ALL}],
    "other_directives": [{"top": ALL}],
    "blocks_by_origin": [{}, {"agent": "CCBot"}, {"agent": "SemrushBot"}],
    "most_common_rule_sets": [{"top": ALL}, {"top": ALL, "min_domains": 1}, {"top": ALL, "min_domains": ALL}],
    "most_hidden_paths": [{"top": ALL}],
    "hosts_decided_in_every_crawl": [{}, {"agent": "Google-Extended"}],
    "pair_of_agents": [{}, {"any_reason": True}, {"agent_a": "Googlebot", "agent_b": "AhrefsBot", "any_reason": True}],
    "blocking_by_agent": [{"top": ALL}, {"category": "advertising", "top": ALL}, {"category": "archive", "top": ALL}],
    "agents_of_category": [{}, {"category": "ai_search", "at_least": 1}, {"category": "seo", "at_least": 3}],
    "contradictions": [{}, {"agent": "CCBot"}, {"agent": "OAI-SearchBot"}, {"agent": "ChatGPT-User"}, {"agent": "AhrefsBot"}],
    "words_that_contradict": [{}, {"agent": "GPTBot"}],
    "effective_preferences": [{}, {"agent": "GPTBot"}, {"agent": "Googlebot-News"}],
    "blocking_by_reason": [{}, {"by_network": True}, {"agent": "Googlebot-Image"}, {"agent": "AdsBot-Google", "by_network": True}],
    "blocking_by_software": [{"min_hosts": 1}, {}, {"kind": "server", "min_hosts": 1}, {"kind": "template", "agent": "CCBot", "min_hosts": 2}],
    "evidence": [{"agent": "GPTBot"}, {"agent": "CCBot"}],
}

# Questions that join a list or need bodies, for which the samples have none. Their answers over hand-made rows are in test_queries.py.
NOT_COMPUTED = {
    "blocking_by_rank", "blocking_by_webgraph_rank", "blocking_by_label", "archived_pages_of_blocking_hosts",
    "comments_reserving_rights"}

# Questions that compare a crawl with others before it: with `crawl`, they are asked of the two crawls alone.
OVER_TIME = {"change_rates", "names_first_seen", "hosts_decided_in_every_crawl"}

# A macro that is no question, and whose rows have no order.
EVIDENCE = "evidence"


# In the order of the question: rules, then servers, then neither.
REASONS = ("own_name", "fallback_name", "wildcard", "refused", "payment", "origin_down", "undecided", "no_block")


def by_hosts(row):
    return -row["hosts"]


# The order of the rows of a crawl, of questions without `top`; and of those with it, if it is not by hosts.
ORDER = dict.fromkeys((
    "outcome_funnel", "training_or_search", "stated_preferences",
    "blocking_by_software", "blocking_by_category"), by_hosts) | {
    "changes_between_crawls": lambda row: (row["verdict_before"] == row["verdict_after"], -row["hosts"]),
    "blocking_by_reason": lambda row: (REASONS.index(row["reason"]), -row["hosts"], row["waf_hint"] or "~"),
    "blocking_by_tld": lambda row: (-row["hosts"], row["url_host_tld"] or "~"),
    "blocking_by_agent": lambda row: (-row["hosts_blocked_by_name"], -row["hosts_naming"], row["agent"]),
    "most_common_rule_sets": lambda row: (-row["domains_any"], -row["hosts"]), "walled_gardens": lambda row: row["surt_host_name"],
    "changed_hosts": lambda row: (row["verdict_before"] == row["verdict_after"], row["surt_host_name"])}


def literal(value):
    return f"'{value}'" if isinstance(value, str) else str(value)


def rows_of_macro(connection, macro, arguments):
    """The rows of a macro, as dictionaries."""
    call = f"{macro}({', '.join(f'{name} := {literal(value)}' for name, value in arguments.items())})"
    answer = connection.sql(f"FROM {call} WHERE verdict <> 'unknown'" if macro == EVIDENCE else f"FROM {call}")
    return [dict(zip(answer.columns, row)) for row in answer.fetchall()]


def assert_equal(expected, actual, subject):
    """Compares rows in any order: the numbers of a column with fractions by their difference, all other values exactly."""
    columns = set((expected or actual or [{}])[0])
    assert all(set(row) == columns for row in expected + actual), f"{subject}: columns {sorted(set(actual[0]) ^ columns)} are not in both"
    inexact = sorted(column for column in columns if any(isinstance(row[column], float) for row in expected + actual))
    exact = sorted(columns - set(inexact))
    groups = defaultdict(lambda: ([], []))
    for side, rows in enumerate((expected, actual)):
        for row in rows:
            groups[tuple((column, row[column]) for column in exact)][side].append([row[column] for column in inexact])
    problems = []
    for key, sides in groups.items():
        computed, answered = (sorted(side, key=lambda numbers: [-1 if number is None else number for number in numbers]) for side in sides)
        for i in range(max(len(computed), len(answered))):
            pair = [side[i] if i < len(side) else None for side in (computed, answered)]
            if None in pair:
                side, numbers = ("answered", pair[1]) if pair[0] is None else ("computed", pair[0])
                problems.append(f"only {side}: {dict(key)} {dict(zip(inexact, numbers))}")
                continue
            for column, *values in zip(inexact, *pair):
                if (None in values and values != [None, None]) or (None not in values and abs(values[0] - values[1]) > 1.000001e-6):
                    problems.append(f"{column} is computed as {values[0]} and answered as {values[1]}: {dict(key)}")
    assert not problems, f"{subject}: {len(problems)} differences\n  " + "\n  ".join(problems[:12])


class Tests:
    """One test per question that the computation answers."""

    def __init__(self, questions, alone, without_rows, among_others, summary):
        self.questions, self.alone, self.without_rows, self.among_others, self.summary = questions, alone, without_rows, among_others, summary
        self.parameters = self.macros(among_others) if among_others else {}
        self.computed = {name for name in vars(Questions) if not name.startswith("_")}
        for name in self.computed:
            setattr(self, f"test_{name}", lambda name=name: self.compare(name))

    def test_every_question_is_computed(self):
        every = {name for name, in self.alone.sql("SELECT name FROM question_texts()").fetchall()}
        assert self.computed - {EVIDENCE} == every - NOT_COMPUTED, sorted(self.computed ^ (every - NOT_COMPUTED))

    def test_a_dataset_without_rows(self):
        for question in test_queries.without_lists():
            test_queries.check_over_nothing(self.without_rows, question)

    def test_the_summary_of_a_scan(self):
        """The crawlers that are blocked most are those of most_blocked_agents."""
        last = self.questions.crawls.names[-1]
        rows = [row for row in self.questions.most_blocked_agents(min_hosts=1) if row["crawl"] == last and row["hosts"]]
        kept = ("agent", "hosts", "share", "largest_domain", "largest_ruleset")
        first = sorted(rows, key=lambda row: (-row["hosts"], row["agent"]))[:10]
        assert (self.summary["crawl"], self.summary["hosts"]) == (last, rows[0]["of_hosts"]), self.summary
        assert [row["agent"] for row in self.summary["agents"]] == [row["agent"] for row in first], self.summary
        assert_equal([{name: row[name] for name in kept} for row in first], self.summary["agents"], "the summary")

    @staticmethod
    def macros(connection):
        query = "SELECT function_name, parameters FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal"
        return {name: set(parameters) for name, parameters in connection.sql(query).fetchall()}

    def compare(self, macro):
        calls = CALLS.get(macro, [{}])
        for arguments in calls:
            own = {name: value for name, value in arguments.items() if name != "top"}
            expected = getattr(self.questions, macro)(**own)
            parameters = inspect.signature(getattr(self.questions, macro)).parameters
            if "agent" in parameters:
                agent = own.get("agent", parameters["agent"].default)
                expected = [{"agent": whole_name(agent.encode())} | row for row in expected]
            rows = rows_of_macro(self.alone, macro, arguments)
            assert_equal(expected, rows, f"{macro} {arguments}")
            order = ORDER.get(macro, by_hosts if "top" in arguments else lambda row: 0)
            ranks = [(self.questions.crawls.names.index(row["crawl"]) if "crawl" in row else 0, order(row)) for row in rows]
            assert macro == EVIDENCE or ranks == sorted(ranks), f"{macro}: the rows are in another order"
            if "top" in arguments:
                self.compare_first_rows(macro, arguments)
            if self.among_others and "crawl" in self.parameters[macro] and arguments is calls[0]:
                for crawl in self.questions.crawls.names:
                    connection = self.alone if macro in OVER_TIME else self.among_others
                    answered = rows_of_macro(connection, macro, arguments | {"crawl": crawl})
                    rows = [row for row in expected if row["crawl"] == crawl]
                    assert_equal(rows, answered, f"{macro} {arguments} of {crawl} alone")

    def compare_first_rows(self, macro, arguments):
        """Checks that a shorter list has the first rows."""
        every = rows_of_macro(self.alone, macro, arguments)
        some = rows_of_macro(self.alone, macro, arguments | {"top": 3})
        parts = [[row for row in every if row["crawl"] == crawl] for crawl in self.questions.crawls.names]
        first = [row for part in parts for row in part[:3]]
        assert some == first, f"{macro}: the list is cut at other rows than the first ones"


def main(program, dataset=None):
    with tempfile.TemporaryDirectory() as folder:
        def scan(name, *archives):
            done = subprocess.run([program, *archives, "-q", "--json", "-o", Path(folder) / name], capture_output=True, timeout=120)
            assert done.returncode in (0, 1), done.stderr
            return json.loads(done.stdout)

        scan("joined/1-later", ARCHIVES[1])
        scan("joined/2-earlier", ARCHIVES[0])
        subprocess.run([program, "join", Path(folder) / "joined", "-q"], check=True, timeout=120)
        alone = opened(Path(folder) / "joined")
        scan("nothing", NOTHING)
        questions = Questions(Crawls(read_captures(ARCHIVES)), read_registry(REGISTRY), Tables(alone))
        summary = scan("both", *ARCHIVES)["most_blocked"]
        return test_runner.run(Tests(questions, alone, opened(Path(folder) / "nothing"), opened(dataset) if dataset else None, summary))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(1 if main(*sys.argv[1:]) else 0)
