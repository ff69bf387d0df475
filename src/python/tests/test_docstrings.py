"""Runs the examples in the docstrings of all modules that can be imported in this environment, and of the native module."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import unittest
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import robots_scan

# Modules that need other packages. Their examples run in the environments that have these.
NEED_PACKAGES = ("duckdb", "polars", "spark", "report", "describe")

PUBLIC = [name for name in robots_scan.__all__ if not name.startswith("_")]


def modules() -> Iterator[ModuleType]:
    """Import the modules of the package."""
    yield robots_scan
    for found in pkgutil.iter_modules(robots_scan.__path__, "robots_scan."):
        try:
            yield importlib.import_module(found.name)
        except ModuleNotFoundError:
            if found.name.split(".")[1] not in NEED_PACKAGES:
                raise


def documented(owner: Any, name: str) -> Iterator[tuple[str, str]]:
    """Return the docstrings of a module or class and of what it defines, with their names."""
    yield name, inspect.getdoc(owner) or ""
    for member, value in vars(owner).items():
        if member.startswith("__") or inspect.ismodule(value):
            continue
        of = getattr(value, "__module__", None) or getattr(getattr(value, "__objclass__", None), "__module__", None)
        if inspect.isclass(value) and inspect.ismodule(owner) and of in (owner.__name__, "robots_scan"):
            yield from documented(value, f"{name}.{member}")
        elif inspect.isroutine(value) or inspect.isdatadescriptor(value):
            yield f"{name}.{member}", inspect.getdoc(value) or ""


class Docstrings(unittest.TestCase):
    def test_the_examples_give_what_they_show(self) -> None:
        examples = 0
        for module in modules():
            for name, text in documented(module, module.__name__):
                test = doctest.DocTestParser().get_doctest(text, {"robots_scan": robots_scan}, name, name, 0)
                printed: list[str] = []
                failed, attempted = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=printed.append)
                self.assertEqual(failed, 0, "".join(printed))
                examples += attempted
        self.assertGreater(examples, 20)

    def test_everything_public_has_a_docstring(self) -> None:
        for name in PUBLIC:
            value = getattr(robots_scan, name)
            self.assertTrue(inspect.getdoc(value), name)
            if inspect.isclass(value) and not issubclass(value, Exception):
                for member, of in vars(value).items():
                    if not member.startswith("_"):
                        self.assertTrue(inspect.getdoc(of), f"{name}.{member}")

    def test_everything_public_is_in_all(self) -> None:
        for module in modules():
            names = getattr(module, "__all__", ())
            self.assertEqual([name for name in names if not hasattr(module, name)], [], module.__name__)


if __name__ == "__main__":
    unittest.main()
