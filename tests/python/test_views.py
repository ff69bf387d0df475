"""Compares the columns that views.sql computes with values computed here, row by row.

Usage: test_views.py DATASET...

The stored columns are read from the Parquet files, without the views. What the views add is computed again in Python,
from the descriptions in docs/tables.md and not from the SQL expressions. Every row of every dataset is compared. So is
rules.is_repeated, which is stored and depends on several rows.
"""

import re
import sys
from pathlib import Path

import duckdb

from independent.questions import KNOWN_DIRECTIVES

# The severities that schemas/anomalies.md lists.
SEVERITIES = Path(__file__).resolve().parents[2] / "schemas" / "anomalies.md"
LETTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")


def split_url(url):
    """Returns scheme, host, port, path and query of a URL in normal form."""
    scheme, _, rest = url.partition(":")
    authority = None
    if rest.startswith("//"):
        ends = [i for i in (rest.find("/", 2), rest.find("?", 2)) if i >= 0]
        end = min(ends, default=len(rest))
        authority, rest = rest[2:end], rest[end:]
    path, mark, query = rest.partition("?")
    if path.startswith("/.//"):
        path = path[2:]
    host = port = None
    if authority is not None:
        host = authority.rpartition("@")[2]
        if ":" in host and not host.endswith("]"):
            host, _, port = host.rpartition(":")
    return scheme, host, int(port) if port else None, path, query if mark else None


def status_columns(row):
    """The consequences of the HTTP status: RFC 9309 section 2.3.1, Google's page, Koster's draft section 3.1."""
    status = row["fetch_status"]
    if status is None and row["content_class"] is not None:
        status = 200  # A resource record, which has no HTTP response.
    hundreds = status // 100 if status is not None and status < 600 else None
    redirect = "follow" if row["fetch_redirect"] is not None and status != 304 else "defer"
    is_cut = status is None and row.get("content_truncated") is not None
    # The table of hosts does not have the reason of a cut, but the verdict that follows from it.
    is_failed = is_cut or status is None and row.get("wildcard_verdict") == "unknown" and not row["is_revisit"]
    rfc = {2: "parse", 3: redirect, 4: "allow_all"}.get(hundreds, "defer" if is_cut else "disallow_all")
    koster = {401: "disallow_all", 403: "disallow_all", 404: "allow_all"}.get(status, "defer")
    classes = {200: "success", 400: "notfound", 404: "notfound", 410: "notfound", 401: "unauthorized", 403: "forbidden",
               429: "defer_visits"}
    return {
        "outcome": {2: "successful", 3: "redirect", 4: "unavailable"}.get(hundreds, "failed" if is_failed else "unreachable"),
        "fetch_class": classes.get(status) or {3: "redirect", 5: "defer_visits"}.get(hundreds, "other"),
        "effect_google": "disallow_all" if status == 429 else rfc,
        "effect_rfc9309": rfc,
        "effect_koster1996": {2: "parse", 3: redirect}.get(hundreds, koster),
    }


def domain_below(name, suffix):
    """Returns the suffix and one more label; None for the suffix itself."""
    if not suffix or not name.endswith("." + suffix):
        return None
    label = name[: -len(suffix) - 1].rpartition(".")[2]
    return f"{label}.{suffix}" if label else None


def surt_key(row, port):
    """Returns the key of Common Crawl's index, from the host, the port and the stored path."""
    if row["url_surt_path"] is None:
        return None
    host = row["url_host_name"] or ""
    if re.fullmatch(r"[0-9.]+", host) and row["url_host_tld"] is None:
        labels = host.split(".")
    elif host.startswith("["):
        labels = [host[1:-1]]
    else:
        labels = host.strip(".").split(".")
        labels = labels[1:] if len(labels) > 1 and re.fullmatch("www[0-9]*", labels[0]) else labels
    return ",".join(reversed(labels)) + (f":{port}" if port is not None else "") + ")" + row["url_surt_path"]


def robots_files(row):
    is_parsed_url = row["url_surt_path"] is not None
    scheme, _, port, path, query = split_url(row["url"]) if is_parsed_url else (None,) * 5
    name = row["url_host_name"]
    has_lines = row["n_lines"] is not None
    return {
        "url_surtkey": surt_key(row, port),
        "url_host_private_domain": domain_below(name, row["url_host_private_suffix"]),
        "url_host_name_reversed": None if row["url_host_tld"] is None else ".".join(reversed(name.split("."))),
        "url_protocol": scheme, "url_port": port, "url_path": path, "url_query": query,
        "n_rules": row["n_allow"] + row["n_disallow"] if has_lines else None,
        "over_500kib": row["body_bytes"] > 512_000 if has_lines else None,
        **status_columns(row),
    }


def first(value, other):
    return other if value is None else value


