"""The command `robots-scan site DATASET|HISTORY -o FOLDER`."""

import shlex
import signal
import sys
import tempfile
from pathlib import Path

from .. import __version__
from .._terminal import CommandError, Parser, Progress, Stopped, run, today
from .exclusions import read_exclusions
from .folder import copy_pages, new_folder, write_json
from .partitions import AGENTS, FILES, HOSTS_MIN, first_values, write_parts
from .source import Source
from .tables import AGENTS_MAX, DOMAINS_MAX, LINES_MAX, make_tables

CAPTURES = """t.host, t.number, t.crawl, epoch_ms(t.time) AS time, t.url, t.domain, t.status, t.content_class, t.is_revisit, t.redirects, t.redirect_end, t.refusal, t.verdict, t.google,
    t.rfc9309, t.koster1996, t.basis, t.line, t.has_named_rows, t.archive, t.record_offset, t.record_length, t.in_member, t.rules_archive, t.rules_offset,
    t.rules_in_member"""
VERDICTS = "t.host, t.agent, t.number, t.captures, t.verdict, t.google, t.rfc9309, t.koster1996, t.basis, t.line"


def main(arguments: list[str]) -> int:
    """Runs the command with the arguments after its name. Returns the exit code."""
    former = signal.signal(signal.SIGTERM, interrupt)
    try:
        return run(lambda: write(parse(arguments)))
    finally:
        signal.signal(signal.SIGTERM, former)


def interrupt(*_):
    raise KeyboardInterrupt


def new_parser():
    command = Parser(
        "site [OPTIONS] --output <FOLDER> DATASET|HISTORY", "source", "the folder that a scan, `robots-scan join` or `robots-scan history` has written",
        description="Writes static pages to look up hosts and crawlers, for any web server that answers range requests.",
        epilog="By default, pages have verdicts, dates and line numbers, and search engines are asked to leave them out. docs/site.md has how to publish them, and what "
               "the files hold. Exit codes: 0 done, 2 not started, 3 stopped; then no site was written.")
    add = command.options.add_argument
    add("-o", "--output", metavar="FOLDER", help="the folder of the site")
    add("--exclude", metavar="LIST", help="leaves out the hosts in this file, one per line; a registered domain leaves out all its hosts")
    add("--with-rules", action="store_true", help="also shows rules and the names of their crawlers as they are written, without comments")
    add("--indexable", action="store_true", help="lets search engines list the site")
    add("--overwrite", action="store_true", help="replaces an existing site")
    add("-q", "--quiet", action="store_true", help="prints no progress and no summary")
    return command


def parse(arguments):
    """Returns the options. An error is a CommandError; `--help` prints the help and exits."""
    options = new_parser().parse(arguments)
    if options.source is None:
        raise CommandError("no dataset or history is given", "robots-scan site history -o site")
    if not options.output:
        raise CommandError("no folder for the site is given", f"robots-scan site {shlex.quote(options.source)} -o site")
    return options


def write(options):
    """Writes the site, and returns what was written."""
    made = today().isoformat()
    excluded = read_exclusions(options.exclude) if options.exclude is not None else []
    progress = Progress(quiet=options.quiet)
    with new_folder(options.output, options.overwrite) as folder, tempfile.TemporaryDirectory(dir=folder, prefix="scratch-") as scratch:
        source = Source(options.source, scratch, folder)
        try:
            copy_pages(folder, options.indexable)
            (folder / "data").mkdir()
            progress.step("tables")
            hosts, left_out = make_tables(source, excluded, options.with_rules)
            write_files(source, folder, hosts, options.with_rules, made, progress)
        except OSError as error:
            raise Stopped(f"cannot write '{options.output}': {(error.strerror or str(error)).lower()}") from error
        except CommandError as error:
            # DuckDB reports a full disk as it reports a file that cannot be read.
            if "no space left" in str(error).lower():
                raise Stopped(f"cannot write '{options.output}': no space left on device") from error
            raise
        finally:
            source.close()
    size = sum(file.stat().st_size for file in Path(options.output).rglob("*") if file.is_file())
    lines = [f"{options.output}: {hosts:,} host{'' if hosts == 1 else 's'}, {size / 2**20:,.1f} MiB, {progress.end():.1f} s"]
    if options.exclude is not None:
        lines.append(f"left out by {options.exclude}: {left_out:,} host{'' if left_out == 1 else 's'}")
    return "" if options.quiet else "\n".join(lines)


def write_files(source, folder, hosts, with_rules, made, progress):
    """Writes the files in `data/`."""
    data = folder / "data"
    agents = first_values(source, "members", "agent", AGENTS)
    ranges = first_values(source, "captures", "host", max(HOSTS_MIN, -(-hosts // FILES)))
    tables = [("captures", "host", CAPTURES, ranges), ("verdicts", "host", VERDICTS, ranges)]
    if with_rules:
        tables.append(("rules", "host", "t.host, t.number, t.captures, t.line, t.text", ranges))
    tables += [("trends", "agent", "t.*", agents), ("blockers", "agent", "t.*", agents)]
    files = {"host": ranges, "agent": agents, "tables": {}}
    for name, key, columns, firsts in tables:
        progress.step(name)
        files["tables"][name] = {"key": key, "sizes": write_parts(
            source, name, key, columns, firsts, lambda number, total=len(firsts), name=name: progress.say(f"{name}: {number:,} of {total:,} files"))}
    write_json(data / "files.json", files)
    crawls = source.rows("""SELECT k.crawl, epoch_ms(k.first_fetch) AS first, epoch_ms(k.median_fetch) AS median, epoch_ms(k.last_fetch) AS last, k.hosts, k.domains, k.is_sample,
        k.position IN (SELECT c.crawl FROM site.connections c) AS is_connected FROM site.crawls k ORDER BY k.position""")
    write_json(data / "agents.json", [list(row.values()) for row in source.rows("""
        SELECT m.agent, m.token, m.operator, m.category, m.fallbacks, m.ignores_wildcard FROM site.members m ORDER BY m.agent""")])
    write_json(data / "site.json", {
        "version": __version__, "made": made, "name": source.folder.resolve().name, "is_history": source.is_history, "hosts": hosts, "with_rules": with_rules,
        "agents_max": AGENTS_MAX, "domains_max": DOMAINS_MAX, "lines_max": LINES_MAX, "crawls": crawls})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
