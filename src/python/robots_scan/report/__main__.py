"""The command `robots-scan report DATASET`."""

import argparse
import contextlib
import os
import re
import sys
from pathlib import Path

from .._terminal import CommandError, Parser, Progress, Stopped, run, today
from . import sections
from .converter import RESERVED, Converter
from .dataset import Dataset, History
from .figure import plural
from .page import render
from .sections.shares import mark, name_rules, warnings_of
from .study import DEFAULT_AGENT, LINES_MAX, study_of

# What the first bytes of each page have, by which a later run knows that it may replace it.
MARK, MARK_END = b'<meta name="generator" content="robots-scan">', 4096


def main(arguments: list[str]) -> int:
    """Runs the command with the arguments after its name. Returns the exit code."""
    return run(lambda: write(parse(arguments)))


def whole_number(text):
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


def new_parser():
    command = Parser(
        "report [OPTIONS] DATASET", "dataset", "the folder that a scan or `robots-scan join` has written",
        description="Draws a dataset as one HTML page of charts, without scripts and requests.",
        epilog="Each figure has its denominator, its pitfall, its SQL, its numbers, and the records behind them. Exit codes: 0 done, 2 not drawn, 3 stopped.")
    add = command.options.add_argument
    add("-o", "--page", metavar="PAGE", help="the page to write [default: the name of the dataset, in the current folder]")
    add("--crawl", metavar="NAME", help="the crawl of all sections but the one about time [default: the last one]")
    add("--crawls", metavar="A,B", help="the crawls of the section about time [default: the longest run of crawls of the same hosts; of a history, all]")
    add("--agent", metavar="A,B", help=f"the crawlers of questions about one crawler, each with figures of its own [default: {DEFAULT_AGENT}]")
    add("--history", metavar="HISTORY", help="the history that answers the section about time, which `robots-scan history` has written; "
        f"up to {LINES_MAX} crawlers of --agent are drawn [default: none; with one, the AI crawlers that are blocked most]")
    add("--ranks", metavar="CSV", help="a list of rank and domain, such as Tranco's, for a figure by rank")
    add("--labels", metavar="CSV", help="a list with the header domain,label or host,label, for a figure by label")
    add("--seed", metavar="N", type=whole_number, default=1, help="chooses the records that are shown as examples [default: 1]")
    add("--overwrite", action="store_true", help="replaces a file that is not a report, too")
    add("-q", "--quiet", action="store_true", help="prints no progress and no summary")
    return command


def parse(arguments):
    """Returns the options. An error is a CommandError; `--help` prints the help and exits."""
    options = new_parser().parse(arguments)
    if options.dataset is None:
        raise CommandError("no dataset is given", "robots-scan report out.parquet")
    return options


def page_of(options, study):
    """Returns the page to write: by default it has the name of the dataset, and of a crawler or a crawl that was chosen."""
    if options.page:
        return Path(options.page)
    folder = study.dataset.folder.resolve()
    chosen = [agent.token.lower() for agent in study.chosen if options.agent] + ([study.crawl] if options.crawl else [])
    return Path("-".join([folder.name.removesuffix(".parquet"), *(re.sub(r"[^\w.-]", "_", name) for name in chosen)]) + ".html")


def check_page(path, overwrite):
    """Refuses a page that cannot be written, or a file that is not a page of this command, unless it may be replaced."""
    if path.is_dir():
        raise CommandError(f"cannot write '{path}': it is a folder")
    if not path.parent.is_dir():
        raise CommandError(f"cannot write '{path}': its folder does not exist")
    if os.path.lexists(path) and not overwrite and not is_page(path):
        raise CommandError(f"'{path}' was not written by robots-scan and is left unchanged", "choose another -o, or replace it with --overwrite")


def is_page(path):
    """Returns true for a file that this command has written."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK in file.read(MARK_END)


def write(options):
    """Writes the page, and returns what was written. No partial page has the final name."""
    today()  # An invalid date is refused before anything is computed.
    dataset = Dataset(options.dataset, (options.ranks, options.labels))
    history = History(options.history) if options.history is not None else None
    study = study_of(dataset, options.crawl, split(options.crawls), split(options.agent), options.ranks, options.labels, options.seed, history)
    path = page_of(options, study)
    check_page(path, options.overwrite)
    modules = sections.of(study)
    progress = Progress(len(modules) + 1, options.quiet)
    built = []
    for module in modules:
        progress.step(module.__name__.rsplit(".", 1)[1])
        section = module.build(study)
        for figure in section.figures:
            if not figure.missing and not figure.of_history:
                if figure.has_rule_sets:
                    name_rules(study, figure.rows)
                mark(figure)
                figure.warnings = [*warnings_of(study, figure), *figure.warnings]
                figure.example_of = figure.example_of or next((records for records in figure.records() if records.count), None)
                figure.examples = study.examples(figure.example_of) if figure.example_of else []
        built.append(section)
        study.stored.forget()
    progress.step("charts")
    converter = Converter()
    try:
        page = render(study, built, converter).encode("utf-8")
    finally:
        converter.close()
    seconds = progress.end()
    if not options.quiet:
        print(f"{progress.steps} steps, {seconds:.1f} s", file=sys.stderr)
    if converter.failed:
        print(f"warning: {plural(converter.failed, 'chart')} could not be drawn; the page has a sentence in place of each", file=sys.stderr)
        if not converter.works:
            print(f"hint: the library of charts reserves {RESERVED} of virtual memory: see 'ulimit -v'", file=sys.stderr)
    partial = path.with_name(path.name + f".{os.getpid()}.partial")
    try:
        partial.write_bytes(page)
        check_page(path, options.overwrite)
        os.replace(partial, path)
    except OSError as error:
        raise Stopped(f"cannot write '{path}': {error.strerror.lower()}") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
    return "" if options.quiet else f"{path}: {len(page) / 1024:,.0f} KiB, {study.crawl or 'no crawl'}, {', '.join(agent.token for agent in study.chosen)}"


def split(names):
    """Returns the names of a list; a list without names is no list."""
    return [name.strip() for name in (names or "").split(",") if name.strip()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
