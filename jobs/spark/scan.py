"""Scans archives as a Spark job, one task per shard, and joins the shards.

Usage: spark-submit [OPTIONS OF SPARK] scan.py INPUT... --output OUT --binary robots-scan --shards N [-- OPTIONS OF robots-scan scan]

Each task runs the program on one shard below OUT/_attempts, and renames the result to OUT/shard-00017. Attempts may fail, be killed
or run twice: the first complete one becomes the shard. If the job is run again, it keeps finished shards. At the end, `robots-scan
join` makes OUT one dataset. Inputs and OUT must be on a file system that all machines share, or URLs.

With --output s3://BUCKET/PREFIX, tasks write to local disks and upload with pyarrow, which the executors need. _SUCCESS comes last,
so a shard without it is not finished. The shards are not joined, and a second run scans all of them again: give it the same options or
another prefix. Credentials are those in the environment of the executors (spark.executorEnv.*).

Spark ships the program to the executors. With --deploy-mode cluster, also pass spark-submit `--files robots-scan` and
`--py-files shipped_program.py`. Each task uses as many threads as spark.task.cpus.

Exit codes: 0 done, 1 done, but parts of archives could not be read, 2 not started, 3 failed; running the job again continues.
"""

import argparse
import functools
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

import shipped_program
from pyspark import SparkFiles, TaskContext
from shipped_program import absolute, execute, is_url

# Requests a second to one server.
RATE_OF_HTTPS, RATE_OF_S3 = 10, 500


def is_complete(shard):
    return os.path.isfile(f"{shard}/_SUCCESS")


def run_shard(job, number):
    """Runs one attempt of a shard, from 1. Returns its counts with the exit code and the version of the program."""
    program, name = shipped_program.path_on_worker(job), f"shard-{number:05}"
    shard, is_remote = f"{job.output}/{name}", is_url(job.output)
    if not is_remote and is_complete(shard):
        return {**counts_of(shard), "shard": name, "version": job.version, "was_found": True}
    # Spark sets the first variable, or the second one on YARN, and removes these folders at the end of the application.
    local = os.environ.get("SPARK_LOCAL_DIRS") or os.environ.get("LOCAL_DIRS") or tempfile.gettempdir()
    parent = local.split(",")[0] if is_remote else f"{job.output}/_attempts"
    attempt = f"{parent}/{name}-{job.application}-{TaskContext.get().taskAttemptId()}"
    options = [*job.scan_options, "--shard", f"{number}/{job.shards}", "--threads", job.threads]
    if job.paths:
        options += ["--paths", job.paths if is_url(job.paths) else SparkFiles.get(os.path.basename(job.paths))]
    try:
        counts = json.loads(execute(program, "scan", *options, "-o", attempt, "-q", "--json", accepted=(0, 1)))
        if is_remote:
            upload(attempt, shard)
        else:
            commit(attempt, shard)
    finally:
        shutil.rmtree(attempt, ignore_errors=True)
    return {**counts, "shard": name, "version": job.version, "was_found": False}


def commit(attempt, shard):
    """Renames an attempt to its shard, unless another attempt was first. A folder that is not empty is never replaced."""
    try:
        os.rename(attempt, shard)
    except OSError:
        if not is_complete(shard):
            raise


def upload(attempt, url):
    """Writes the files of an attempt below a URL: the manifest after the tables, and _SUCCESS last. All attempts of a shard write the
    same objects. `_log.jsonl` and `views.sql` are left out: they are those of the local folder."""
    from pyarrow import fs

    store, prefix = fs.FileSystem.from_uri(url)
    paths = [os.path.relpath(os.path.join(folder, name), attempt) for folder, _, names in os.walk(attempt) for name in names]
    last = ["_manifest.jsonl", "_SUCCESS"]
    for path in sorted({*paths} - {*last, "_log.jsonl", "views.sql"}) + last:
        # A folder as a whole would also become objects of no bytes, one per subfolder.
        fs.copy_files(f"{attempt}/{path}", f"{prefix}/{path}", source_filesystem=fs.LocalFileSystem(), destination_filesystem=store)


