"""`LICENSES.md`: what the publisher licenses, and what belongs to others."""

from .escape import markdown
from .publisher import LICENSES
from .statements import COMMON_CRAWL_TERMS, PERSONAL, common_crawl, count, texts

# The lists from which the registry of crawlers was made, and their licences, as in docs/tables.md.
REGISTRY_SOURCES = {
    "AIRT": ("ai-robots-txt/ai.robots.txt, robots.json at 738c80d", "MIT"),
    "MON": ("monperrus/crawler-user-agents at 7c7f9f2", "MIT"),
    "ARC": ("arcjet/well-known-bots", "MIT"),
    "CCX": ("commoncrawl/robotstxt-experiments, user-agents-frequent.csv", "MIT"),
    "CCB": ("commoncrawl/ccbot-blocking-analysis, robots_class.py", "none stated"),
    "DPI": ("Data-Provenance-Initiative/Data-Provenance-Collection, robots_util.py", "see there"),
    "IMC": ("Liu et al., ucsdsysnet/ai-crawler-imc-25", "see there"),
    "CFM": ("the names in Cloudflare's managed block, as of November 2026", "see there"),
    "OPR": ("the documentation of the operator, at operator_page, as of November 2026", "facts"),
}


def licenses(dataset, publisher):
    """Returns the text."""
    parts = [f"# Licences of {markdown(publisher.name)}", "## Tables", tables(publisher), "## Texts of sites", f"{texts(dataset)} {PERSONAL}",
             "A robots.txt file may state preferences about the use of its site's content. They are in the dataset, and they apply to the content and not to this dataset."]
    if crawls := common_crawl(dataset):
        parts += ["## Archives", f"{count(crawls, 'crawl')} {'is' if crawls == 1 else 'are'} named as {'one' if crawls == 1 else 'those'} of Common Crawl. "
                  f"Its [terms of use]({COMMON_CRAWL_TERMS}) apply to what comes from its archives."]
    else:
        parts += ["## Archives", "The terms of those who made the archives apply to what comes from them."]
    if sources := registry_sources(dataset):
        parts += ["## Registry of crawlers", "The table `agents` was made from these lists; its column `source` names those of each crawler. "
                  "Operators, categories and purposes are the interpretation of robots-scan.",
                  "\n".join(["| code | list | licence |", "|---|---|---|", *(f"| {code} | {markdown(name)} | {licence} |" for code, (name, licence) in sources.items())])]
    return "\n\n".join([*parts, "## Software", "robots-scan is licensed under Apache-2.0 or MIT, at your option. Its licence does not extend to this dataset."]) + "\n"


def tables(publisher):
    if publisher.license is None:
        return "The publisher has stated no licence. Without one, the law of your country decides what you may do with the tables; ask the publisher."
    named = f"[{publisher.license}]({publisher.license_url})" if publisher.license in LICENSES else f"<{publisher.license}>"
    return f"The publisher licenses the tables, as far as the publisher has rights in their selection, arrangement and computed values, under {named}. " \
           "Single facts, such as a verdict, are free in most countries."


def registry_sources(dataset):
    """Returns the lists from which the registry of the dataset was made. A registry of the publisher's own has no codes."""
    if "agents" not in dataset.tables:
        return {}
    found = {row["code"] for row in dataset.rows("SELECT DISTINCT unnest(string_split(g.source, '+')) AS code FROM agents g WHERE g.source IS NOT NULL")}
    return {code: source for code, source in REGISTRY_SOURCES.items() if code in found}