def groups(row):
    name = row["agent"]
    raw = first(row["agent_raw"], name)
    token = name
    while token != "*" and token and token[-1] not in LETTERS or token != "*" and not set(token) <= LETTERS:
        token = token[:-1]
    return {
        "key_raw": first(row["key_raw"], "User-agent"),
        "agent_raw": raw,
        "agent_token": token,
        "n_rules": row["n_allow"] + row["n_disallow"],
    }


def rules(row):
    path = row["path"]
    return {
        "key_raw": first(row["key_raw"], "Allow" if row["allow"] else "Disallow"),
        "path_raw": first(row["path_raw"], path),
        "path_bytes": len(path.encode("ascii")),
        "is_empty": not path, "has_wildcard": "*" in path, "has_end_anchor": path[-1:] == "$", "has_query": "?" in path,
    }


def sitemaps(row):
    url = row["sitemap_url"]
    host = split_url(url)[1] if url is not None else None
    if host is not None:
        host = host[:-1] if host.endswith(".") else host
    return {
        "sitemap_raw": first(row["sitemap_raw"], url),
        "sitemap_host_name": host or None,
        "sitemap_registered_domain": domain_below(host, row["sitemap_registry_suffix"]),
        "is_valid_url": url is not None,
    }


def hosts(row):
    port = "" if row["url_port"] is None else f":{row['url_port']}"
    return {
        "url": f"{row['url_protocol']}://{row['url_host_name']}{port}/robots.txt",
        "domain": first(row["url_host_registered_domain"], row["surt_host_name"]),
        "archive_no": row["authoritative_robots_id"] // 2**32,
        **{name: value for name, value in status_columns({**row, "fetch_redirect": None}).items() if not name.startswith("effect_")},
    }


def directives(row):
    return {"directive_raw": first(row["directive_raw"], row["directive"]), "known": row["directive"] in KNOWN_DIRECTIVES}


def severities():
    lines = SEVERITIES.read_text(encoding="utf-8").splitlines()[4:]
    cells = [[cell.strip() for cell in line.split("|")] for line in lines if line.startswith("|")]
    return {cell[1]: cell[2] for cell in cells}


def test_repeated_rules(con, dataset):
    """Compares rules.is_repeated, which is stored, with a count of the earlier rows of the same file, direction and path."""
    others, repeated = con.execute(
        "SELECT count(*) FILTER (is_repeated <> (earlier > 0)), count(*) FILTER (is_repeated) FROM (SELECT is_repeated, count(*) OVER "
        "(PARTITION BY crawl, robots_id, allow, path ORDER BY line_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier "
        "FROM rules)").fetchone()
    if others or not repeated:
        print(f"FAILED {dataset} rules.is_repeated: {others} rows differ, {repeated} are repeated")
    return others + (not repeated)


def main(datasets):
    of_code = severities()
    oracles = {
        "robots_files": robots_files, "groups": groups, "rules": rules, "sitemaps": sitemaps, "directives": directives,
        "hosts": hosts,
        "anomalies": lambda row: {"severity": of_code[row["code"]]},
    }
    compared = failed = 0
    for dataset in datasets:
        con = duckdb.connect()
        con.execute((Path(dataset) / "views.sql").read_text(encoding="utf-8"))
        for table, oracle in oracles.items():
            files = con.execute(
                f"SELECT * FROM read_parquet('{dataset}/{table}/{'*' if table == 'hosts' else '*/*'}/*.parquet', "
                "file_row_number = true, filename = true, "
                "hive_partitioning = false) ORDER BY filename, file_row_number")
            names = [column[0] for column in files.description]
            stored = [dict(zip(names, row)) for row in files.fetchall()]
            # The rows of views have the order of the files: robots_id grows, and the rows of a capture are in order.
            seen = con.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in seen.description]
            view = [dict(zip(names, row)) for row in seen.fetchall()]
            key = [name for name in ("crawl", "subset", "robots_id", "line_no", "code", "detail", "host_id") if name in names]
            order = [name for name in key if name in (stored[0] if stored else {})]
            sort = lambda row: [(row[name] is not None, row[name] if row[name] is not None else 0) for name in order]
            stored.sort(key=sort)
            view.sort(key=lambda row: sort(row))
            if len(stored) != len(view):
                print(f"FAILED {dataset} {table}: {len(stored)} rows in files, {len(view)} in the view")
                failed += 1
                continue
            for raw, row in zip(stored, view):
                expected = oracle(raw)
                unchanged = {name: value for name, value in raw.items() if name not in expected and name in row}
                for name, value in {**unchanged, **expected}.items():
                    compared += 1
                    if row[name] != value:
                        failed += 1
                        if failed < 20:
                            print(f"FAILED {dataset} {table}.{name}: view {row[name]!r}, expected {value!r} for {raw}")
        failed += test_repeated_rules(con, dataset)
    if not compared:
        print("FAILED: there was nothing to compare")
        failed += 1
    print(f"{compared:,} values of views compared, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
