"""Decides for the URLs of cc-index whether crawlers may fetch them, as a Spark job.

Usage: spark-submit [OPTIONS OF SPARK] match.py DATASET URLS... --agent NAME --output OUT --binary robots-scan --partitions N
           [--columns url=NAME,time=NAME] [-- OPTIONS OF robots-scan match]

URLS are Parquet files, folders or globs that Spark reads, with a column `url` and optionally `fetch_time`. Spark partitions them by
origin, so that a task needs few captures of the dataset, and writes the partitions to OUT/_urls. Each task runs `robots-scan match` on
one partition, and renames the result to OUT/part-00017.parquet; `robots-scan schema matches` describes its columns. The rows are those
of one run over all URLs, whatever the partitions; only their order and their distribution over files differ.

DATASET may be a history. The columns are then those of `robots-scan schema history_matches`, and `--any-origin` is one of the options
after `--`. As in `robots-scan match`, times are read from the column `fetch_time`, if there is one, or from that of --columns.

DATASET and OUT must be on a file system that all machines share. OUT must be empty or missing. The program is shipped as by scan.py,
and each task uses as many threads as spark.task.cpus.

Exit codes: 0 done, 2 not started, 3 failed.
"""

import argparse
import functools
import glob
import json
import os
import sys

import shipped_program
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from shipped_program import absolute, execute, is_url

# The scheme and the authority of a URL. It only decides which task gets the URL, so rare forms need no exact treatment.
ORIGIN = r"^\s*([A-Za-z][A-Za-z0-9+.-]*:)//(?:[^/?#\\]*@)?([^/?#\\]*)"
DEFAULT_PORT = r"^(http://[^:]*):80$|^(https://[^:]*):443$"


def partition_urls(job, sc):
    """Writes the URLs to one Parquet file per partition, sorted by origin, and returns the files."""
    spark = SparkSession(sc)
    # Not INT96, which is deprecated and a default of Spark.
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    table = spark.read.parquet(*[url if is_url(url) else f"file://{url}" for url in job.urls])
    for column in [job.columns["url"], *([job.columns["time"]] if "time" in job.columns else [])]:
        if column.lower() not in map(str.lower, table.columns):
            raise RuntimeError(f"the URLs have no column '{column}'")
    kept = {job.columns["url"].lower(), job.columns.get("time", "fetch_time").lower()}
    columns = [name for name in table.columns if name.lower() in kept]
    url = F.col(job.columns["url"]).cast("string")
    origin = F.lower(F.concat(F.regexp_extract(url, ORIGIN, 1), F.lit("//"), F.regexp_extract(url, ORIGIN, 2)))
    table = table.select(*columns, F.regexp_replace(origin, DEFAULT_PORT, "$1$2").alias("_origin"))
    table = table.repartition(job.partitions, "_origin").sortWithinPartitions("_origin").drop("_origin")
    table.write.option("maxRecordsPerFile", 0).parquet(f"file://{job.output}/_urls")
    return sorted(glob.glob(f"{glob.escape(job.output)}/_urls/part-*.parquet"))


def match_partition(job, numbered_file):
    """Runs one attempt of a partition, and returns the counts of the program."""
    number, urls = numbered_file
    program, name = shipped_program.path_on_worker(job), f"part-{number:05}"
    attempt = f"{job.output}/_attempts/{name}-{job.application}-{TaskContext.get().taskAttemptId()}.parquet"
    agents = [word for agent in job.agent for word in ["--agent", agent]]
    columns = ["--columns", ",".join(f"{key}={name}" for key, name in job.columns.items())]
    options = [*agents, *columns, "--urls", urls, "--threads", job.threads, *job.match_options]
    counts = json.loads(execute(program, "match", job.dataset, *options, "-o", attempt, "-q", "--json"))
    # Every attempt writes the same bytes, so the last one may replace the others.
    os.rename(attempt, f"{job.output}/{name}.parquet")
    return counts


def named_columns(text):
    columns = dict(word.partition("=")[::2] for word in text.split(","))
    if not columns.keys() <= {"url", "time"} or not all(columns.values()):
        raise argparse.ArgumentTypeError("give url=NAME, time=NAME, or both with a comma")
    return columns


def parse_arguments(words):
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description="Decides for the URLs of cc-index whether crawlers may fetch them, as a Spark job.")
    parser.add_argument("dataset", type=absolute, help="a dataset or a history that all machines share")
    parser.add_argument("urls", nargs="+", type=absolute, help="Parquet files, folders or globs")
    parser.add_argument("--agent", required=True, action="append", help="the name of a crawler; may be repeated")
    parser.add_argument("--output", required=True, type=absolute, help="a folder that all machines share")
    parser.add_argument("--binary", required=True, type=absolute, help="the program robots-scan on this machine")
    parser.add_argument("--partitions", required=True, type=int)
    parser.add_argument("--columns", default={}, type=named_columns, help="url=NAME,time=NAME; by default url, and fetch_time if there is one")
    job = parser.parse_intermixed_args(words[:end])
    job.match_options = words[end + 1:]
    # The partitions have only the columns that this job knows.
    if any(word.partition("=")[0] == "--columns" for word in job.match_options):
        parser.error("'--columns' must be given before '--'")
    job.columns = {"url": "url", **job.columns}
    if is_url(job.dataset) or is_url(job.output):
        parser.error("the dataset and the output must be folders that all machines share, not URLs")
    if os.path.exists(job.output) and os.listdir(job.output):
        parser.error(f"'{job.output}' is not empty")
    return job


def main():
    job = parse_arguments(sys.argv[1:])
    sc = shipped_program.start(job, "robots-scan match")
    try:
        job.threads = sc.getConf().get("spark.task.cpus", "1")
        files = partition_urls(job, sc)
        os.makedirs(f"{job.output}/_attempts")
        parts = sc.parallelize(list(enumerate(files)), len(files)).map(functools.partial(match_partition, job)).collect()
    finally:
        shipped_program.stop(sc, f"{job.output}/_attempts", f"{job.output}/_urls")
    rows, urls = (sum(part[name] for part in parts) for name in ["rows", "urls"])
    print(f"{urls} URLs in {len(parts)} partitions; {job.output}: {rows} rows")
    return 0


if __name__ == "__main__":
    shipped_program.run(main)
