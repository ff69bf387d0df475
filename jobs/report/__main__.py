"""The command: `python -m report DATASET -o PAGE`."""

import argparse
import os
import re
import sys
import time
from pathlib import Path

from . import sections
from .dataset import Dataset, ReportError
from .page import render, today
from .sections.shares import warnings_of
from .study import study_of


def main():
    options = parse_arguments()
    try:
        written = write(options)
    except ReportError as error:
        clear_line()
        print(f"error: {error}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return 2
    print(written, file=sys.stderr)
    return 0


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="report", description="Turns a dataset of robots-scan into one HTML page of charts, without scripts and requests.",
        epilog="Each figure has its denominator, its pitfall, its SQL, its numbers, and the records behind them.")
    parser.add_argument("dataset", metavar="DATASET", help="the folder that a scan or `robots-scan join` has written")
    parser.add_argument("-o", "--page", metavar="PAGE", help="the page to write [default: the name of the dataset, in this folder]")
    parser.add_argument("--crawl", help="the crawl of all sections but the one about time [default: the last one]")
    parser.add_argument("--crawls", metavar="A,B,…", help="the crawls of the section about time, such as those of the same hosts [default: all]")
    parser.add_argument("--agent", help="the crawler of questions about one crawler [default: GPTBot]")
    parser.add_argument("--ranks", metavar="CSV", help="a list of rank and domain, such as Tranco's, for a figure by rank")
    parser.add_argument("--labels", metavar="CSV", help="a list with the header domain,label or host,label, for a figure by label")
    parser.add_argument("--seed", type=int, default=1, help="chooses the records that are shown as examples [default: 1]")
    options = parser.parse_args()
    return options


def page_of(options, study):
    """Returns the page to write: by default it has the name of the dataset, and of a crawler or a crawl that was chosen."""
    if options.page:
        return Path(options.page)
    folder = study.dataset.folder.resolve()
    chosen = [name for name, value in ((study.agent.token.lower(), options.agent), (study.crawl, options.crawl)) if value]
    return Path("-".join([folder.name.removesuffix(".parquet"), *(re.sub(r"[^\w.-]", "_", name) for name in chosen)]) + ".html")


def write(options):
    """Writes the page, and returns what was written. No partial page has the final name."""
    today()  # An invalid date is refused before anything is computed.
    dataset = Dataset(options.dataset)
    study = study_of(dataset, options.crawl, split(options.crawls), options.agent, options.ranks, options.labels, options.seed)
    path = page_of(options, study)
    if not path.parent.is_dir() or path.is_dir():
        raise ReportError(f"cannot write '{path}': its folder does not exist" if not path.is_dir() else f"cannot write '{path}': it is a folder")
    progress = Progress(len(sections.ALL) + 1)
    built = []
    for module in sections.ALL:
        progress.step(module.__name__.rsplit(".", 1)[1])
        section = module.build(study)
        for figure in section.figures:
            if not figure.missing:
                figure.warnings = warnings_of(study, figure)
                figure.example_of = figure.example_of or next((records for records in figure.records() if records.count), None)
                figure.examples = study.examples(figure.example_of) if figure.example_of else []
        built.append(section)
    progress.step("charts")
    page = render(study, built).encode("utf-8")
    progress.end()
    partial = path.with_name(path.name + f".{os.getpid()}.partial")
    try:
        partial.write_bytes(page)
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ReportError(f"cannot write '{path}': {error.strerror.lower()}") from error
    return f"{path}: {len(page) / 1024:,.0f} KiB, {study.crawl or 'no crawl'}, {study.agent.token}"


def split(names):
    return [name.strip() for name in names.split(",") if name.strip()] if names else None


def clear_line():
    """Removes the progress from the line of a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


class Progress:
    """Says on standard error what is being computed: on one line of a terminal, or a line per step."""

    def __init__(self, steps):
        self.steps, self.done, self.name, self.began = steps, 0, None, time.monotonic()
        self.is_terminal = sys.stderr.isatty()

    def step(self, name):
        self.end_of_step()
        self.done, self.name, self.step_began = self.done + 1, name, time.monotonic()
        if self.is_terminal:
            sys.stderr.write(f"\r\x1b[K[{self.done:2}/{self.steps}] {name}")
            sys.stderr.flush()

    def end_of_step(self):
        if self.name and not self.is_terminal:
            print(f"[{self.done:2}/{self.steps}] {self.name:12} {time.monotonic() - self.step_began:5.1f} s", file=sys.stderr)

    def end(self):
        self.end_of_step()
        clear_line()
        print(f"{self.steps} steps, {time.monotonic() - self.began:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
