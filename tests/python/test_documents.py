"""Executes the commands that the documentation shows, and compares their output.

    python tests/python/test_documents.py target/release/robots-scan            # compares
    python tests/python/test_documents.py target/release/robots-scan --write    # writes the outputs into the documents

    --seed N    repeats a run: the orders of the pages are drawn by it, by default by one that follows from the version

Every document is typed twice, all in one temporary folder and one shell, as a new user types them. The README is the first, because
it installs what the others need. Then each is typed with nothing in the folder that another one wrote, in an order drawn by the seed:
a page that needs a file of another page fails. Last, all are typed again, in another order, with all files there: a page that
cannot be typed twice fails, and so do two that write the same file. `data-samples` and `jobs` are links to those of the repository.
The PATH has the tools of TOOLS and what the README installs: a command that is not installed is not found.

The language of a code block says what is done with it:

console   Lines that begin with `$ ` are commands; a line that ends in `\\` continues on the next one. The lines below a
          command are its output, standard error included. A command may fail only if its output shows an error.
sql       A query over the dataset that the document wrote last; in docs/functions.md, queries that tests/python/test_duckdb_extension.py executes.
text      The result of the query right above it, or else of any query of the document.
sh        Commands that install, build, test, measure or publish. Those that scan, or change the folder or the PATH, are executed.
          Installations and commands of the Python package are imitated, and the others must be a target of the Makefile, name packages,
          tests and benches that exist, or begin with git, curl, python3, rustup or duckdb. tests/python/test_report.py executes those that draw
          a report, tests/python/test_site.py those that write a site, and tests/python/test_describe.py those that describe a dataset.
python, r Recipes, in docs/recipes.md, docs/python.md, docs/functions.md and README.md only. tests/python/test_recipes.py executes them, and compares the block `text` below each.
csv       A file that the document needs. Its first line is a comment with the name: `# urls.txt`.

A line `…` in an output stands for any lines, and `…` within a line for any text. Times, digests and sizes of files, such as `0.3 s`
and `4.34 KiB`, are not compared.
The examples in Rust are tested with the crates. Any other language fails.
"""

import argparse
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import sample_index
import test_runner

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(str(path.relative_to(ROOT)) for pattern in ("*.md", "*/*.md", "docs/*/*.md", "src/*/*.md") for path in ROOT.glob(pattern)
                   if not path.parts[len(ROOT.parts)].startswith((".", "target")))
# What a shell has before anything is installed.
TOOLS = ("sh", "cat", "cp", "echo", "grep", "gzip", "head", "ls", "mkdir", "mv", "printf", "python3", "rm", "sed", "sha256sum", "sort", "tail", "wc")
# Commands of the Python package, which tests/python/test_documents.py imitates.
IMITATED = ("report", "site", "describe")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME_OR_SIZE = re.compile(r"\b\d+\.\d+ (s|[KM]iB)\b")
DIGEST = re.compile(r"\b[0-9a-f]{16}\b")
# DuckDB says which file `-init` reads, in gray.
# A program for development says so in its summary. Documents show an optimized one, but for the command that builds it.
NOT_OPTIMIZED = re.compile(r"^this build is not optimized; .*\n", re.MULTILINE)
DUCKDB_LOADS = re.compile(r"(\x1b\[\d*m)*-- Loading resources from .*\n(\x1b\[\d*m)*")


