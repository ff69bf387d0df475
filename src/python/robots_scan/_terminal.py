"""Errors, options and progress of the commands that are written in Python."""

import argparse
import re
import sys
import time

from .report.dataset import ReportError

# Exit codes, as those of the other commands.
OK, NOT_STARTED, STOPPED = 0, 2, 3
SEE_HELP = "for more information, try '--help'"


class Stopped(ReportError):
    """An error that stops a command which has begun."""


def fail(error, code):
    """Prints an error and its hint, each on one line. Returns the exit code."""
    clear_line()
    print(f"error: {escaped(error)}", file=sys.stderr)
    if getattr(error, "hint", None):
        print(f"hint: {escaped(error.hint)}", file=sys.stderr)
    return code


def escaped(text):
    """Replaces characters with an effect on terminals, such as those of a name of a file, by visible escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in str(text))


def clear_line():
    """Removes the progress from the line of a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


class Parser(argparse.ArgumentParser):
    """A parser whose errors have the form of those of the other commands."""

    def error(self, message):
        raise ReportError(re.sub(r"^argument (\S+):", r"option '\1':", message), SEE_HELP)


class Progress:
    """Says on standard error what is being done: on one line of a terminal, or a line per step."""

    def __init__(self):
        self.name, self.began = None, time.monotonic()
        self.is_terminal = sys.stderr.isatty()

    def step(self, name):
        self.end_of_step()
        self.name, self.step_began = name, time.monotonic()
        self.say(name)

    def say(self, text):
        """Replaces the line of a terminal."""
        if self.is_terminal:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def end_of_step(self):
        if self.name and not self.is_terminal:
            print(f"{self.name:12} {time.monotonic() - self.step_began:5.1f} s", file=sys.stderr)

    def seconds(self):
        self.end_of_step()
        clear_line()
        return time.monotonic() - self.began
