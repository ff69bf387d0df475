"""The command `robots-scan describe DATASET`."""

import argparse
import difflib
import re
import sys
from pathlib import Path

from .card import card
from .checksums import checksums, digests_of
from .citation import citation_file
from .croissant import croissant
from .dataset import Dataset
from .error import DescribeError, Stopped
from .escape import printable
from .folder import SUMS, check, write
from .licenses import licenses
from .publisher import LICENSES, publisher_of
from .tables import tables

# Exit codes, as those of the other commands.
OK, NOT_STARTED, STOPPED = 0, 2, 3
SEE_HELP = "for more information, try '--help'"
NAMES = ("README.md", "TABLES.md", "croissant.json", "CITATION.cff", "LICENSES.md")
# Characters that names of files must not have, since SHA256SUMS and the query of the card have them as they are.
UNSAFE = re.compile(r"[\\`]")


def main(arguments: list[str]) -> int:
    """Runs the command with the arguments after its name. Returns the exit code."""
    try:
        print(printable(describe(parse(arguments))), file=sys.stderr)
    except SystemExit as printed_help:
        return printed_help.code
    except DescribeError as error:
        return fail(error, error.hint, STOPPED if isinstance(error, Stopped) else NOT_STARTED)
    except OSError as error:
        return fail(f"cannot read '{error.filename}': {str(error.strerror).lower()}", None, STOPPED)
    except KeyboardInterrupt:
        return fail("interrupted; nothing was written", None, STOPPED)
    return OK


def fail(error, hint, code):
    """Prints an error and its hint, each on one line. Returns the exit code."""
    print(f"error: {printable(error)}", file=sys.stderr)
    if hint:
        print(f"hint: {printable(hint)}", file=sys.stderr)
    return code


class Parser(argparse.ArgumentParser):
    """A parser whose errors have the form of those of the other commands."""

    def error(self, message):
        raise DescribeError(re.sub(r"^argument ([^\s:]+):", r"option '\1':", message), SEE_HELP)


def new_parser():
    command = Parser(
        prog="robots-scan describe", usage="robots-scan describe [OPTIONS] DATASET", allow_abbrev=False, add_help=False,
        description="Describes a dataset or a history for catalogues and readers: a card, all columns, Croissant, a citation, licences and checksums.",
        epilog="The dataset is verified first. Exit codes: 0 done, 2 nothing was written, 3 stopped.")
    # A missing dataset is reported after misspelt options, so it is optional here.
    command.add_argument_group("arguments").add_argument(
        "dataset", metavar="DATASET", nargs="?", help="the folder that a scan, `robots-scan join` or `robots-scan history` has written")
    add = command.add_argument_group("options").add_argument
    add("-o", "--output", metavar="FOLDER", help="the folder to write to: that of the dataset, or one above it [default: that of the dataset]")
    add("--name", metavar="TEXT", help="the name of the dataset [default: that of its folder]")
    add("--about", metavar="FILE", help="text in Markdown for the card, such as how the sites were chosen")
    add("--creator", metavar="NAME", action="append", default=[], help="a creator: an organization, or a person as 'Family, Given'; once for each")
    add("--license", metavar="LICENCE", help=f"the licence of the tables: an address, or one of {', '.join(LICENSES)} [default: none is stated]")
    add("--url", metavar="URL", help="the page at which the dataset is published")
    add("--dataset-version", metavar="N.N.N", default="1.0.0", help="the version of the dataset [default: 1.0.0]")
    add("--overwrite", action="store_true", help="replaces a description that nobody changed")
    add("-h", "--help", action="help", help="print this help")
    return command


def parse(arguments):
    """Returns the options. An error is a DescribeError; `--help` prints the help and exits."""
    command = new_parser()
    options, unknown = command.parse_known_args(arguments)
    if unknown:
        name = unknown[0].split("=", 1)[0]
        nearest = difflib.get_close_matches(name, [f"--{option.replace('_', '-')}" for option in vars(options) if option != "dataset"], 1)
        raise DescribeError(f"unexpected argument '{name}' found", f"a similar argument exists: '{nearest[0]}'" if nearest else SEE_HELP)
    if not options.dataset:
        raise DescribeError("no dataset is given", "robots-scan describe out.parquet")
    return options


def describe(options):
    """Writes the files, and returns what was written."""
    folder, prefix = folder_of(options)
    publisher = publisher_of(options, Path(options.dataset).resolve().name.removesuffix(".parquet"))
    check(folder, NAMES, options.overwrite)
    dataset = Dataset(options.dataset)
    for file in dataset.files():
        if UNSAFE.search(prefix + file) or not (prefix + file).isprintable():
            raise DescribeError(f"'{prefix + file}' has a backslash, a backquote or an unprintable character in its name", "rename the folder")
    digests = digests_of(dataset)
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
        raise DescribeError(f"the folder '{folder}' does not exist")
    try:
        below = dataset.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        raise DescribeError(f"'{folder}' is not a folder above '{dataset}'", "addresses in a description are relative: give -o the folder of the dataset, or one above it") from None
    return folder, "" if below == "." else f"{below}/"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
