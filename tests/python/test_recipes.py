"""Executes the recipes in Python and R of docs/recipes.md, docs/python.md, docs/functions.md and README.md, and compares their output.

    python tests/python/test_recipes.py target/release/robots-scan            # compares
    python tests/python/test_recipes.py target/release/robots-scan --write    # writes the outputs into the pages

    --all                also executes those in R and for Jupyter
    --without SECTION    skips a section, such as Spark

Each block in Python or R is a program of its own, executed (twice, if it writes files) in a temporary folder with `data-samples`, and for docs/recipes.md
the dataset `recipes.parquet` of the two sample crawls and the file `verdicts.parquet` of two crawlers. What it prints is compared with the block `text` right below it; without
such a block it must print nothing. The blocks of the section "Jupyter" are the cells of one notebook instead, and what a cell
displays is compared. Recipes in R are skipped if R or the package that they use is not installed.

tests/python/test_documents.py executes the commands of the pages.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from test_documents import FENCE, ROOT, Document, Shell, is_result

PAGES = [ROOT / "docs/recipes.md", ROOT / "docs/python.md", ROOT / "docs/functions.md", ROOT / "README.md"]
SAMPLES = "data-samples/warc/cc-robotstxt.warc.gz data-samples/warc/cc-robotstxt-later.warc.gz"


class Recipes(Document):
    """The page with the recipes, and the temporary folder in which they are executed."""

    def execute(self, is_all, without):
        """Executes the blocks: those in R and for Jupyter if `is_all`, and none of the section `without`."""
        if self.path.name == "recipes.md":
            # The second command is in the page: it writes `verdicts.parquet`.
            written = re.search(r"^\$ (duckdb(?:(?!\n\$|```).)*'verdicts.parquet'\")$", self.text, re.DOTALL | re.MULTILINE)
            for command in f"robots-scan -q {SAMPLES} -o recipes.parquet", written[1]:
                problem = self.run(command)
                assert not problem, problem
        blocks = list(FENCE.finditer(self.text))
        recipes, cells = [], []
        for block, below in zip(blocks, [*blocks[1:], None]):
            if block[1] not in ("python", "r"):
                continue
            shown, begin = (below[2], below.start(2)) if is_result(self.text, block, below) else ("", block.end())
            is_cell = block[1] == "python" and self.section_of(block) == "Jupyter"
            (cells if is_cell else recipes).append((block, shown, begin))
        assert recipes, "the page has no recipes"
        for block, shown, begin in recipes:
            section = self.section_of(block)
            interpreter = sys.executable if block[1] == "python" else shutil.which("Rscript")
            # tests/python/test_duckdb_extension.py executes how R loads the extension.
            if section == without or block[1] == "r" and (not is_all or self.path.name == "functions.md"):
                continue
            if reason := block[1] == "r" and reason_to_skip(block):
                print(f"skipped: {section}: {reason}")
            else:
                self.compare(block[2], shown, self.run_twice(interpreter, block[1], block[2]), begin)
        if not cells or not is_all:
            return
        for (block, shown, begin), got in zip(cells, self.run_notebook([block[2] for block, _, _ in cells]), strict=True):
            self.compare(block[2], shown, got, begin)

    def run_twice(self, interpreter, language, program):
        """Returns what a program prints; if it writes files, what it prints the second time, when they are there."""
        before = set(self.shell.written())
        printed = self.run_program(interpreter, language, program)
        return printed if set(self.shell.written()) == before else self.run_program(interpreter, language, program)

    def run_program(self, interpreter, language, program):
        """Returns what a program prints; if it fails, also its errors. Programs of Java log there, so it is not compared."""
        path = self.folder / f".recipe.{language}"
        path.write_text(program, encoding="utf-8")
        # As in an activated environment: Spark begins the Python that it finds first, and a shell and Java from the usual PATH.
        search_path = f"{shlex.quote(str(Path(interpreter).parent))}:$PATH:{shlex.quote(os.environ['PATH'])}"
        command = f"PATH={search_path} SPARK_LOCAL_IP=127.0.0.1 {shlex.quote(interpreter)} {path.name}"
        return tidy(self.run(f"{command} 2>.errors.log || cat .errors.log"))

    def run_notebook(self, cells):
        """Executes cells, and returns what each displays, as text."""
        import nbclient
        import nbformat

        os.environ.update(IPYTHONDIR=str(self.folder / ".ipython"), JUPYTER_RUNTIME_DIR=str(self.folder / ".jupyter"))
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.rstrip("\n")) for cell in cells])
        resources = {"metadata": {"path": str(self.folder)}}
        # The kernel warns that it listens on this machine. An error in a cell is its output.
        options = {"extra_arguments": ["--log-level=ERROR"], "allow_errors": True}
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources, **options).execute()
        return ["".join(text_of(output) for output in cell.outputs) for cell in notebook.cells]


def text_of(output):
    """Returns the text of an output of a cell."""
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}\n"
    return tidy(output.text if output.output_type == "stream" else output.data["text/plain"])


def tidy(text):
    """Returns an output as it is written into the page, without blanks at the ends of lines and of the text."""
    text = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return text + "\n" if text else ""


def reason_to_skip(block):
    """Returns why a recipe in R cannot be executed here, or None."""
    if not shutil.which("Rscript"):
        return "R is not installed"
    for package in sorted(set(re.findall(r"library\((\w+)\)|(\w+)::", block[2]))):
        name = "".join(package)
        check = f"quit(status = if (requireNamespace('{name}', quietly = TRUE)) 0 else 1)"
        if subprocess.run(["Rscript", "-e", check], stderr=subprocess.DEVNULL, timeout=60).returncode:
            return f"the package {name} of R is not installed"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--without", metavar="SECTION")
    args = parser.parse_args()
    passed = failed = 0
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            shell = Shell(folder, args.program.resolve())
            shell.install_all()
            recipes = Recipes(page, shell)
            recipes.execute(args.all, args.without)
        if args.write:
            recipes.write()
        for failure in recipes.failures:
            print(f"FAILED {page.name}: {failure}")
        passed += recipes.passed
        failed += len(recipes.failures)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
