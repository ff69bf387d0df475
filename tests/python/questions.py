"""Reads the research questions of jobs/queries."""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "jobs" / "queries"


@dataclass(frozen=True)
class Question:
    """A question: its macro, its description, and a call of it with default values."""

    name: str
    question: str
    title: str  # a few words, or nothing
    denominator: str
    pitfall: str
    columns: str  # the names of columns and their meaning, or nothing
    parameters: dict  # the default values, by name
    definition: str
    call: str

    @property
    def list_parameter(self):
        """The parameter that names a file that the question needs, or None."""
        return next((name for name in ("list", "labels", "index", "ranks") if name in self.parameters), None)

    @property
    def needs_list(self):
        return self.list_parameter is not None


def read(path):
    """Parses a file of jobs/queries: a comment, the definition of a macro, and a call of it."""
    text = path.read_text(encoding="utf-8")
    header, definition, call = re.fullmatch(r"((?:--.*\n)+)(CREATE OR REPLACE MACRO .*?);\n\n(FROM .*;)\n", text, re.DOTALL).groups()
    comment = " ".join(line[2:].strip() for line in header.splitlines())
    question, title, denominator, pitfall, columns = re.fullmatch(
        r"(.*\?)(?:\s+Title: (.*?))?\s+Denominator: (.*) Pitfall: (.*?)(?: Columns: (.*))?", comment).groups()
    name, signature = re.match(r"CREATE OR REPLACE MACRO (\w+)\((.*)\) AS TABLE\n", definition).groups()
    parameters = dict(part.split(" := ") for part in signature.split(", ")) if signature else {}
    assert path.stem.split("_", 1)[1] == name, f"{path.name} defines {name}"
    assert "ORDER BY" in definition, f"{path.name} does not specify the order of rows"
    return Question(name, question, title, denominator, pitfall, columns, parameters, definition, call)


ALL = [read(path) for path in sorted(FOLDER.glob("*.sql"))]
