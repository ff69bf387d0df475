"""Writes the figures as one HTML page."""

import json
import shlex
from importlib import resources

import duckdb
import jinja2
from markupsafe import Markup

from .._terminal import CONTROLS, escaped, today
from .chart import FEW
from .converter import Converter
from .tables import options_of
from .figure import Section, count, plural, share
from .sections.outcomes import only_successful
from .sections.time import other_year


def render(study, sections: list[Section], converter: Converter):
    """Returns the page. Everything but charts is escaped: names of hosts and crawlers come from the web. Lines of SQL stay lines."""
    environment = jinja2.Environment(loader=jinja2.FunctionLoader(read), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined, finalize=lambda value: value if isinstance(value, Markup) else escaped(value, keep="\n"))
    environment.filters["sentence"] = sentence
    environment.filters["sql"] = sql
    environment.filters["svg"] = lambda figure: [Markup(form) for form in figure.chart.svg(converter)]
    return environment.get_template("page.html").render(
        study=study, sections=sections, style=Markup(read("page.css")), origin=origin(study), count=count,
        questions={**study.dataset.questions, **(study.history.questions if study.history else {})},
        plural=plural, share=share, few=FEW, to_cite=next(figure.lead for figure in sections[0].figures if figure.key == "headline"),
        fetched=fetched(study), views=views_of(study.dataset), folder=shlex.quote(str(study.dataset.folder)), history=study.history and views_of(study.history), today=today())


def views_of(tables):
    """Returns the path of `views.sql` as a word of a shell."""
    return shlex.quote(str(tables.folder / "views.sql"))


def sql(text):
    """Returns SQL that can be copied from the page: characters of its literals that the page escapes are calls of a function."""
    return CONTROLS.sub(lambda found: found[0] if found[0] == "\n" else f"' || chr({ord(found[0])}) || '", text)


def sentence(text):
    """Returns a text with a capital letter, unless it begins with the name of a column."""
    return text if "_" in text.split(" ", 1)[0] else text[:1].upper() + text[1:]


def read(name):
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def fetched(study):
    """Returns when the crawl was fetched, as the end of a phrase; an empty text if its captures have no times."""
    row = next((row for row in study.dataset.crawls if row["crawl"] == study.crawl), None)
    if row is None or row["first_day"] is None:
        return ""
    first, last = row["first_day"], row["last_day"]
    notice = ", another year than the name" if other_year(row) else ""
    notice += ", only responses with the status 200" if only_successful(study) else ""
    return f", fetched on {first}{notice}" if first == last else f", fetched from {first} to {last}{notice}"


def archives_of_crawl(study):
    """Returns how many archives of the crawl were read, and of how many they are a sample."""
    for row in study.dataset.crawls:
        if row["crawl"] == study.crawl:
            sample = f"a random sample of {count(row['archives_read'])} of " if row["is_sample"] else ""
            return f"{sample}{plural(row['archives_listed'] if row['is_sample'] else row['archives_read'], 'archive')} of {study.crawl}"
    return "no archives"


def origin(study):
    """Returns where the numbers come from: versions, options and inputs."""
    dataset = study.dataset
    runs = dataset.rows("""
        SELECT list(DISTINCT r.version ORDER BY r.version) AS versions, list(DISTINCT r.psl_version ORDER BY r.psl_version) AS suffix_lists,
            list(DISTINCT r.agents_version ORDER BY r.agents_version) AS registries, list(DISTINCT r.options ORDER BY r.options) AS options,
            coalesce(sum(r.inputs), 0)::BIGINT AS inputs, coalesce(sum(r.input_bytes), 0)::BIGINT AS input_bytes,
            coalesce(sum(r.records), 0)::BIGINT AS records, coalesce(sum(r.captures), 0)::BIGINT AS captures, coalesce(sum(r.faults), 0)::BIGINT AS faults,
            list(DISTINCT r.sample_seed) FILTER (r.sample_seed IS NOT NULL) AS seeds
        FROM runs r""")[0]
    return {
        **{key: runs[key] or [] for key in ("versions", "suffix_lists", "registries", "seeds")},
        **{key: runs[key] for key in ("inputs", "input_bytes", "records", "captures", "faults")},
        "options": [", ".join(f"{key} = {json.dumps(value)}" for key, value in options_of(options).items()) for options in runs["options"] or []],
        "archives_of_crawl": archives_of_crawl(study), "agents": dataset.value("SELECT count(*) FROM agents"), "duckdb": duckdb.__version__,
    }
