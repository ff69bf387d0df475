"""Errors, options and progress of the commands that are written in Python."""

import argparse
import datetime
import difflib
import os
import re
import sys
import time

# Exit codes, as those of the other commands.
OK, NOT_STARTED, STOPPED = 0, 2, 3
# Those of src/escapes/terminal.rs, and surrogates, which Rust's texts do not have.
CONTROLS = re.compile(r"[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
SEE_HELP = "for more information, try '--help'"


class CommandError(Exception):
    """An error that the user can do something about, with a hint or None."""

    def __init__(self, message, hint=None):
        super().__init__(message)
        self.hint = hint


class Stopped(CommandError):
    """An error that stops a command which has begun."""


def run(work):
    """Runs a command, which is a function, and prints the text that it returns, if any. Returns the exit code."""
    try:
        written = work()
    except SystemExit as printed_help:
        return printed_help.code
    except CommandError as error:
        return fail(error)
    except OSError as error:
        return fail(Stopped(f"cannot read '{error.filename}': {str(error.strerror).lower()}"))
    except MemoryError:
        return fail(Stopped("out of memory"))
    except KeyboardInterrupt:
        return fail(Stopped("interrupted; nothing was written"))
    if written:
        print(escaped(written), file=sys.stderr)
    return OK


def today():
    """Returns the date in UTC, or that of SOURCE_DATE_EPOCH, with which the same dataset gives the same files."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC) if epoch else datetime.datetime.now(datetime.UTC)
    except (ValueError, OverflowError, OSError):
        raise CommandError(f"SOURCE_DATE_EPOCH is not a number of seconds: '{epoch}'") from None
    return moment.date()


def fail(error):
    """Prints an error and its hint, each on one line. Returns the exit code."""
    clear_line()
    print(f"error: {escaped(error)}", file=sys.stderr)
    if error.hint:
        print(f"hint: {escaped(error.hint)}", file=sys.stderr)
    return STOPPED if isinstance(error, Stopped) else NOT_STARTED


def escaped(text, keep=""):
    """Replaces characters that have an effect on terminals, that change the direction of writing, or that XML 1.0 excludes, by visible escapes,
    as `escape` of the other commands does. `keep` are some that stay."""
    return CONTROLS.sub(lambda found: found[0] if found[0] in keep else escape_of(found[0]), str(text))


def escape_of(char):
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char) or (f"\\x{ord(char):02x}" if char.isascii() else f"\\u{{{ord(char):x}}}")


def clear_line():
    """Removes the progress from the line of a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


class Parser(argparse.ArgumentParser):
    """A parser of one argument and options, whose errors have the form of those of the other commands.

    A missing argument is reported after misspelt options, so `argument` is optional to `argparse`.
    """

    def __init__(self, usage, argument, argument_help, **texts):
        name, *_, shown = usage.split()
        super().__init__(prog=f"robots-scan {name}", usage=f"robots-scan {usage}", allow_abbrev=False, add_help=False, **texts)
        self.argument = argument
        self.add_argument_group("arguments").add_argument(argument, metavar=shown, nargs="?", help=argument_help)
        self.options = self.add_argument_group("options")

    def error(self, message):
        raise CommandError(re.sub(r"^argument ([^\s:]+):", r"option '\1':", message), SEE_HELP)

    def parse(self, arguments):
        """Returns the options. An option that does not exist is a CommandError with the name of the nearest one."""
        self.options.add_argument("-h", "--help", action="help", help="print this help")
        options, unknown = self.parse_known_args(arguments)
        if unknown:
            name = unknown[0].split("=", 1)[0]
            known = ["--" + option.replace("_", "-") for option in vars(options) if option != self.argument]
            nearest = difflib.get_close_matches(name, known, 1)
            raise CommandError(f"unexpected argument '{name}' found", f"a similar argument exists: '{nearest[0]}'" if nearest else SEE_HELP)
        return options


class Progress:
    """Says on standard error what is being done: on one line of a terminal, or a line per step, unless it is `quiet`. `steps` is their number, if it is
    known."""

    def __init__(self, steps=None, quiet=False):
        self.steps, self.quiet, self.done, self.name, self.began = steps, quiet, 0, None, time.monotonic()
        self.is_terminal = sys.stderr.isatty() and not quiet

    def step(self, name):
        self.end_of_step()
        self.done, self.name, self.step_began = self.done + 1, name, time.monotonic()
        self.say(self.place() + name)

    def place(self):
        return f"[{self.done:2}/{self.steps}] " if self.steps else ""

    def say(self, text):
        """Replaces the line of a terminal."""
        if self.is_terminal:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def end_of_step(self):
        if self.name and not self.is_terminal and not self.quiet:
            print(f"{self.place()}{self.name:12} {time.monotonic() - self.step_began:5.1f} s", file=sys.stderr)

    def end(self):
        """Ends the last step. Returns the seconds of all."""
        self.end_of_step()
        clear_line()
        return time.monotonic() - self.began
