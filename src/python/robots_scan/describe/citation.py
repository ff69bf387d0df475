"""`CITATION.cff`: the citation in the Citation File Format 1.2."""

from .escape import yaml
from .publisher import LICENSES, person
from .statements import made_with, summary


def citation_file(dataset, publisher):
    """Returns the text."""
    lines = [
        "cff-version: 1.2.0",
        'message: "If you use this dataset, cite it as below, and state the crawls, the crawler and the denominator with each figure."',
        "type: dataset", f"title: {yaml(publisher.name)}", f"abstract: {yaml(summary(dataset))}",
        "authors:", *(line for creator in publisher.creators or [f"The publisher of {publisher.name}"] for line in author(creator)),
        f"version: {publisher.version}", f"date-released: {publisher.date.isoformat()}"]
    if publisher.license:
        lines.append(f"license: {publisher.license}" if publisher.license in LICENSES else f"license-url: {yaml(publisher.license)}")
    if publisher.url:
        lines.append(f"url: {yaml(publisher.url)}")
    lines += ["keywords:", "  - robots.txt", "  - web archives", "  - web crawlers",
              "references:", "  - type: software", "    title: robots-scan", "    authors:", '      - name: "robots-scan maintainers"',
              f"    version: {yaml(dataset.program)}", f"    notes: {yaml(' '.join(made_with(dataset)))}"]
    return "\n".join(lines) + "\n"


def author(creator):
    if names := person(creator):
        return [f"  - family-names: {yaml(names[0])}", f"    given-names: {yaml(names[1])}"]
    return [f"  - name: {yaml(creator)}"]