def counts_of(shard):
    """Returns counts of a shard that was finished before."""
    with open(f"{shard}/_manifest.jsonl", encoding="utf-8") as manifest:
        lines = [json.loads(line) for line in manifest]
    counts = {name: sum(line.get(name, 0) for line in lines) for name in ["captures", "faults"]}
    return {**counts, "exit_code": int(counts["faults"] > 0)}


def urls(job):
    """Returns the URLs that name the archives, which may be long beginnings of them."""
    texts = [*job.input, job.base or "", job.paths or ""]
    if job.paths and not is_url(job.paths):
        with (gzip.open if job.paths.endswith(".gz") else open)(job.paths, "rt", encoding="utf-8", errors="replace") as lines:
            texts += lines
    return [text for text in texts if is_url(text)]


def concurrent_tasks(sc):
    """Returns how many tasks can run at once, at most: the rate of requests is divided by this number.

    Elsewhere than in local mode, `defaultParallelism` would be too low: it counts the executors that have registered so far.
    """
    if sc.master.startswith("local"):
        cores = sc.defaultParallelism
    elif sc.master.startswith("spark:") and sc.getConf().contains("spark.cores.max"):
        cores = int(sc.getConf().get("spark.cores.max"))
    else:
        raise RuntimeError("set spark.cores.max (on a standalone cluster) or give each task its share: '-- --rate N'")
    return max(cores // int(sc.getConf().get("spark.task.cpus", "1")), 1)


def parse_arguments(words):
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description="Scans archives as a Spark job, one task per shard, and joins the shards.")
    parser.add_argument("input", nargs="*", type=absolute)
    parser.add_argument("--output", required=True, type=absolute, help="a folder that all machines share, or s3://BUCKET/PREFIX")
    parser.add_argument("--binary", required=True, type=absolute, help="the program robots-scan on this machine")
    parser.add_argument("--shards", required=True, type=int)
    parser.add_argument("--paths", type=absolute, help="a list of archives, on this machine or at a URL")
    parser.add_argument("--base", type=absolute, help="a folder or URL that is put before each line of --paths")
    job = parser.parse_intermixed_args(words[:end])
    if job.shards < 1:
        parser.error("--shards must be at least 1")
    job.scan_options = [*job.input, *(["--base", job.base] if job.base else []), *words[end + 1:]]
    return job


def main():
    job = parse_arguments(sys.argv[1:])
    sc = shipped_program.start(job, "robots-scan scan")
    is_remote, attempts = is_url(job.output), f"{job.output}/_attempts"
    try:
        job.threads = sc.getConf().get("spark.task.cpus", "1")
        found = urls(job)
        if found and not any(option.startswith("--rate") for option in job.scan_options):
            # Those of `robots-scan scan`, for all tasks together.
            rate = RATE_OF_S3 if all(url.startswith("s3://") for url in found) else RATE_OF_HTTPS
            job.scan_options += ["--rate", f"{rate / min(concurrent_tasks(sc), job.shards):.3f}"]
        if job.paths and not is_url(job.paths):
            sc.addFile(job.paths)
        shards = sc.parallelize(range(1, job.shards + 1), job.shards).map(functools.partial(run_shard, job)).collect()
    finally:
        shipped_program.stop(sc, *([] if is_remote else [attempts]))

    captures, faults = (sum(shard[name] for shard in shards) for name in ["captures", "faults"])
    found = sum(shard["was_found"] for shard in shards)
    print(f"{len(shards)} shards ({found} of an earlier job): {captures} captures, {faults} faults", flush=True)
    if is_remote:
        print(f"fetch and join them: aws s3 sync {job.output} FOLDER && robots-scan join FOLDER && robots-scan views FOLDER")
    else:
        for shard in shards:
            if not is_complete(f"{job.output}/{shard['shard']}"):
                raise RuntimeError(f"'{job.output}/{shard['shard']}' is not complete: do all machines share this folder?")
        # Shards were renamed after their views were written: `views` writes those of all shards again.
        for command in [["join", job.output], ["views", job.output, "-q"]]:
            if subprocess.run([job.binary, *command]).returncode:
                raise RuntimeError(f"robots-scan {command[0]} failed")
    return max(shard["exit_code"] for shard in shards)


if __name__ == "__main__":
    shipped_program.run(main)
