"""The command `robots-scan describe DATASET`."""

import re
import sys
from pathlib import Path

from .._terminal import CommandError, Parser, run
from .card import card
from .checksums import checksums, digests_of
from .citation import citation_file
from .croissant import croissant
from .dataset import Dataset
from .folder import SUMS, check, check_listed, write
from .licenses import licenses
from .publisher import LICENSES, publisher_of
from .tables import tables

NAMES = ("README.md", "TABLES.md", "croissant.json", "CITATION.cff", "LICENSES.md")
# Characters that names of files must not have, since SHA256SUMS and the query of the card have them as they are.
UNSAFE = re.compile(r"[\\`]")


def main(arguments: list[str]) -> int:
    """Runs the command with the arguments after its name. Returns the exit code."""
    return run(lambda: describe(parse(arguments)))


def new_parser():
    command = Parser(
        "describe [OPTIONS] DATASET", "dataset", "the folder that a scan, `robots-scan join` or `robots-scan history` has written",
        description="Describes a dataset or a history for catalogues and readers: a card, all columns, Croissant, a citation, licences and checksums.",
        epilog="The dataset is verified first. Exit codes: 0 done, 2 nothing was written, 3 stopped.")
    add = command.options.add_argument
    add("-o", "--output", metavar="FOLDER", help="the folder to write to: that of the dataset, or one above it [default: that of the dataset]")
    add("--name", metavar="TEXT", help="the name of the dataset [default: that of its folder]")
    add("--about", metavar="FILE", help="text in Markdown for the card, such as how the sites were chosen")
    add("--creator", metavar="NAME", action="append", default=[], help="a creator: an organization, or a person as 'Family, Given'; once for each")
    add("--license", metavar="LICENCE", help=f"the licence of the tables: an address, or one of {', '.join(LICENSES)} [default: none is stated]")
    add("--url", metavar="URL", help="the page at which the dataset is published")
    add("--dataset-version", metavar="N.N.N", default="1.0.0", help="the version of the dataset [default: 1.0.0]")
    add("--overwrite", action="store_true", help="replaces a description that nobody changed")
    return command


def parse(arguments):
    """Returns the options. An error is a CommandError; `--help` prints the help and exits."""
    options = new_parser().parse(arguments)
    if not options.dataset:
        raise CommandError("no dataset is given", "robots-scan describe out.parquet")
    return options


def describe(options):
    """Writes the files, and returns what was written."""
    folder, prefix = folder_of(options)
    publisher = publisher_of(options, Path(options.dataset).resolve().name.removesuffix(".parquet"))
    check(folder, NAMES, options.overwrite)
    dataset = Dataset(options.dataset)
    for file in dataset.files():
        if UNSAFE.search(prefix + file) or not (prefix + file).isprintable():
            raise CommandError(f"'{prefix + file}' has a backslash, a backquote or an unprintable character in its name", "rename the folder")
    digests = digests_of(dataset)
    check_listed(folder, {prefix + file for file in digests} | set(NAMES))
    texts = dict(zip(NAMES, (card(dataset, publisher, prefix), tables(dataset, publisher), croissant(dataset, publisher, prefix, digests),
                             citation_file(dataset, publisher), licenses(dataset, publisher))))
    write(folder, texts | {SUMS: checksums(digests, prefix, texts)})
    if missing := publisher.missing():
        print(f"warning: catalogues also ask for {' and '.join(', '.join(missing).rsplit(', ', 1))}", file=sys.stderr)
    return f"{folder}: {', '.join(NAMES)}, {SUMS} of {len(digests):,} files"


def folder_of(options):
    """Returns the folder to write to, and the path from it to the dataset, which is empty or ends with a slash."""
    dataset = Path(options.dataset)
    dataset = dataset.parent if dataset.name == "views.sql" else dataset
    folder = Path(options.output) if options.output is not None else dataset
    if dataset.is_dir() and not folder.is_dir():
        raise CommandError(f"the folder '{folder}' does not exist")
    try:
        below = dataset.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        raise CommandError(f"'{folder}' is not a folder above '{dataset}'", "addresses in a description are relative: give -o the folder of the dataset, or one above it") from None
    return folder, "" if below == "." else f"{below}/"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
