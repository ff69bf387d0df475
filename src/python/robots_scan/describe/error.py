"""Errors of the command."""


class DescribeError(Exception):
    """An error that the user can do something about, with a hint or None. Nothing was written."""

    def __init__(self, message, hint=None):
        super().__init__(message)
        self.hint = hint


class Stopped(DescribeError):
    """An error that stops a command which has begun."""
