"""Tests the macros of the research questions on two small crawls whose answers were worked out on paper.

    python jobs/test_truth.py target/debug/robots-scan

jobs/truth/crawl.toml describes the crawls, jobs/truth/answers.py has the answers with their arithmetic. The crawls are scanned separately,
and joined with the newer one first. (test_independent.py asks a dataset of one run.)

Intervals are tested on random samples of ten small archives: low and high must be those of the formula in a textbook, computed here from
the totals of the archives.
"""

import datetime
import gzip
import math
import re
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import duckdb

import test_independent
import test_queries
import test_runner
from dataset import opened
from truth import answers, crawl

TIMEOUT_SECONDS = 120
TRUTH = Path(__file__).resolve().parent / "truth"
TEXTS = crawl.definition()["texts"]
NUMBERS = ("DOUBLE", "FLOAT", "INTEGER", "BIGINT", "HUGEINT", "SMALLINT")


def run(program, *arguments):
    """Runs the program, which must succeed."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}"


def number(text):
    """Evaluates a number, a fraction or a sum, exactly."""
    assert re.fullmatch(r"[0-9.+*/() ]+", text), f"'{text}' is not a number"
    value = eval(re.sub(r"[0-9.]+", lambda match: f"Fraction('{match.group()}')", text), {"Fraction": Fraction})
    return f"{float(value):.6f}"


def expected_cell(text, kind):
    if text == "-":
        return None
    if kind in NUMBERS:
        return number(text)
    line = re.fullmatch(r"line (\d+) of (\w+)", text)
    if line:
        return TEXTS[line.group(2)].splitlines()[int(line.group(1)) - 1]
    return answers.CRAWLS.get(text, text)


def found_cell(value, kind):
    if value is None:
        return None
    if kind in NUMBERS:
        return f"{value:.6f}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def compare(connection, answer, lists):
    """Compares the rows of a macro with those of paper, and requires that no column is left out unseen."""
    name_of_macro = f"{answer.question} {answer.call.split('(')[0]}"
    try:
        cursor = connection.execute(f"FROM {answer.call.replace('{lists}', str(lists))}")
    except duckdb.Error as error:
        return [f"{name_of_macro}: {str(error).splitlines()[0]}"]
    kinds = {column[0]: str(column[1]) for column in cursor.description}
    rows = [dict(zip(kinds, row)) for row in cursor.fetchall()]
    lines = [line for line in answer.table.strip().splitlines() if not line.startswith("#")]
    columns = [name.strip() for name in lines[0].split("|")]
    left_out = set(kinds) - set(columns) - set(answer.omitted)
    # The column agent of a question about one crawler has one value.
    if "agent" in left_out and len({row["agent"] for row in rows}) <= 1:
        left_out.remove("agent")
    if not set(columns) <= set(kinds) or not left_out <= {"low", "high"}:
        return [f"{name_of_macro}: the columns are {', '.join(kinds)}, and those on paper {', '.join(columns)}"]
    if any(row[name] is not None for row in rows for name in left_out):
        return [f"{name_of_macro}: an interval without a sample"]
    got = [tuple(found_cell(row[name], kinds[name]) for name in columns) for row in rows]
    want = []
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.split(" | ")]
        assert len(cells) == len(columns), f"{answer.call}: {len(cells)} cells for {len(columns)} columns in '{line}'"
        want.append(tuple(expected_cell(cell, kinds[name]) for name, cell in zip(columns, cells)))
    if answer.in_any_order:
        got, want = sorted(got, key=str), sorted(want, key=str)
    if len(got) != len(want):
        return [f"{name_of_macro}: {len(got)} rows instead of {len(want)}: {got}"]
    differences = [(i + 1, name, g, w) for i, rows in enumerate(zip(got, want)) for name, g, w in zip(columns, *rows) if g != w]
    if answer.defect and not differences:
        return [f"{name_of_macro}: the defect is gone, remove it from answers.py: {answer.defect}"]
    return [f"{name_of_macro}: row {row}: {name} is {g!r} instead of {w!r}" for row, name, g, w in differences
            if name not in answer.defect_columns or answer.defect_rows and answer.defect_rows not in want[row - 1]]


def write_lists(folder):
    for name, text in answers.LISTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    connection = duckdb.connect()
    for name, rows in answers.HOST_INDEX.items():
        part = folder / "host-index" / f"crawl={name}"
        part.mkdir(parents=True)
        connection.execute("CREATE OR REPLACE TABLE host_index (surt_host_name VARCHAR, url_host_registered_domain VARCHAR, "
                           "url_host_tld VARCHAR, hcrank10 DOUBLE, fetch_200 INTEGER)")
        connection.executemany("INSERT INTO host_index VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute(f"COPY host_index TO '{part}/part-0.parquet'")


# ---- samples ------------------------------------------------------------------------------------------------------------------------

SAMPLE_CRAWL = "CC-SAMPLE-2025-01"

# Ten archives. Of each: the hosts that block GPTBot by name, the hosts with other rules, the hosts without a capture that decides.
ARCHIVES = [(1, 2, 0), (0, 3, 1), (3, 1, 0), (2, 4, 0), (0, 0, 2), (1, 5, 1), (4, 4, 0), (0, 2, 0), (2, 1, 3), (1, 1, 0)]

# The quantile 0.975 of Student's distribution by degrees of freedom (R: qt(0.975, 1:9)).
STUDENT = {4: 2.776445, 5: 2.570582, 6: 2.446912, 7: 2.364624, 8: 2.306004, 9: 2.262157}


def write_sample_archives(folder):
    """Writes the ten archives; every host is a domain of its own."""
    start = datetime.datetime(2025, 1, 1)
    paths = []
    for number_of_archive, (blocking, other, undecided) in enumerate(ARCHIVES):
        archive = crawl.Archive(SAMPLE_CRAWL, number_of_archive)
        captures = [{"text": "blog"}] * blocking + [{"text": "tmp"}] * other
        captures += [{"status": 301, "location": "https://elsewhere.example/robots.txt"}] * undecided
        for index, capture in enumerate(captures):
            url = f"https://h{index}-{number_of_archive}.example/robots.txt"
            archive.capture({"url": url, **capture}, TEXTS, start + datetime.timedelta(minutes=index))
        paths.append(archive.write(folder))
    return paths


def interval(archives, of_list):
    """Returns the share x / n over archives with totals (x, n), and its 95 percent interval.

    The archives are a simple random sample of clusters, so the share is a ratio of two totals. With k archives of K, mean size m and ratio
    r, its variance is (1 - k / K) / (k m^2) * sum((x - r n)^2) / (k - 1) (Cochran, Sampling Techniques, equation 6.13), and the interval
    is r plus and minus the quantile of Student's distribution for k - 1 degrees of freedom times its square root.
    """
    k = len(archives)
    x, n = sum(a[0] for a in archives), sum(a[1] for a in archives)
    ratio, mean = x / n, n / k
    squares = sum((a[0] - ratio * a[1]) ** 2 for a in archives) / (k - 1)
    margin = STUDENT[k - 1] * math.sqrt((1 - k / of_list) / (k * mean**2) * squares)
    return ratio, margin


class Tests:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.older, self.newer = crawl.write_crawls(folder)
        write_lists(folder)
        self.sample_archives = write_sample_archives(folder)
        self.together = folder / "together.parquet"
        self.scan(self.together, self.older, self.newer)

    def scan(self, output, *inputs):
        run(self.program, "scan", *inputs, "-o", output, "-q", "--with-bodies", "--agents", TRUTH / "agents.csv")

    def test_the_answers_over_a_joined_folder_are_those_of_paper(self):
        joined = self.folder / "joined"
        self.scan(joined / "1-newer", self.newer)
        self.scan(joined / "2-older", self.older)
        run(self.program, "join", joined, "-q")
        connection = opened(joined)
        differences = [text for answer in answers.ANSWERS for text in compare(connection, answer, self.folder)]
        assert not differences, f"{len(differences)} differences\n    " + "\n    ".join(differences)

    def test_one_crawl_has_the_rows_that_it_has_among_all(self):
        connection = opened(self.together)
        with_crawl = {name for (name,) in connection.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE list_contains(parameters, 'crawl')").fetchall()}
        differences = []
        for answer in answers.ANSWERS:
            name, _, arguments = answer.call.replace("{lists}", str(self.folder)).partition("(")
            if name not in with_crawl & test_independent.NOT_COMPUTED:  # Of the others, test_independent.py asks for single crawls.
                continue
            every = connection.execute(f"FROM {name}({arguments}").fetchall()
            for crawl_name in answers.CRAWLS.values():
                one = connection.execute(f"FROM {name}(crawl := '{crawl_name}'{', ' * (arguments != ')')}{arguments}").fetchall()
                if one != [row for row in every if row[0] == crawl_name]:
                    differences.append(f"{answer.question} {name} of {crawl_name}")
        assert len(with_crawl) >= 30 and not differences, differences

    def test_every_question_is_answered_on_paper(self):
        questions = {path.name[:3] for path in (TRUTH.parent / "queries").glob("*.sql")}
        answered = {answer.question for answer in answers.ANSWERS}
        assert questions <= answered, f"without an answer: {sorted(questions - answered)}"
        assert answered <= questions, f"not a question: {sorted(answered - questions)}"

    def sampled(self, size, seed):
        """Scans a sample, and returns the dataset and the numbers of its archives."""
        dataset = self.folder / f"sample-{size}-{seed}.parquet"
        if not dataset.exists():
            run(self.program, "scan", *self.sample_archives, "-o", dataset, "-q", "--sample", size, "--seed", seed)
        connection = opened(dataset)
        names = [name for (name,) in connection.execute("SELECT DISTINCT warc_filename FROM robots_files").fetchall()]
        numbers = sorted(int(re.search(r"-(\d{5})\.warc", name).group(1)) for name in names)
        assert len(numbers) == size, f"{len(numbers)} archives instead of {size}"
        return connection, numbers

    def test_intervals_are_those_of_the_textbook(self):
        # Shares for a crawler or a category, of a ranking, and of a class: blocks of GPTBot among decided hosts, and rules among all hosts.
        questions = [
            ("SELECT blocked_by_name, low, high FROM share_of_hosts_blocking()", lambda b, o, u: (b, b + o)),
            ("SELECT share, low, high FROM most_blocked_agents() WHERE agent = 'gptbot'", lambda b, o, u: (b, b + o)),
            ("SELECT blocked_by_name, low, high FROM blocking_by_agent() WHERE agent = 'gptbot'", lambda b, o, u: (b, b + o)),
            ("SELECT share, low, high FROM blocking_by_category() WHERE category = 'ai_training'", lambda b, o, u: (b, b + o)),
            ("SELECT share, low, high FROM outcome_funnel() WHERE outcome = 'robots.txt with rules'", lambda b, o, u: (b + o, b + o + u)),
            ("SELECT share, low, high FROM most_hidden_paths() WHERE path = '/tmp/'", lambda b, o, u: (o, b + o)),
            ("SELECT hosts_blocked, low, high FROM hosts_or_registered_domains() WHERE reason = 'name'", lambda b, o, u: (b, b + o)),
        ]
        for size, seed in ((5, 1), (6, 1), (9, 1)):
            connection, numbers = self.sampled(size, seed)
            for query, totals in questions:
                ratio, margin = interval([totals(*ARCHIVES[i]) for i in numbers], len(ARCHIVES))
                share, low, high = connection.execute(query).fetchone()
                assert abs(share - ratio) <= 1e-6, f"archives {numbers}: {query}: share {share} instead of {ratio}"
                for end, want in ((low, max(0, ratio - margin)), (high, min(1, ratio + margin))):
                    # The macro approximates the quantile by a polynomial, to 0.3 percent for 4 degrees of freedom.
                    assert abs(end - want) <= 0.003 * margin + 1e-6, f"archives {numbers}: {query}: {low} to {high} instead of {ratio} ± {margin}"

    def test_the_shards_of_a_sample_have_its_interval(self):
        joined = self.folder / "shards"
        for shard in ("1/2", "2/2"):
            run(self.program, "scan", *self.sample_archives, "-o", joined / shard[0], "-q", "--sample", 6, "--seed", 1, "--shard", shard)
        run(self.program, "join", joined, "-q")
        for macro in ("share_of_hosts_blocking()", "outcome_funnel()"):
            whole = self.sampled(6, 1)[0].execute(f"FROM {macro}").fetchall()
            assert opened(joined).execute(f"FROM {macro}").fetchall() == whole, macro

    def test_one_interval_worked_out_by_hand(self):
        # Archives 0, 2, 3, 6, 9 of ten: x = 1, 3, 2, 4, 1 and n = 3, 4, 6, 8, 2; 11 of 23 hosts. With r = 11/23 the residuals x - r n are
        # -10/23, 25/23, -20/23, 4/23, 1/23; their squares add up to 1142/529, and s^2 = 1142/2116 = 0.539698. The variance is
        # (1 - 5/10) / (5 * 4.6^2) * s^2 = 0.00255056, its root 0.0505031, and the margin 2.776445 * 0.0505031 = 0.140219.
        totals = [(1, 3), (3, 4), (2, 6), (4, 8), (1, 2)]
        ratio, margin = interval(totals, 10)
        assert abs(ratio - 11 / 23) < 1e-9 and abs(margin - 0.140219) < 1e-6, (ratio, margin)
        x, n = sum(x for x, _ in totals), sum(n for _, n in totals)
        sums = [x, n, sum(x * x for x, _ in totals), sum(x * n for x, n in totals), sum(n * n for _, n in totals)]
        assert sums == [11, 23, 31, 61, 129], sums
        got, = opened(self.together).execute("SELECT margin_of(11, 23, 31, 61, 129, {'archives_read': 5, 'archives_listed': 10})").fetchone()
        assert abs(got - 0.140219) <= 0.003 * 0.140219, got

    def test_no_interval_without_a_sample(self):
        # All ten archives; a sample of four, which is too small; a sample of all archives has no error of sampling.
        dataset = self.folder / "all-archives.parquet"
        run(self.program, "scan", *self.sample_archives, "-o", dataset, "-q")
        for connection in (opened(dataset), self.sampled(4, 1)[0], self.sampled(10, 1)[0]):
            for macro in ("share_of_hosts_blocking()", "most_blocked_agents()", "outcome_funnel()", "most_hidden_paths()"):
                rows = connection.execute(f"SELECT low, high FROM {macro}").fetchall()
                assert rows and set(rows) == {(None, None)}, f"{macro}: {rows}"

    def test_a_dataset_without_rows(self):
        header = "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        record = header + "WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
        archive = self.folder / "nothing.warc.gz"
        archive.write_bytes(gzip.compress(record.encode()))
        run(self.program, "scan", archive, "-o", self.folder / "nothing.parquet", "-q")
        connection = opened(self.folder / "nothing.parquet")
        for question in test_queries.without_lists():
            message = test_queries.error_of(connection, question.call)
            if question.name in test_queries.OVER_NOTHING:
                assert message is None and len(connection.execute(question.call).fetchall()) == 1, f"{question.name}: {message}"
            else:
                assert message is not None and "no host of this dataset has" in message, f"{question.name}: {message}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: test_truth.py PROGRAM")
    with tempfile.TemporaryDirectory() as folder:
        return test_runner.run(Tests(str(Path(sys.argv[1]).resolve()), Path(folder)))


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
