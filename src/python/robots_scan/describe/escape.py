"""Text of users and of datasets in Markdown, YAML and messages: it never becomes markup."""

import re

from .._terminal import escaped

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Characters that begin markup anywhere. An underscore within a word does not.
MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<!\w)_|_(?!\w)")
# Texts that become links without any markup.
LINK = re.compile(r"(?<=\w)(?=://)|(?<=\bwww)(?=\.)|(?=@)", re.IGNORECASE)
CODE = re.compile(r"(`[^`]*`)")


def markdown(text):
    """Returns a text that is shown as it is, in a paragraph or a cell of a table."""
    marked = MARKUP.sub(r"\\\g<0>", escaped(text))
    return LINK.sub(r"\\", "".join(ENTITIES.get(char, char) for char in marked))


def cell(comment):
    """Returns a comment of this program, which may have code in backquotes, as the cell of a table."""
    parts = CODE.split(comment)
    shown = [part if part.startswith("`") else "".join(ENTITIES.get(char, char) for char in part).replace("*", r"\*") for part in parts]
    return "".join(shown).replace("|", r"\|")


def yaml(text):
    """Returns a text as a scalar of YAML between double quotes, on one line."""
    return '"' + "".join(char if char.isprintable() else yaml_escape(char) for char in str(text).replace("\\", "\\\\").replace('"', '\\"')) + '"'


def yaml_escape(char):
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
