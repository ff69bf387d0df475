"""Sentences that more than one file says."""

from .._terminal import escaped


def count(number, noun, plural=None):
    """Returns a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def bytes_text(number):
    """Returns a number of bytes in units of 1024."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if number < 1024 or unit == "GiB":
            break
        number /= 1024
    return f"{number:,} bytes" if unit == "bytes" else f"{number:,.1f} {unit}"


def day(time):
    return time.date().isoformat()


def days(dataset):
    """Returns the time span of the captures, or nothing if none has a time."""
    if dataset.first is None:
        return ""
    first, last = day(dataset.first), day(dataset.last)
    return f"fetched on {first}" if first == last else f"fetched from {first} to {last}"


def summary(dataset):
    """Says what a dataset is, in one sentence, without any text of its files but the names of crawls."""
    crawls = count(len(dataset.crawls), "crawl") if len(dataset.crawls) != 1 else f"the crawl {escaped(dataset.crawls[0].name)}"
    captures = sum(crawl.captures for crawl in dataset.crawls)
    if dataset.is_history:
        what = f"The robots.txt of hosts over time, as periods in which nothing changed, in {crawls}"
    elif "hosts" in dataset.tables:
        what = f"The contents and the verdicts of the robots.txt files of hosts in {crawls}"
    else:
        what = f"The contents of robots.txt files in {crawls}"
    times = f", {days(dataset)}" if days(dataset) else ""
    return f"{what}: {count(captures, 'capture')}{times}."


MEANING = (
    "A robots.txt file states which paths of a host crawlers are asked not to fetch. A verdict says what it means for one crawler: it may fetch "
    "all paths (`allow_all`), none (`disallow_all`) or some (`partial`), or nothing decidable was captured (`unknown`).")
USE = "The dataset can say which share of the captured hosts, or of their registered domains, asked a crawler not to fetch anything, by name or not, when they were crawled."


def limitations(dataset):
    """Returns what must not be concluded, as sentences that begin with the matter. They are those of docs/pitfalls.md that concern every reader."""
    found = [
        ("Requests, not behaviour.", "A robots.txt file states what a site asks for. It does not show whether crawlers comply, what terms of service forbid, or what pages say themselves."),
        ("Unknown is not consent.", "A host that is not here, or whose verdict is `unknown`, has allowed nothing. Leave it out of the denominator."),
        ("Hosts are not decisions.", "One registered domain may have thousands of hosts. State shares of registered domains, too."),
        ("By name, or with all others.", "Only rows with the basis `explicit` concern a crawler by name. Rules for all crawlers, and responses such as 503, block without naming any."),
        ("Templates.", "Hosting providers and content delivery networks write many files: see `template` and `ruleset_id`."),
        ("Words.", "`partial` is the usual verdict and says little by itself. Categories of crawlers are opinions."),
    ]
    if dataset.is_history:
        found.append(("Unseen is not unchanged.", "What happened between two captures of a host is unknown, and a crawl may not have captured it."))
    if samples := sum(crawl.is_sample for crawl in dataset.crawls):
        found.append(("Samples.", f"{count(samples, 'crawl')} {'is a random sample' if samples == 1 else 'are random samples'} of archives: give intervals with shares."))
    elif dataset.is_part:
        found.append(("A part.", "The dataset has only some of the archives that were listed, and they were not chosen at random."))
    return found


def texts(dataset):
    """Says which texts of sites a dataset has, and to whom they belong."""
    if dataset.is_history:
        what = "the lines of robots.txt files that crawlers read, and names of hosts"
    elif dataset.has_bodies:
        what = "whole robots.txt files with their comments, and addresses"
    else:
        what = "lines of robots.txt files without their comments, and addresses"
    return f"The dataset has texts of sites: {what}. They belong to their sites, and no licence of the publisher covers them."


PERSONAL = "Host names, paths, addresses and comments are as sites published them, and may name persons or have email addresses."


def made_with(dataset):
    """Returns sentences about the program and the options."""
    found = [f"robots-scan {dataset.program} wrote the dataset."]
    for run in dataset.runs:
        options = ", ".join(f"{name} {str(value).lower() if isinstance(value, bool) else value}" for name, value in run.options.items())
        version = f"robots-scan {run.version}, " if run.version != dataset.program else ""
        found.append(f"Rows were made with {version}{options}; the Public Suffix List of the crate {run.psl_version}; and the registry of crawlers {run.agents_version[:12]}.")
    if dataset.is_history:
        found.append("A history does not keep the options of the scans from which it was made.")
    return found


def citation(dataset, publisher):
    """Returns a sentence that cites the dataset, to be followed by its address."""
    creators = "; ".join(publisher.creators)
    by = f"{creators} ({publisher.date.year}). " if creators else ""
    year = "" if creators else f" ({publisher.date.year})"
    return f"{by}{publisher.name}{year}, version {publisher.version}. Dataset of robots.txt files, made with robots-scan {dataset.program}."


def common_crawl(dataset):
    """Returns the number of crawls that are named as those of Common Crawl."""
    return sum(crawl.name.startswith(("CC-MAIN-", "CC-NEWS")) for crawl in dataset.crawls)


COMMON_CRAWL_TERMS = "https://commoncrawl.org/terms-of-use"
