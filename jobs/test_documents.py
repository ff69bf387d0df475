"""Executes the commands that the documentation shows, and compares their output.

    python jobs/test_documents.py target/release/robots-scan            # compares
    python jobs/test_documents.py target/release/robots-scan --write    # writes the outputs into the documents

Each document is executed from top to bottom in a temporary folder of its own, in which `data-samples` and `jobs` are links
to those of the repository, and `robots-scan` and `duckdb` are commands. The language of a code block says what is done with it:

console   Lines that begin with `$ ` are commands; a line that ends in `\\` continues on the next one. The lines below a
          command are its output, standard error included. `cargo run --release --` runs the program.
sql       A query over the dataset `out.parquet` of the same document.
text      The result of the query right above it, or else of any query of the document.
sh        Commands that build, test or measure the project. They are not executed, since `make test` would execute itself.
          Instead, each must be a target of the Makefile, or name packages, tests and benches that exist. jobs/test_report.py
          executes those that draw a report, jobs/test_site.py those that write a site, and jobs/test_describe.py those that describe a
          dataset.
python, r Recipes, in docs/recipes.md, docs/python.md and README.md only. jobs/test_recipes.py executes them, and compares the block `text` below each.
csv       A file that the document needs. Its first line is a comment with the name: `# urls.txt`.

A line `…` in an output stands for any lines, and `…` within a line for any text. Times, digests and sizes of files, such as `0.3 s`
and `4.34 KiB`, are not compared.
The examples in Rust are tested with the crates. Any other language fails.

The addresses of Common Crawl in commands are replaced by that of jobs/crawl_server.py, which has the sample crawls; in commands
of DuckDB, which cannot read URLs without an extension, by the folder with its files.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from crawl_server import CrawlServer

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(str(path.relative_to(ROOT)) for pattern in ("*.md", "*/*.md", "src/*/*.md") for path in ROOT.glob(pattern)
                   if not path.parts[len(ROOT.parts)].startswith((".", "target")))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME_OR_SIZE = re.compile(r"\b\d+\.\d+ (s|[KM]iB)\b")
DIGEST = re.compile(r"\b[0-9a-f]{16}\b")
# DuckDB says which file `-init` reads, in gray.
DUCKDB_LOADS = re.compile(r"(\x1b\[\d*m)*-- Loading resources from .*\n(\x1b\[\d*m)*")
COMMON_CRAWL = re.compile(r"https://(data|index)\.commoncrawl\.org")


class Document:
    """A document and the temporary folder in which it is executed."""

    def __init__(self, path, folder, program):
        self.path, self.folder, self.text = path, Path(folder), path.read_text(encoding="utf-8")
        self.passed, self.failures, self.edits, self.server = 0, [], [], None
        commands = self.folder / ".commands"
        commands.mkdir()
        (commands / "robots-scan").symlink_to(program)
        (commands / "duckdb").symlink_to(duckdb_command())
        shim = commands / "cargo"
        shim.write_text("#!/bin/sh\n[ \"$1 $2 $3\" = 'run --release --' ] || exit 99\nshift 3\nexec robots-scan \"$@\"\n")
        shim.chmod(0o755)
        for name in ("data-samples", "jobs"):
            (self.folder / name).symlink_to(ROOT / name)
        self.environment = {
            "PATH": f"{commands}:/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "COLUMNS": "100"}

    def run(self, command):
        if COMMON_CRAWL.search(command):
            command = COMMON_CRAWL.sub(self.local_address(command.startswith("duckdb")), command)
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, encoding="utf-8")
        output = DUCKDB_LOADS.sub("", done.stdout)
        if self.server:
            output = output.replace(self.server.url, "https://data.commoncrawl.org")
        return output.replace(str(self.folder) + "/", "")

    def local_address(self, is_folder):
        """Returns the address or the folder of the server that answers for Common Crawl. It is started when it is needed."""
        if self.server is None:
            self.server = CrawlServer(self.folder / ".commoncrawl")
        return str(self.server.folder) if is_folder else self.server.url

    def compare(self, what, shown, got, begin):
        """Compares the output in the document with the real one; `begin` is its place in the text."""
        if matches(shown, got):
            self.passed += 1
            return
        self.failures.append(f"{self.path.relative_to(ROOT)}: {what}\n--- shown\n{shown}--- got\n{got}")
        if "…" not in shown:
            self.edits.append((begin, begin + len(shown), got))

    def execute(self):
        blocks = list(FENCE.finditer(self.text))
        results, compared = [], set()
        for block, below in zip(blocks, [*blocks[1:], None]):
            language, begin = block[1], block.start(2)
            if language == "console":
                for command, shown, at in console(block[2]):
                    self.compare(command, shown, self.run(command), begin + at)
            elif language == "sql":
                got = self.run(f"duckdb -init out.parquet/views.sql -c {shlex.quote(block[2])}")
                results.append(got)
                if is_result(self.text, block, below):
                    compared.add(below.start())
                    self.compare(block[2], below[2], got, below.start(2))
                elif re.search(r"^\S* ?Error:", got, re.MULTILINE):
                    self.failures.append(f"{self.path.relative_to(ROOT)}: {block[2]}{got}")
                else:
                    self.passed += 1
            elif language == "sh":
                for command in joined(block[2]):
                    try:
                        check_build_command(command)
                        self.passed += 1
                    except AssertionError as error:
                        self.failures.append(f"{self.path.relative_to(ROOT)}: {command}: {error}")
            elif language == "csv":
                name, _, content = block[2].partition("\n")
                (self.folder / name.removeprefix("# ")).write_text(content, encoding="utf-8")
            elif language in ("python", "r") and self.path.name in ("recipes.md", "python.md", "README.md"):
                if is_result(self.text, block, below):
                    compared.add(below.start())
            elif language not in ("text", "rust"):
                self.failures.append(f"{self.path.relative_to(ROOT)}: a block of the language '{language}'\n{block[2]}")
        for block in blocks:
            if block[1] == "text" and block.start() not in compared:
                if any(matches(block[2], result) for result in results):
                    self.passed += 1
                else:
                    self.failures.append(f"{self.path.relative_to(ROOT)}: the result of no query\n{block[2]}")

    def write(self):
        for begin, end, got in sorted(self.edits, reverse=True):
            got = re.sub(r"[ \t]+$", "", got, flags=re.MULTILINE)
            self.text = self.text[:begin] + got + self.text[end:]
        self.path.write_text(self.text, encoding="utf-8")


def duckdb_command():
    beside = Path(sys.executable).parent / "duckdb"
    return beside if beside.exists() else shutil.which("duckdb")


def is_result(text, block, below):
    """Returns true if the block `below` is the result of a block: nothing is between them."""
    return below is not None and below[1] == "text" and not text[block.end():below.start()].strip()


def joined(text):
    """Returns the commands of a block, without comments and with continued lines joined."""
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in lines)
    return [line for line in lines if line]


def console(text):
    """Returns the commands of a block, each with the output shown below it and the position of that output."""
    found, place, continues = [], 0, False
    for line in text.splitlines(keepends=True):
        place += len(line)
        if continues:
            found[-1][0] += line.strip()
            continues = found[-1][0].endswith("\\")
            found[-1][0] = found[-1][0].removesuffix("\\")
            found[-1][2] = place
        elif line.startswith("$ "):
            command = line[2:].rstrip("\n")
            continues = command.endswith("\\")
            found.append([command.removesuffix("\\"), "", place])
        else:
            assert found, f"an output without a command: {line}"
            found[-1][1] += line
    return found


def normal(text):
    """Replaces what differs from run to run, and removes blank lines at the end."""
    lines = [DIGEST.sub("0" * 16, TIME_OR_SIZE.sub(r"0.0 \1", line.rstrip())) for line in text.splitlines()]
    return "\n".join(lines).strip("\n")


def matches(shown, got):
    """Returns true if an output is the one that is shown, in which `…` stands for anything."""
    parts = re.split(r"(^[ \t]*…$|…)", normal(shown), flags=re.MULTILINE)
    pattern = ""
    for i, part in enumerate(parts):
        if i % 2 == 0:
            pattern += re.escape(part)
        else:
            pattern += "[^\n]*" if part == "…" and not is_alone(parts, i) else "(?s:.*)"
    return re.fullmatch(pattern, normal(got)) is not None


def is_alone(parts, i):
    """Returns true if the ellipsis at `i` is a line of its own."""
    before, after = parts[i - 1], parts[i + 1]
    return (not before or before.endswith("\n")) and (not after or after.startswith("\n"))


def check_build_command(command):
    words = shlex.split(command)
    while words and "=" in words[0] and not words[0].startswith("-"):
        words.pop(0)
    if not words:
        return
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for word in words[1:]:
            if "=" in word:
                name = word.split("=")[0]
                assert f"$({name})" in makefile, f"the Makefile has no variable {name}"
            else:
                assert re.search(rf"^{re.escape(word)}:", makefile, re.MULTILINE), f"the Makefile has no target {word}"
    elif words[0] == "cargo":
        manifests = "\n".join(path.read_text(encoding="utf-8") for path in [
            ROOT / "Cargo.toml", *ROOT.glob("*/Cargo.toml"), *ROOT.glob("src/*/Cargo.toml")])
        for option, value in zip(words, words[1:]):
            if option in ("--bench", "--test", "--example", "-p", "--package"):
                named = f'name = "{value}"' in manifests
                assert named or (ROOT / "examples" / f"{value}.rs").exists(), f"nothing is named {value}"
        if words[1] == "fuzz" and words[2] in ("run", "tmin"):
            targets = {path.stem for path in (ROOT / "fuzz/targets").glob("*.rs")}
            assert targets & set(words), "no target of the fuzzers"
    elif words[0].removeprefix(".venv/bin/") != "robots-scan" or words[1] not in ("report", "site", "describe"):
        assert words[0] in (
            "git", "cd", "curl", "python3", "pip", ".venv/bin/pip", "rustup", "export", "duckdb", "mkdir", "mv", "cp", "rm", "echo", "sha256sum"), "not checked"


def main():
    arguments = [word for word in sys.argv[1:] if word != "--write"]
    program = Path(arguments[0]).resolve()
    passed, failed = 0, 0
    for name in DOCUMENTS:
        path = ROOT / name
        if not path.exists() or arguments[1:] and name not in arguments[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            document = Document(path, folder, program)
            document.execute()
        if "--write" in sys.argv:
            document.write()
        for failure in document.failures:
            print(f"FAILED {failure}")
        passed += document.passed
        failed += len(document.failures)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
