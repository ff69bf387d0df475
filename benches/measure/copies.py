"""Makes a large dataset of a small one, to measure `join` and queries.

Usage: copies.py DATASET COPIES OUT

Every capture of DATASET (a finished scan of one crawl) is copied COPIES times. Hosts, URLs and redirects of a copy get a prefix of
its own after `www.`, so that copies are other hosts of the same shape; registered domains without a subdomain differ, too. OUT is a
dataset as `scan` writes it, except that files are written by DuckDB and have no Bloom filters for long texts, and that its manifest
has no digests (`verify` would report them).
"""

import json
import shutil
import sys
from pathlib import Path

import duckdb

COPIES_PER_PART = 20
URL = "regexp_replace({0}, '^(https?://)(www[.])?', '\\1\\2k' || copy || '-')"
HOST = "regexp_replace({0}, '^(www[.])?', '\\1k' || copy || '-')"
SURT = "regexp_replace({0}, '([^,]+)$', 'k' || copy || '-\\1')"
# A registered domain that is the whole host, without www., is another one in a copy.
DOMAIN = (
    "CASE WHEN regexp_replace(url_host_name, '^www[.]', '') = url_host_registered_domain "
    "THEN 'k' || copy || '-' || url_host_registered_domain ELSE url_host_registered_domain END"
)
CHANGED = {
    "url": URL.format("url"),
    "fetch_redirect": URL.format("fetch_redirect"),
    "url_host_name": HOST.format("url_host_name"),
    "surt_host_name": SURT.format("surt_host_name"),
    "url_host_registered_domain": DOMAIN,
    # DuckDB would write microseconds.
    "fetch_time": "fetch_time::TIMESTAMP_MS",
    # One input for each copy, beside those of the dataset.
    "robots_id": "robots_id + (copy * 256)::BIGINT * 4294967296",
}


def main(source, copies, out):
    shutil.rmtree(out, ignore_errors=True)
    con = duckdb.connect()
    con.execute("SET threads = 2; SET preserve_insertion_order = true")
    manifest = [json.loads(line) for line in (source / "_manifest.jsonl").read_text().splitlines()]
    first, crawl = manifest[0], manifest[0]["options"]["crawls"][0]
    crawl, subset = crawl.split("/")
    inputs = [line for line in manifest if "input" in line]
    lines = [first]
    for copy in range(copies):
        lines += [{**line, "index": line["index"] + copy * 256, "input": f"{copy}/{line['input']}"} for line in inputs]
    tables = [path.name for path in sorted(source.iterdir()) if path.is_dir() and path.name not in ("agents", "hosts", "host_verdicts")]
    parts = [range(start, min(start + COPIES_PER_PART, copies)) for start in range(0, copies, COPIES_PER_PART)]
    entries = [[] for _ in parts]
    for table in tables:
        columns = con.execute(f"DESCRIBE FROM read_parquet('{source}/{table}/*/*/*.parquet', hive_partitioning = false)").fetchall()
        select = ", ".join(f"{CHANGED[name]} AS {name}" if name in CHANGED else name for name, *_ in columns)
        folder = out / table / f"crawl={crawl}" / f"subset={subset}"
        folder.mkdir(parents=True)
        for number, part in enumerate(parts):
            path = folder / f"part-{number:05}.parquet"
            order = ", robots_id" if "robots_id" in [name for name, *_ in columns] else ""
            rows = con.execute(
                f"COPY (SELECT {select} FROM range({part.start}, {part.stop}) c(copy), "
                f"(SELECT *, row_number() OVER () AS nth FROM read_parquet('{source}/{table}/*/*/*.parquet', hive_partitioning = false)) "
                f"ORDER BY copy, nth) TO '{path}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)").fetchone()[0]
            entries[number].append({"bytes": path.stat().st_size, "path": str(path.relative_to(out)), "rows": rows, "table": table,
                                    "xxh3": "0" * 16})
            print(f"{path.relative_to(out)}: {rows} rows", flush=True)
    for number, part in enumerate(parts):
        captures = next(entry["rows"] for entry in entries[number] if entry["table"] == "robots_files")
        lines.append({"captures": captures, "crawl": crawl, "faults": 0, "files": entries[number],
                      "inputs": [part.start * len(inputs), part.stop * len(inputs)], "part": number, "records": captures, "subset": subset})
    tables_of_scan = [name for name in first["options"]["tables"] if name not in ("hosts", "host_verdicts")]
    first["options"]["tables"] = tables_of_scan
    if (source / "agents").exists():
        shutil.copytree(source / "agents", out / "agents")
    (out / "_manifest.jsonl").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    (out / "_SUCCESS").touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
