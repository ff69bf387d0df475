"""What only the publisher of a dataset can say: its name, creators, address, licence and version."""

import datetime
import re
from dataclasses import dataclass

from .._terminal import CommandError, today

# Licences that are made or often used for data, by their identifiers in the SPDX list. Any other one is given as an address.
LICENSES = (
    "Apache-2.0", "CC-BY-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC-BY-SA-4.0", "CC0-1.0", "CDLA-Permissive-1.0", "CDLA-Sharing-1.0", "MIT", "ODbL-1.0",
    "ODC-By-1.0", "PDDL-1.0")
ADDRESS = re.compile(r"https?://[^\s<>\"\\^`{|}]+")
ABOUT_MAX = 20_000
# MAJOR.MINOR.PATCH, as Croissant recommends.
VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")


@dataclass(frozen=True)
class Publisher:
    """The choices of the publisher. What was not given is None or empty, and is never invented."""

    name: str
    creators: list[str]
    url: str | None
    license: str | None  # an identifier of LICENSES, or an address
    version: str
    about: str | None  # Markdown
    date: datetime.date

    @property
    def license_url(self):
        """Returns the address of the licence."""
        return f"https://spdx.org/licenses/{self.license}.html" if self.license in LICENSES else self.license

    def missing(self):
        """Returns the options that a catalogue needs and that were not given."""
        return [option for option, value in (("--creator", self.creators), ("--license", self.license), ("--url", self.url)) if not value]


def publisher_of(options, default_name):
    """Checks the options about the publisher."""
    for name, text in (("--name", options.name), *(("--creator", creator) for creator in options.creator)):
        if text is not None and not text.strip():
            raise CommandError(f"the text of '{name}' is empty")
    if options.url is not None and not ADDRESS.fullmatch(options.url):
        raise CommandError(f"'{options.url}' is not an address", "give --url the page of the dataset, such as https://example.org/dataset")
    if options.license is not None and options.license not in LICENSES and not ADDRESS.fullmatch(options.license):
        raise CommandError(f"unknown licence '{options.license}'", f"give --license one of {', '.join(LICENSES)}, or the address of another licence")
    if not VERSION.fullmatch(options.dataset_version):
        raise CommandError(f"'{options.dataset_version}' is not a version", "give --dataset-version three numbers, such as 1.0.0")
    name = options.name.strip() if options.name is not None else default_name
    for text in (name, *options.creator):
        # Python has a surrogate for each such byte.
        if any(0xd800 <= ord(char) < 0xe000 for char in text):
            raise CommandError(f"'{text}' is not text in UTF-8", "give --name and --creator text in UTF-8")
    return Publisher(name, [creator.strip() for creator in options.creator], options.url, options.license, options.dataset_version, about_of(options.about), today())


def about_of(path):
    """Returns the text of the file with the publisher's own words, or None."""
    if path is None:
        return None
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(ABOUT_MAX + 1).strip()
    except OSError as error:
        raise CommandError(f"cannot read '{path}': {error.strerror.lower()}") from error
    except UnicodeDecodeError:
        raise CommandError(f"'{path}' is not text in UTF-8") from None
    if not text or len(text) > ABOUT_MAX:
        raise CommandError(f"'{path}' is {'empty' if not text else f'longer than {ABOUT_MAX:,} characters'}", "give --about a text of some sentences, such as how the sites were chosen")
    return text


def person(creator):
    """Returns the family name and the given name of a creator who is written as 'Family, Given', or None for an organization."""
    family, comma, given = (part.strip() for part in creator.partition(","))
    return (family, given) if comma and family and given else None
