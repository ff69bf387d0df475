"""Tests the description of datasets of the samples, of joined folders, and of a history.

    python tests/python/test_describe.py target/debug/robots-scan

The checks read the files as their readers do: mlcroissant loads tables by croissant.json, a Markdown parser reads the card, the schema of
the Citation File Format checks the citation, and sha256sum the digests. Every number of the card is compared with SQL, and every
description of a column with `robots-scan schema`. The command is the one of the wheel that is installed beside the interpreter
(`make describe-test`).
"""

import contextlib
import hashlib
import io
import itertools
import json
import os
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from datetime import date
from pathlib import Path
from unittest import mock

import cffconvert
import duckdb
import markdown_it
import mlcroissant
import pandas
import test_runner
import yaml
from robots_scan.describe import __main__ as command
from robots_scan._terminal import escaped
from robots_scan.describe import card, escape, keys, publisher, statements
from robots_scan.describe.citation import citation_file
from robots_scan.describe.dataset import Dataset
from robots_scan.describe.licenses import REGISTRY_SOURCES
from robots_scan.report.tables import literal
from test_documents import FENCE, joined

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data-samples/warc"
COMMAND = Path(sys.executable).parent / "robots-scan"
EPOCH = {"SOURCE_DATE_EPOCH": "1767225600"}
FILES = {*command.NAMES, "SHA256SUMS"}
WHOLE = ("--name", "A study", "--creator", "Doe, Jane", "--creator", "Acme", "--license", "CC-BY-4.0", "--url", "https://example.org/study")
WORDS_MAX = 900
# Text that is markup in HTML, Markdown, YAML or SQL, or has an effect on terminals.
HOSTILE = "# <script>alert(1)</script> [a](http://evil.example) `x` | *b* _c_ \\ \"q\" 'r' <https://evil.example> www.evil.example a@evil.example.com http://evil.example ${x} &amp; \x1b[31m\u202e\nnew: line - é"
# As GitHub reads it, which makes links of addresses but not of bare names of hosts.
MARKDOWN = markdown_it.MarkdownIt("gfm-like")
MARKDOWN.linkify.set({"fuzzy_link": False})
DOCUMENTS = ("docs/describe.md",)


def run(arguments, folder=ROOT, expected=0, **environment):
    """Runs a command, and returns what it wrote on standard error."""
    done = subprocess.run([*map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=300, env={**os.environ, **EPOCH, **environment})
    assert done.returncode == expected, f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stderr


def describe(*arguments, expected=0, **environment):
    """Runs the command within this process, which is faster, and returns what it wrote on standard error."""
    errors = io.StringIO()
    with mock.patch.dict(os.environ, {**EPOCH, **environment}), contextlib.redirect_stderr(errors):
        code = command.main([str(argument) for argument in arguments])
    assert code == expected, f"{arguments}: exit code {code}\n{errors.getvalue()}"
    return errors.getvalue()


def texts(folder):
    """Returns the files of a description."""
    return {name: (folder / name).read_text(encoding="utf-8") for name in sorted(FILES)}


def rows_of(text):
    """Returns the tables of a text in Markdown, as lists of rows with the text of their cells."""
    tables, row = [], None
    for token in MARKDOWN.parse(text):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append(row := [])
        elif token.type == "inline" and row is not None and token.level > 3:
            row.append("".join(child.content for child in token.children))
    return tables


def links_of(text):
    return [dict(child.attrs)["href"] for token in MARKDOWN.parse(text) for child in token.children or [] if child.type == "link_open"]


def html_of(text):
    """Returns the HTML that a text has as HTML. Addresses between angle brackets are links."""
    tokens = MARKDOWN.parse(text)
    return [token.content for outer in tokens for token in (outer, *(outer.children or [])) if token.type in ("html_block", "html_inline")]


def plain(value):
    """Returns a value of mlcroissant, pandas or DuckDB in one form."""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, pandas.Timestamp):
        return value.to_pydatetime()
    return value.item() if hasattr(value, "item") else value