class Shell:
    """The shell in which documents are executed: its folder, its PATH, and what was installed."""

    def __init__(self, folder, program):
        self.folder, self.program = Path(folder), program
        self.working_folder = self.folder
        tools, self.cargo = self.folder / ".tools", self.folder / ".cargo/bin"
        for commands in (tools, self.cargo):
            commands.mkdir(parents=True)
        for name in TOOLS:
            found = shutil.which(name)
            assert found, f"the tests need {name}"
            (tools / name).symlink_to(found)
        self.add_command(self.cargo / "cargo", f"[ \"$1 $2\" = 'run --' ] || exit 99\nshift 2\nexec '{program}' \"$@\"")
        for name in ("data-samples", "jobs"):
            (self.folder / name).symlink_to(ROOT / name)
        self.environment = {
            "PATH": f"{self.cargo}:{tools}", "HOME": str(self.folder), "PWD": str(self.folder), "LC_ALL": "C.UTF-8", "COLUMNS": "100"}

    def written(self):
        """Returns the names of what documents have written into the folder."""
        return [path.name for path in self.folder.iterdir() if not path.name.startswith(".") and not path.is_symlink()]

    @staticmethod
    def add_command(path, script):
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run(self, command):
        """Executes a command. Returns its output and its exit code."""
        done = subprocess.run(["sh", "-c", command], cwd=self.working_folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, encoding="utf-8")
        output = DUCKDB_LOADS.sub("", done.stdout)
        if not command.startswith("cargo run"):
            output = NOT_OPTIMIZED.sub("", output)
        return output.replace(str(self.folder) + "/", ""), done.returncode

    def install_all(self):
        """Installs what the README installs."""
        for command in ("cargo install --locked --path .", "make venv", ".venv/bin/pip install duckdb-cli", 'export PATH="$PWD/.venv/bin:$PATH"'):
            self.type(command)

    def type(self, command):
        """Executes or imitates a line of a block `sh`, or checks it."""
        words = shlex.split(command)
        program = words[0].removeprefix(".venv/bin/")
        if words[0] == "export":
            name, value = words[1].split("=", 1)
            self.environment[name] = value.replace("$PWD", str(self.working_folder)).replace("$PATH", self.environment["PATH"])
        elif words[0] == "cd":
            self.working_folder = (self.working_folder / words[1]).resolve()
            assert self.working_folder.is_dir(), "the folder does not exist"
        elif command == "cargo install --locked --path .":
            self.link(self.cargo / "robots-scan", self.program)
        elif command == "make venv":
            self.link(self.folder / ".venv/bin/robots-scan", self.program)
            self.link(self.folder / ".venv/bin/pip", "/bin/true")
        elif program == "pip" and words[1] == "install":
            self.check_found(words[0])
            if "duckdb-cli" in words:
                self.link(self.folder / ".venv/bin/duckdb", duckdb_command())
        elif program == "robots-scan" and words[1] in IMITATED:
            self.imitate(words)
        elif program == "robots-scan" or words[0].strip("(") in ("cd", "cp", "echo", "mkdir", "mv", "rm", "sha256sum"):
            output, code = self.run(command)
            assert code == 0, output
        else:
            check_build_command(command)

    def link(self, path, target):
        """Makes a command, as an installation does, which replaces an earlier one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)

    def check_found(self, name):
        found = (self.working_folder / name).exists() if "/" in name else shutil.which(name, path=self.environment["PATH"])
        assert found, f"{name} is not installed"

    def imitate(self, words):
        """Checks the dataset and the output of a command of the Python package, and writes an output in its place."""
        self.check_found(words[0])
        command, dataset = words[1], self.working_folder / words[2]
        assert (dataset / "_SUCCESS").exists() or list(dataset.glob("*/_SUCCESS")), f"there is no dataset '{words[2]}'"
        output = words[words.index("-o") + 1] if "-o" in words else dataset.stem + ".html" if command == "report" else words[2]
        output = self.working_folder / output
        replaces = "--overwrite" in words
        if command == "report":
            output.write_text("")
        elif command == "site":
            assert replaces or not output.exists(), f"the folder of the site exists: {output}"
            output.mkdir(exist_ok=True)
        else:
            assert output.is_dir(), f"there is no folder {output}"
            assert replaces or not (output / "SHA256SUMS").exists(), f"there is a description in {output}"
            name = next(dataset.glob("**/_SUCCESS")).relative_to(output)
            code = subprocess.run(["sh", "-c", f"sha256sum '{name}' > SHA256SUMS"], cwd=output).returncode
            assert code == 0, "the sums were not written"


class Document:
    """A document and the shell in which it is executed."""

    def __init__(self, path, shell):
        self.path, self.shell, self.text = path, shell, path.read_text(encoding="utf-8")
        self.folder, self.dataset = shell.folder, None
        self.passed, self.failures, self.edits = 0, [], []

    def section_of(self, block):
        """Returns the title of the section of a block; nothing before the first one."""
        return ["", *re.findall(r"^##+ (.*)$", self.text[:block.start()], re.MULTILINE)][-1]

    def run(self, command):
        """Executes a command. Returns its output."""
        return self.shell.run(command)[0]

    def fail(self, text):
        self.failures.append(f"{self.path.relative_to(ROOT)}: {text}")

    def compare(self, what, shown, got, begin):
        """Compares the output in the document with the real one; `begin` is its place in the text."""
        if matches(shown, got):
            self.passed += 1
            return
        self.fail(f"{what}\n--- shown\n{shown}--- got\n{got}")
        if "…" not in shown:
            self.edits.append((begin, begin + len(shown), got))

    def execute_alone(self):
        """Executes the document without what others wrote, which is moved out of the folder meanwhile."""
        aside, others = self.folder / ".others", self.shell.written()
        aside.mkdir()
        for name in others:
            (self.folder / name).rename(aside / name)
        self.execute()
        for name in others:
            if (self.folder / name).exists():
                self.fail(f"another document writes {name}, too")
            else:
                (aside / name).rename(self.folder / name)
        shutil.rmtree(aside)

    def execute(self):
        self.shell.working_folder = self.folder
        blocks = list(FENCE.finditer(self.text))
        results, compared = [], set()
        for block, below in zip(blocks, [*blocks[1:], None]):
            language, begin = block[1], block.start(2)
            if language == "console":
                for command, shown, at in console(block[2]):
                    output, code = self.shell.run(command)
                    if written := re.search(r" -o (\S+)", command):
                        self.dataset = written[1]
                    self.compare(command, shown, output, begin + at)
                    if code > 1 and "rror" not in shown:
                        self.fail(f"{command}: exit code {code}\n{output}")
            elif language == "sql" and self.path.name != "functions.md":
                got = self.run(f"duckdb -init {self.dataset}/views.sql -c {shlex.quote(block[2])}")
                results.append(got)
                if is_result(self.text, block, below):
                    compared.add(below.start())
                    self.compare(block[2], below[2], got, below.start(2))
                elif re.search(r"^\S* ?Error:", got, re.MULTILINE):
                    self.fail(f"{block[2]}{got}")
                else:
                    self.passed += 1
            elif self.section_of(block) == "From a list of sites to a figure":
                continue  # tests/python/test_list_of_sites.py types these.
            elif language == "sh":
                for command in joined(block[2]):
                    try:
                        self.shell.type(command)
                        self.passed += 1
                    except AssertionError as error:
                        self.fail(f"{command}: {error}")
            elif language == "csv":
                name, _, content = block[2].partition("\n")
                (self.folder / name.removeprefix("# ")).write_text(content, encoding="utf-8")
            elif self.path.name == "functions.md" and language in ("sql", "js"):
                continue  # tests/python/test_duckdb_extension.py executes these.
            elif language in ("python", "r") and self.path.name in ("recipes.md", "python.md", "functions.md", "README.md"):
                if is_result(self.text, block, below):
                    compared.add(below.start())
            elif language not in ("text", "rust"):
                self.fail(f"a block of the language '{language}'\n{block[2]}")
        for line in re.findall(r"^ {4}.*-o out\.parquet$", self.text, re.MULTILINE):
            self.fail(f"{line.strip()}: --overwrite is missing: the README has written out.parquet")
        for block in blocks:
            if block[1] == "text" and block.start() not in compared:
                if any(matches(block[2], result) for result in results):
                    self.passed += 1
                else:
                    self.fail(f"the result of no query\n{block[2]}")

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
    else:
        assert words[0] in ("git", "curl", "python3", "rustup", "duckdb"), "not checked"


def type_all(shell, names, is_alone, is_write=False):
    """Types documents, each with nothing in the folder that another one wrote if `is_alone`. Returns how many checks passed and failed."""
    passed = failed = 0
    for name in names:
        document = Document(ROOT / name, shell)
        if is_alone:
            document.execute_alone()
        else:
            document.execute()
        if is_write:
            document.write()
        for failure in document.failures:
            print(f"FAILED {failure}")
        passed += document.passed
        failed += len(document.failures)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("documents", nargs="*", help="all, unless some are named")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--seed", type=int, default=int(test_runner.VERSION.replace(".", "")))
    args = parser.parse_args()
    assert sample_index.is_current(), "data-samples/cc-index has other rows than the archives: python tests/python/sample_index.py --write"
    rng = random.Random(args.seed)
    names = [name for name in args.documents or DOCUMENTS if name != "README.md"]
    first, second = rng.sample(names, len(names)), rng.sample(["README.md", *names], len(names) + 1)
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(folder, args.program.resolve())
        counts = [type_all(shell, ["README.md", *first], True, args.write), type_all(shell, second, False)]
    passed, failed = map(sum, zip(*counts))
    print(f"{passed} passed, {failed} failed, seed {args.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
