"""The command `robots-scan report DATASET`."""

import argparse
import contextlib
import difflib
import os
import re
import sys
import time
from pathlib import Path

from . import sections
from .dataset import Dataset, History, ReportError
from .page import render, today
from .sections.shares import warnings_of
from .study import DEFAULT_AGENT, LINES_MAX, study_of

# Exit codes, as those of the other commands.
OK, NOT_STARTED, STOPPED = 0, 2, 3
SEE_HELP = "for more information, try '--help'"


def main(arguments: list[str]) -> int:
    """Runs the command with the arguments after its name. Returns the exit code."""
    try:
        written = write(parse(arguments))
    except SystemExit as printed_help:
        return printed_help.code
    except ReportError as error:
        return fail(error, STOPPED if isinstance(error, Stopped) else NOT_STARTED)
    except KeyboardInterrupt:
        return fail(Stopped("interrupted; no page was written"), STOPPED)
    print(escaped(written), file=sys.stderr)
    return OK


class Stopped(ReportError):
    """An error that stops a report which has begun."""


def fail(error, code):
    """Prints an error and its hint, each on one line. Returns the exit code."""
    clear_line()
    print(f"error: {escaped(error)}", file=sys.stderr)
    if error.hint:
        print(f"hint: {escaped(error.hint)}", file=sys.stderr)
    return code


def escaped(text):
    """Replaces characters with an effect on terminals, such as those of a name of a file, by visible escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in str(text))


class Parser(argparse.ArgumentParser):
    """A parser whose errors have the form of those of the other commands."""

    def error(self, message):
        raise ReportError(re.sub(r"^argument (\S+):", r"option '\1':", message), SEE_HELP)


def whole_number(text):
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


def new_parser():
    command = Parser(
        prog="robots-scan report", usage="robots-scan report [OPTIONS] DATASET", allow_abbrev=False, add_help=False,
        description="Draws a dataset as one HTML page of charts, without scripts and requests.",
        epilog="Each figure has its denominator, its pitfall, its SQL, its numbers, and the records behind them. Exit codes: 0 done, 2 not drawn, 3 stopped.")
    # A missing dataset is reported after misspelt options, so it is optional here.
    command.add_argument_group("arguments").add_argument(
        "dataset", metavar="DATASET", nargs="?", help="the folder that a scan or `robots-scan join` has written")
    add = command.add_argument_group("options").add_argument
    add("-o", "--page", metavar="PAGE", help="the page to write [default: the name of the dataset, in the current folder]")
    add("--crawl", metavar="NAME", help="the crawl of all sections but the one about time [default: the last one]")
    add("--crawls", metavar="A,B", help="the crawls of the section about time, such as those of the same hosts [default: all]")
    add("--agent", metavar="A,B", help=f"the crawlers of questions about one crawler, each with figures of its own [default: {DEFAULT_AGENT}]")
    add("--history", metavar="HISTORY", help="the history that answers the section about time, which `robots-scan history` has written; "
        f"up to {LINES_MAX} crawlers of --agent are drawn [default: none; with one, the AI crawlers that are blocked most]")
    add("--ranks", metavar="CSV", help="a list of rank and domain, such as Tranco's, for a figure by rank")
    add("--labels", metavar="CSV", help="a list with the header domain,label or host,label, for a figure by label")
    add("--seed", metavar="N", type=whole_number, default=1, help="chooses the records that are shown as examples [default: 1]")
    add("-h", "--help", action="help", help="print this help")
    return command


def parse(arguments):
    """Returns the options. An error is a ReportError; `--help` prints the help and exits."""
    command = new_parser()
    options, unknown = command.parse_known_args(arguments)
    if unknown:
        name = unknown[0].split("=", 1)[0]
        nearest = difflib.get_close_matches(name, [f"--{option}" for option in vars(options) if option != "dataset"], 1)
        raise ReportError(f"unexpected argument '{name}' found", f"a similar argument exists: '{nearest[0]}'" if nearest else SEE_HELP)
    if options.dataset is None:
        raise ReportError("no dataset is given", "robots-scan report out.parquet")
    return options


def page_of(options, study):
    """Returns the page to write: by default it has the name of the dataset, and of a crawler or a crawl that was chosen."""
    if options.page:
        return Path(options.page)
    folder = study.dataset.folder.resolve()
    chosen = [agent.token.lower() for agent in study.chosen if options.agent] + ([study.crawl] if options.crawl else [])
    return Path("-".join([folder.name.removesuffix(".parquet"), *(re.sub(r"[^\w.-]", "_", name) for name in chosen)]) + ".html")


def write(options):
    """Writes the page, and returns what was written. No partial page has the final name."""
    today()  # An invalid date is refused before anything is computed.
    dataset = Dataset(options.dataset, (options.ranks, options.labels))
    history = History(options.history) if options.history is not None else None
    study = study_of(dataset, options.crawl, split(options.crawls), split(options.agent), options.ranks, options.labels, options.seed, history)
    path = page_of(options, study)
    if not path.parent.is_dir() or path.is_dir():
        raise ReportError(f"cannot write '{path}': its folder does not exist" if not path.is_dir() else f"cannot write '{path}': it is a folder")
    modules = sections.of(study)
    progress = Progress(len(modules) + 1)
    built = []
    for module in modules:
        progress.step(module.__name__.rsplit(".", 1)[1])
        section = module.build(study)
        for figure in section.figures:
            if not figure.missing and not figure.of_history:
                figure.warnings = [*warnings_of(study, figure), *figure.warnings]
                figure.example_of = figure.example_of or next((records for records in figure.records() if records.count), None)
                figure.examples = study.examples(figure.example_of) if figure.example_of else []
        built.append(section)
        study.stored.forget()
    progress.step("charts")
    page = render(study, built).encode("utf-8")
    progress.end()
    partial = path.with_name(path.name + f".{os.getpid()}.partial")
    try:
        partial.write_bytes(page)
        os.replace(partial, path)
    except OSError as error:
        raise Stopped(f"cannot write '{path}': {error.strerror.lower()}") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
    return f"{path}: {len(page) / 1024:,.0f} KiB, {study.crawl or 'no crawl'}, {', '.join(agent.token for agent in study.chosen)}"


def split(names):
    """Returns the names of a list; a list without names is no list."""
    return [name.strip() for name in (names or "").split(",") if name.strip()]


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
    sys.exit(main(sys.argv[1:]))