class Tests:
    """The tests, and the datasets of all of them."""

    def __init__(self, program, folder):
        self.program, self.folder, self.schemas = program, folder, {}
        self.samples = self.scan("samples", *sorted(SAMPLES.glob("cc-*.warc.gz")))
        self.bodies = self.scan("bodies", *sorted(SAMPLES.glob("*.warc.gz")), "--with-bodies", expected=1)
        for month, archive in (("2026-01", "cc-robotstxt"), ("2026-05", "cc-robotstxt-later")):
            self.scan(f"months/{month}", SAMPLES / f"{archive}.warc.gz")
        self.months = folder / "months"
        run([program, "join", self.months, "-q"])
        self.history = folder / "history"
        run([program, "history", self.months / "2026-01", self.months / "2026-05", "-q", "-o", self.history])
        lists = folder / "robotstxt.paths"
        lists.write_text("cc-robotstxt.warc.gz\ncc-robotstxt-later.warc.gz\n")
        self.sample = self.scan("sample", "--paths", lists, "--base", SAMPLES, "--sample", "1", "--seed", "1")
        self.shard = self.scan("shard", "--paths", lists, "--base", SAMPLES, "--shard", "1/2")
        self.other = self.scan("other", SAMPLES / "cc-robotstxt.warc.gz", "--crawl", "OTHER", "--subset", "robots")
        self.all = [self.samples, self.bodies, self.months, self.history, self.sample, self.shard, self.other]
        for dataset in self.all:
            describe(dataset, *WHOLE)
        self.facts = {dataset: Dataset(dataset) for dataset in self.all}

    def scan(self, name, *arguments, expected=0):
        out = self.folder / name
        out.parent.mkdir(exist_ok=True)
        run([self.program, *arguments, "-q", "-o", out], expected=expected)
        return out

    def copy(self, dataset, name):
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return Path(shutil.copytree(dataset, self.folder / name))

    def fresh(self, name="fresh"):
        """Returns a copy of a dataset without its description."""
        copied = self.copy(self.samples, name)
        for file in FILES:
            (copied / file).unlink()
        return copied

    def test_croissant_is_valid_without_warnings(self):
        # One of each form; mlcroissant takes seconds for each.
        for dataset in (self.samples, self.months, self.history, self.shard):
            metadata = mlcroissant.Dataset(str(dataset / "croissant.json")).metadata
            issues = metadata.ctx.issues
            assert not issues.errors and not issues.warnings, f"{dataset}: {issues.report()}"
            assert metadata.name == "A study" and metadata.license == ["https://spdx.org/licenses/CC-BY-4.0.html"], metadata.license
        run([COMMAND.parent / "mlcroissant", "validate", "--jsonld", self.months / "croissant.json"])

    def test_mlcroissant_loads_the_rows_of_tables(self):
        above = self.folder / "above"
        above.mkdir()
        moved = self.copy(self.samples, "above/it's [x]")
        describe(moved, "-o", above)
        for folder, prefix, tables in (
                (self.samples, "", ("hosts", "runs")), (self.months, "", ("host_verdicts", "agents")), (self.history, "", ("shares",)),
                (above, "it's [x]/", ("host_preferences",))):
            loaded, described = mlcroissant.Dataset(str(folder / "croissant.json")), json.loads((folder / "croissant.json").read_text())
            files = {file["@id"]: file["includes"] for file in described["distribution"] if file["@type"] == "cr:FileSet"}
            for table in tables:
                names = [field["name"] for record_set in described["recordSet"] if record_set["@id"] == table for field in record_set["field"]]
                patterns = [files[f"{table}-files"]] if isinstance(files[f"{table}-files"], str) else files[f"{table}-files"]
                expected = duckdb.sql(
                    f"SELECT {', '.join(names)} FROM read_parquet({literal([f'{folder}/{pattern}' for pattern in patterns])}, hive_partitioning = true)").fetchall()
                records = [tuple(plain(record[f"{table}/{name}"]) for name in names) for record in loaded.records(table)]
                # pandas has no whole numbers that may be null, and keeps 53 bits of them.
                rounded = [tuple(int(float(value)) if name == "ruleset_id" and value is not None else value for name, value in zip(names, row)) for row in expected]
                assert expected and Counter(records) == Counter(rounded), f"{folder} {table}: {list((Counter(records) - Counter(rounded)).items())[:2]}"

    def test_every_column_has_the_description_of_the_schema(self):
        for dataset in self.all:
            text = (dataset / "TABLES.md").read_text(encoding="utf-8")
            sections = dict(re.findall(r"^## (\w+)\n\n(.*?)(?=\n## |\Z)", text, re.MULTILINE | re.DOTALL))
            described = {record_set["@id"]: record_set for record_set in json.loads((dataset / "croissant.json").read_text(encoding="utf-8"))["recordSet"]}
            assert described.keys() == sections.keys() - {"Crawls"}, f"{dataset}: {described.keys() ^ sections.keys()}"
            for table, record_set in described.items():
                schema = self.schema(table)
                shown = {row[0]: (row[1], row[2], row[3]) for row in rows_of(sections[table])[0][1:]}
                assert shown.keys() == schema.keys(), f"{dataset} {table}: {shown.keys() ^ schema.keys()}"
                for column, (kind, is_required, comment) in schema.items():
                    of_text = comment.replace("`", "")
                    assert shown[column][::2] == (kind, of_text), f"{dataset} {table}.{column}: {shown[column]} is not {kind, of_text}"
                    if shown[column][1] not in ("in the path", "computed"):
                        assert (shown[column][1] == "no") == is_required, f"{table}.{column}"
                fields = {field["name"]: field["description"] for field in record_set["field"]}
                assert fields == {column: schema[column][2] for column in fields}, f"{dataset} {table}"
                assert fields.keys() == {column for column, cells in shown.items() if cells[1] != "computed"}, f"{dataset} {table}"

    def schema(self, table):
        """Returns the type, whether null is excluded, and the description of each column, as the program prints them."""
        if table not in self.schemas:
            text = subprocess.run([self.program, "schema", table], capture_output=True, text=True, check=True).stdout
            self.schemas[table] = {name: (kind, bool(required), comment) for name, kind, required, comment in re.findall(
                r"^  (\w+) (\w+)( NOT NULL)?,? -- (.*)$", text, re.MULTILINE)}
        return self.schemas[table]

    def test_stored_columns_are_those_of_the_files(self):
        for dataset, facts in self.facts.items():
            for table in facts.tables.values():
                in_files = set()
                for file in table.files:
                    in_files |= {row[0] for row in duckdb.execute("SELECT name FROM parquet_schema(?) WHERE num_children IS NULL", [str(dataset / file)]).fetchall()}
                    in_files |= {part.partition("=")[0] for part in file.split("/") if "=" in part}
                assert in_files == {column.name for column in table.stored}, f"{dataset} {table.name}: {in_files ^ {column.name for column in table.stored}}"

    def test_the_numbers_of_the_card_are_those_of_sql(self):
        for dataset in self.all:
            text, connection = (dataset / "README.md").read_text(encoding="utf-8"), self.facts[dataset].connection
            crawls, tables = rows_of(text)
            rows = {row[0]: int(row[1].replace(",", "")) for row in tables[1:]}
            for table, number in rows.items():
                assert number == connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0], f"{dataset} {table}"
            files, size = (dataset / "SHA256SUMS").read_text().splitlines(), 0
            paths = [line.partition("  ")[2] for line in files if line.endswith(".parquet")]
            if dataset == self.months:
                # Tables of hosts, and the registry, are read in one place.
                paths = [path for path in paths if not re.match(r"2026-0\d/host", path) and path != "2026-01/agents/agents.parquet"]
            size = sum((dataset / path).stat().st_size for path in paths)
            stated = f"{len(rows):,} tables with {sum(rows.values()):,} rows, in {len(paths):,} Parquet files ({statements.bytes_text(size)})"
            assert stated in text, f"{dataset}: {stated}"
            self.compare_crawls(dataset, connection, crawls)

    def compare_crawls(self, dataset, connection, shown):
        if dataset == self.history:
            numbers = "SELECT crawl, hosts, domains, captures, archives_read, first_fetch, last_fetch FROM crawls ORDER BY position"
        elif dataset == self.shard:
            numbers = "SELECT crawl, count(*), 1, min(fetch_time), max(fetch_time) FROM robots_files GROUP BY crawl"
        else:
            numbers = """
                SELECT h.crawl, count(*), count(DISTINCT h.domain), count(*) FILTER (h.wildcard_verdict <> 'unknown'),
                    (SELECT count(*) FROM robots_files f WHERE f.crawl = h.crawl), (SELECT sum(r.inputs)::BIGINT FROM runs r WHERE r.crawl = h.crawl), min(h.fetch_time), max(h.fetch_time)
                FROM hosts h GROUP BY h.crawl ORDER BY min(h.fetch_time), h.crawl"""
        expected = []
        for *cells, first, last in connection.execute(numbers).fetchall():
            days = str(first.date()) if first.date() == last.date() else f"{first.date()} to {last.date()}"
            expected.append([str(cell) for cell in cells] + [days])
        if dataset == self.sample:
            expected[0][-2] = "1 of 2, at random"
        assert shown[1:] == expected, f"{dataset}: {shown[1:]} is not {expected}"
        captures = sum(int(row[-3]) for row in shown[1:])
        assert f"{captures:,} capture" in (dataset / "README.md").read_text(encoding="utf-8"), captures

    def test_the_query_of_the_card_gives_the_answer_of_the_question(self):
        for dataset in (self.samples, self.bodies, self.months, self.history, self.sample):
            block = re.search(r"```sql\n(.*?)```", (dataset / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
            connection = duckdb.connect()
            connection.execute(f"SET file_search_path = '{dataset}'")
            got = connection.execute(block).fetchall()
            views = self.facts[dataset].connection
            if dataset == self.history:
                answers = views.execute("SELECT crawl, hosts, blocked_by_name FROM trend('GPTBot') ORDER BY crawl").fetchall()
                got = [(crawl, known, share) for crawl, known, _, share, _ in got]
            else:
                names = [row[0] for row in views.execute("SELECT crawl FROM crawls() ORDER BY crawl").fetchall()]
                answers = [views.execute("SELECT crawl, hosts, domains, blocked_by_name, domains_blocked_by_name FROM share_of_hosts_blocking('GPTBot', "
                                         f"crawl := {literal(name)})").fetchone() for name in names]
            assert got == answers, f"{dataset}: {got} is not {answers}"

    def test_keys_and_targets_of_references_are_unique(self):
        for dataset, facts in self.facts.items():
            for table in facts.tables.values():
                key = keys.key_of(table)
                if key:
                    repeated = facts.rows(f"SELECT {', '.join(key)} FROM {table.name} GROUP BY ALL HAVING count(*) > 1 LIMIT 1")
                    assert not repeated, f"{dataset} {table.name}: {repeated}"
                for column in table.stored:
                    if target := keys.reference_of(facts, table, column):
                        other, name = target
                        assert not facts.rows(f"SELECT {name} FROM {other} GROUP BY ALL HAVING count(*) > 1 LIMIT 1"), f"{dataset} {table.name}.{column.name}"
                        assert facts.value(f"SELECT count(*) FROM {table.name} WHERE {column.name} IS NOT NULL AND {column.name} NOT IN (SELECT {name} FROM {other})") == 0, column

    def test_checksums_find_a_changed_byte(self):
        for dataset in self.all:
            listed = dict(reversed(line.split("  ", 1)) for line in (dataset / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
            present = {path.relative_to(dataset).as_posix() for path in dataset.rglob("*") if path.is_file()}
            assert listed.keys() == {path for path in present if Path(path).name not in ("views.sql", "_log.jsonl", "SHA256SUMS")}, dataset
            for name, digest in listed.items():
                assert hashlib.sha256((dataset / name).read_bytes()).hexdigest() == digest, name
            of_croissant = {file["contentUrl"]: file["sha256"] for file in json.loads((dataset / "croissant.json").read_text())["distribution"] if file["@type"] == "cr:FileObject"}
            assert of_croissant.items() <= listed.items(), dataset
            if dataset == self.months:
                # The subfolders have tables of hosts, too, which do not take other crawls into account.
                of_hosts = {file.split("/")[0] for file in of_croissant if "/host" in file}
                assert of_hosts == {"_joined"} and {file.split("/")[0] for file in of_croissant} == {"_joined", "2026-01", "2026-05"}, of_hosts
        if not (program := shutil.which("sha256sum")):
            return
        copied = self.copy(self.samples, "changed")
        run([program, "-c", "--strict", "--quiet", "SHA256SUMS"], copied)
        file = next(copied.glob("rules/*/*/*.parquet"))
        content = bytearray(file.read_bytes())
        content[100] ^= 1
        file.write_bytes(content)
        done = subprocess.run([program, "-c", "--quiet", "SHA256SUMS"], cwd=copied, capture_output=True, text=True)
        assert done.returncode == 1 and done.stdout == f"{file.relative_to(copied)}: FAILED\n", done

    def test_the_citation_is_valid_and_has_the_options_of_the_run(self):
        facts = self.facts[self.samples]
        for licence in (None, *publisher.LICENSES, "https://example.org/licence"):
            text = citation_file(facts, publisher.Publisher(HOSTILE, [HOSTILE, f"{HOSTILE}, {HOSTILE}"], None, licence, "1.0.0", None, date(2026, 1, 1)))
            cffconvert.Citation(text).validate()
        cited = yaml.safe_load(text)
        assert cited["title"] == HOSTILE and cited["license-url"] == "https://example.org/licence", cited
        assert cited["authors"][0]["name"] == HOSTILE and cited["authors"][1] == {"family-names": HOSTILE, "given-names": HOSTILE}, cited
        cffconvert.Citation((self.other / "CITATION.cff").read_text(encoding="utf-8")).validate()
        cited = yaml.safe_load((self.bodies / "CITATION.cff").read_text(encoding="utf-8"))
        assert cited["authors"] == [{"family-names": "Doe", "given-names": "Jane"}, {"name": "Acme"}] and cited["url"] == "https://example.org/study", cited
        assert "with_bodies true" in cited["references"][0]["notes"] and "body_limit 512000" in cited["references"][0]["notes"], cited
        assert cited["references"][0]["version"] == subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout.split()[1], cited

    def test_the_same_dataset_gives_the_same_bytes_wherever_it_is(self):
        for dataset in (self.samples, self.months, self.history):
            first = texts(dataset)
            moved = self.copy(dataset, "moved")
            describe(moved, *WHOLE, "--overwrite")
            assert texts(moved) == first, dataset
            describe(moved, *WHOLE, "--overwrite", SOURCE_DATE_EPOCH="0")
            changed = {name for name, text in texts(moved).items() if text != first[name]}
            assert changed == FILES - {"TABLES.md", "LICENSES.md"}, changed

    def test_the_card_is_short_and_says_what_a_reader_needs(self):
        for dataset in self.all:
            text = (dataset / "README.md").read_text(encoding="utf-8")
            words = sum(any(char.isalnum() for char in word) for word in text.split())
            assert words <= WORDS_MAX, f"{dataset}: {words} words"
            needed = ["One row per", "does not show whether crawlers comply", "Leave it out of the denominator", "registered domain", "They belong to their sites", "sha256sum -c", "<https://example.org/study>", "Doe, Jane; Acme (2026). A study", "CC-BY-4.0"]
            needed += ["Unseen is not unchanged"] if dataset == self.history else []
            needed += ["whole robots.txt files with their comments"] if dataset == self.bodies else []
            needed += ["is a random sample"] if dataset == self.sample else []
            needed += ["only some of the archives"] if dataset == self.shard else []
            missing = [part for part in needed if part not in text]
            assert not missing, f"{dataset}: {missing}"
            assert ("whole robots.txt files" in text) == (dataset == self.bodies), dataset
            assert ("Common Crawl's terms" in text) == (dataset != self.other), dataset
            for target in links_of(text):
                assert target.startswith("https://") or (dataset / target).is_file(), target

    def test_the_card_has_the_last_crawls_and_the_tables_have_all(self):
        crawls = rows_of((self.bodies / "README.md").read_text(encoding="utf-8"))[0]
        chosen = publisher.Publisher("A study", [], None, None, "1.0.0", None, date(2026, 1, 1))
        with mock.patch.object(card, "CRAWLS_MAX", 2):
            text = card.card(self.facts[self.bodies], chosen, "")
        assert rows_of(text)[0] == [crawls[0], *crawls[-2:]] and "also has the 3 earlier crawls." in text, text
        assert rows_of((self.bodies / "TABLES.md").read_text(encoding="utf-8"))[0] == crawls

    def test_hostile_names_are_text(self):
        folder = self.folder / "it's <b>[x]* $a"
        folder.mkdir()
        dataset = self.fresh(f"{folder.name}/# <i>d</i> _e_")
        about = self.folder / "about.md"
        about.write_text("Sites were chosen **by hand**.\n")
        describe(dataset, "-o", folder, "--name", HOSTILE, "--creator", HOSTILE, "--about", about)
        described = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
        assert described["name"] == HOSTILE and described["creator"] == [{"@type": "sc:Organization", "name": HOSTILE}] and "<" not in (folder / "croissant.json").read_text()
        assert described["description"].endswith("Sites were chosen **by hand**."), described["description"]
        assert not mlcroissant.Dataset(str(folder / "croissant.json")).metadata.ctx.issues.errors
        for name in ("README.md", "TABLES.md", "LICENSES.md"):
            text = (folder / name).read_text(encoding="utf-8")
            assert not html_of(text) and not [link for link in links_of(text) if "evil" in link], f"{name}: {html_of(text)} {links_of(text)}"
            title = MARKDOWN.parse(text)[1]
            shown = "".join(child.content for child in title.children)
            assert shown.endswith(escaped(HOSTILE)), f"{name}: {shown}"
        assert "\n\nSites were chosen **by hand**.\n\n" in (folder / "README.md").read_text()
        connection = duckdb.connect()
        connection.execute("SET file_search_path = '" + str(folder).replace("'", "''") + "'")
        assert connection.execute(re.search(r"```sql\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]).fetchall()
        if shutil.which("sha256sum"):
            run(["sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS"], folder)
        for name in ("new\nline", "back`quote", "back\\slash"):
            unsafe = self.fresh(f"{folder.name}/{name}")
            errors = describe(unsafe, "-o", folder, "--overwrite", expected=2)
            # The error, and a hint if it has one.
            assert errors.count("\n") <= 2 and errors.startswith("error: "), errors

    def test_random_texts_are_shown_as_they_are(self):
        chance = random.Random(38)
        letters = string.punctuation + "aZ09 é"
        for _ in range(3000):
            text = ("x" + "".join(chance.choice(letters) for _ in range(chance.randint(0, 12))) + "x").replace("  ", " ")
            for line, place in ((f"# {escape.markdown(text)}", 1), (f"| a |\n|---|\n| {escape.markdown(text)} |", None)):
                tokens = MARKDOWN.parse(line)
                inline = tokens[place] if place else [token for token in tokens if token.type == "inline"][-1]
                kinds = {child.type for child in inline.children} - {"text", "text_special"}
                shown = "".join(child.content for child in inline.children)
                assert not kinds and re.sub(" +", " ", shown) == re.sub(" +", " ", text), f"{text!r} is shown as {shown!r} {kinds}"
            assert yaml.safe_load(f"a: {escape.yaml(text)}")["a"] == text
        for code in itertools.chain(range(0x20), range(0x7f, 0xa1), (0x2028, 0xfeff, 0xfffe, 0x1f980, 0x10ffff)):
            assert yaml.safe_load(escape.yaml(f"a{chr(code)}b")) == f"a{chr(code)}b", hex(code)

    def test_files_of_others_are_left_unchanged(self):
        described = self.fresh("described")
        describe(described)
        for name in sorted(FILES):
            dataset = self.fresh()
            (dataset / name).write_text("mine\n")
            for options in ([], ["--overwrite"]):
                errors = describe(dataset, *options, expected=2)
                assert errors.startswith(f"error: '{dataset / name}' was not written by robots-scan") and "\nhint: " in errors, errors
            assert (dataset / name).read_text() == "mine\n" and not FILES - {name} & {path.name for path in dataset.iterdir()}, name
            dataset = self.copy(described, "fresh")
            errors = describe(dataset, expected=2)
            assert "already exists\nhint: --overwrite" in errors, errors
            before = (dataset / name).read_text(encoding="utf-8")
            if name != "SHA256SUMS":
                (dataset / name).write_text(f"{before}mine\n", encoding="utf-8")
                errors = describe(dataset, "--overwrite", expected=2)
                assert "was changed after robots-scan wrote it" in errors and (dataset / name).read_text(encoding="utf-8") == f"{before}mine\n", errors
                (dataset / name).write_text(before, encoding="utf-8")
            elsewhere = self.folder / "elsewhere"
            shutil.move(dataset / name, elsewhere)
            (dataset / name).symlink_to(elsewhere)
            errors = describe(dataset, "--overwrite", expected=2)
            assert "left unchanged" in errors and (dataset / name).is_symlink() and elsewhere.read_text(encoding="utf-8") == before, errors
        dataset = described
        sums = (dataset / "SHA256SUMS").read_text(encoding="utf-8")
        (dataset / "notes.txt").write_text("mine\n")
        (dataset / "SHA256SUMS").write_text(f"{sums}{hashlib.sha256(b'mine' + bytes([10])).hexdigest()}  notes.txt\n", encoding="utf-8")
        errors = describe(dataset, "--overwrite", expected=2)
        assert "also lists 'notes.txt'" in errors and "notes.txt" in (dataset / "SHA256SUMS").read_text(), errors
        (dataset / "SHA256SUMS").write_text(sums, encoding="utf-8")
        (dataset / "notes.txt").unlink()
        describe(dataset, "--overwrite", "--name", "Another")
        assert "# Another\n" in (dataset / "README.md").read_text() and not list(dataset.glob(".*")), list(dataset.iterdir())
        run([self.program, "views", dataset, "-q"])
        run([self.program, "verify", dataset])

    def test_wrong_options_and_folders_are_refused(self):
        dataset, empty = self.fresh(), self.folder / "empty"
        empty.mkdir()
        (empty / "file").write_text("x")
        rules = self.scan("rules", SAMPLES / "cc-robotstxt.warc.gz", "--tables", "rules,runs")
        for arguments, error in (
                ([], "no dataset is given"), ([""], "no dataset is given"), ([self.folder / "none"], "does not exist"),
                ([empty], "cannot be used as a dataset"), ([empty / "file"], "cannot be used as a dataset"), ([rules], "has no table robots_files"),
                ([dataset, "--licence", "x"], "a similar argument exists: '--license'"), ([dataset, "--license", "mine"], "unknown licence 'mine'"),
                ([dataset, "--url", "example.org"], "is not an address"), ([dataset, "--url", "https://a b"], "is not an address"), ([dataset, "--dataset-version", "1"], "is not a version"),
                ([dataset, "--name", " "], "is empty"), ([dataset, "--name", "x\udcff"], "is not text in UTF-8"), ([dataset, "--creator", ""], "is empty"), ([dataset, "--about", empty / "none"], "cannot read"), ([dataset, "--about", empty], "cannot read"),
                ([dataset, "-o", empty], "is not a folder above"), ([dataset, "-o", empty / "none"], "does not exist"), ([dataset, "--name"], "option '--name': expected one argument")):
            errors = describe(*arguments, expected=2)
            assert error in errors and errors.startswith("error: ") and errors.count("\n") <= 2, f"{arguments}: {errors}"
        assert "SOURCE_DATE_EPOCH is not a number of seconds: 'x'" in describe(dataset, expected=2, SOURCE_DATE_EPOCH="x")
        assert not FILES & {path.name for path in dataset.iterdir()}
        assert "--creator, --license and --url" in describe(dataset)

    def test_a_damaged_dataset_is_refused(self):
        def flip(file):
            content = bytearray(file.read_bytes())
            content[100] ^= 1
            file.write_bytes(content)

        for damage in (flip, Path.unlink, lambda file: file.write_bytes(file.read_bytes()[:-1]), lambda file: shutil.copy(file, file.with_name("foreign.parquet"))):
            dataset = self.fresh()
            damage(next(dataset.glob("hosts/*/*.parquet")))
            errors = describe(dataset, expected=2)
            assert re.fullmatch(r"error: the dataset '.*' is damaged or incomplete: hosts/.*\nhint: list all damage with: robots-scan verify .*\n", errors), errors
            assert not FILES & {path.name for path in dataset.iterdir()}, damage
        dataset = self.fresh()
        (dataset / "_manifest.jsonl").write_text("{}\n")
        assert describe(dataset, expected=2).startswith("error: ")
        dataset = self.fresh()
        (dataset / "_SUCCESS").unlink()
        assert describe(dataset, expected=2).startswith("error: ")

    def test_a_command_that_is_interrupted_writes_nothing(self):
        dataset = self.fresh()
        for place, error in (("views", KeyboardInterrupt), ("rows", KeyboardInterrupt), ("files", KeyboardInterrupt), ("files", OSError(5, "Input/output error", "x"))):
            with mock.patch.object(Dataset, place, side_effect=error):
                errors = describe(dataset, expected=3)
            assert re.fullmatch("error: (interrupted; nothing was written|cannot read 'x': input/output error)\n", errors), errors
        for folder in ("README.md", "SHA256SUMS"):
            (dataset / folder).mkdir()
            assert "left unchanged" in describe(dataset, "--overwrite", expected=2)
            (dataset / folder).rmdir()
        with mock.patch.object(os, "replace", side_effect=OSError(28, "No space left on device")):
            assert describe(dataset, expected=3) == f"error: cannot write '{dataset}': no space left on device\n"
        assert not FILES & {path.name for path in dataset.iterdir()} and not list(dataset.glob(".*")), list(dataset.iterdir())

    def test_the_views_of_a_dataset_are_not_executed(self):
        dataset, mark = self.fresh(), self.folder / "executed"
        (dataset / "views.sql").write_text(f"COPY (SELECT 1) TO '{mark}';")
        describe(dataset)
        assert not mark.exists() and "views.sql" not in (dataset / "SHA256SUMS").read_text()

    def test_licences_of_the_registry_are_those_of_the_documentation(self):
        text = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
        table = next(rows for rows in rows_of(text) if rows[0] == ["code", "list", "licence"])
        shown = {row[0]: (row[1], row[2]) for row in table[1:]}
        assert shown == REGISTRY_SOURCES, shown
        written = (self.samples / "LICENSES.md").read_text(encoding="utf-8")
        assert {row[0] for row in rows_of(written)[0][1:]} == REGISTRY_SOURCES.keys()

    def test_the_commands_of_the_documents_work(self):
        """Executes the blocks with a command that describes a dataset, and then the program in Python below them."""
        for document in DOCUMENTS:
            place, text = self.folder / Path(document).stem, (ROOT / document).read_text(encoding="utf-8")
            place.mkdir()
            (place / "data-samples").symlink_to(SAMPLES.parent)
            blocks = [block for language, block in FENCE.findall(text) if language == "sh" and "robots-scan describe" in block]
            for block in [*blocks, *blocks]:
                script = "\n".join(["set -e", *(line.replace(".venv/bin/", "") for line in joined(block))])
                run(["sh", "-c", script], place, PATH=f"{COMMAND.parent}:/usr/bin:/bin")
            described = [path.parent for path in place.rglob("SHA256SUMS")]
            assert len(described) == len(blocks) > 0, f"{document}: {described}"
            for folder in described:
                mlcroissant.Dataset(str(folder / "croissant.json"))
            for program in re.findall(r"^    import mlcroissant\n(?:\n|    .*\n)+", text, re.MULTILINE):
                done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=place, capture_output=True, text=True, timeout=300)
                assert done.stdout == "CC-MAIN-2026-01-SAMPLE 119\nCC-MAIN-2026-05-SAMPLE 119\n", done


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        return 1 if test_runner.run(Tests(program, Path(folder).resolve())) else 0


if __name__ == "__main__":
    sys.exit(main())
