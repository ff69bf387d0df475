"""Compares the Spark jobs scan.py and match.py with one local run, row for row.

Usage: test_spark.py PROGRAM [--s3 ENDPOINT]

Starts a Spark master and two workers on the loopback interface, and submits the jobs to them: with speculation, with tasks that fail
after their work, and with a worker that is killed in the middle. Wrapper scripts around the program cause these failures. Needs Linux,
because it finds processes in /proc. With --s3, shards are also written to the S3 server at ENDPOINT, which must not check signatures.
"""

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unittest.mock
import urllib.parse
import urllib.request
import xml.etree.ElementTree
from pathlib import Path

import duckdb
import pyspark

ROOT = Path(__file__).resolve().parents[2]
JOBS = ROOT / "jobs" / "spark"
sys.path.insert(0, str(JOBS))

import match
import scan

SAMPLES = ROOT / "data-samples" / "warc"
SPARK = Path(pyspark.__file__).resolve().parent
SHARDS = 5
TIMEOUT = 400
# JVMs that live for seconds start faster without the optimizing compiler.
JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable -Xlog:all=error:stderr"
S3 = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}
SPECULATION = {
    "spark.speculation": "true", "spark.speculation.interval": "100ms", "spark.speculation.minTaskRuntime": "100ms",
    "spark.speculation.multiplier": "1.1", "spark.speculation.quantile": "0.2", "spark.speculation.efficiency.enabled": "false"}

# Runs the program, and appends `COMMAND SHARD` to the log. `is_first N` is true in the first attempt of shard N.
WRAPPER = """#!/bin/sh
shard=; output=; previous=
for word; do
  case $previous in --shard) shard=${{word%/*}};; -o) output=$word;; esac
  previous=$word
done
marks='{marks}'
is_first() {{ [ "$shard" = "$1" ] && mkdir "$marks/$shard" 2>/dev/null; }}
echo "$1 $shard $*" >> "$marks/log"
{before}
'{program}' "$@"
code=$?
{after}
exit $code
"""

# Runs jobs one after the other in one Python process, whose JVM then starts once, and writes the exit code and the output of each.
DRIVER = """
import contextlib, io, json, runpy, sys
jobs, results = sys.argv[1:]
sys.path.insert(0, {folder!r})
printed = []
for script, args in json.load(open(jobs)):
    sys.argv = [script, *args]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as stopped:
            code = stopped.code
    printed.append([code, out.getvalue(), err.getvalue()])
json.dump(printed, open(results, "w"))
"""


class Tests:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, test):
        """Runs a test and prints how long it took."""
        began = time.monotonic()
        try:
            test()
        except Exception as error:  # An error in a test must not hide the other tests.
            self.failed += 1
            print(f"FAILED {name}")
            text = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            print("    " + text.strip().replace("\n", "\n    "), flush=True)
        else:
            self.passed += 1
            print(f"{time.monotonic() - began:6.1f} s  {name}", flush=True)


def wait_until(what, predicate, seconds=30):
    """Waits until the predicate returns something true, and returns it."""
    end = time.monotonic() + seconds
    while not (found := predicate()):
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.05)
    return found


def parents():
    """The parents of all processes."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # It has ended.
            pass
    return found


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Cluster:
    """A standalone Spark cluster with workers of one core."""

    def __init__(self, folder):
        self.folder, self.processes, self.workers, self.classes = folder, [], {}, folder / "classes.jsa"
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "AWS_"))}
        # Only what this test sets decides where the processes listen.
        self.env |= {
            "SPARK_HOME": str(SPARK), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(folder / "local"),
            "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": f"{JVM} -Dspark.master.rest.enabled=false",
            "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}

    def start(self):
        (self.folder / "local").mkdir()
        self.launch("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0")
        self.master = wait_until("the master", lambda: self.logged("master", r"Starting Spark master at (spark://127\.0\.0\.1:\d+)\n"))[1]
        # Spark speculates only on another host than that of the first attempt, so the two workers have different names.
        for host in ["127.0.0.1", "localhost"]:
            self.add_worker(host)
        for host in self.workers:
            self.wait_for_worker(host)

    def launch(self, name, *command):
        """Starts a process of Spark in a session of its own, with a log file."""
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                [SPARK / "bin" / "spark-class", *command, "--webui-port", "0"], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def add_worker(self, host):
        options = ["--host", host, "--port", "0", "--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / "work")]
        self.workers[host] = self.launch(f"worker-{host}", "org.apache.spark.deploy.worker.Worker", *options, self.master)

    def wait_for_worker(self, host):
        wait_until("a worker", lambda: self.logged(f"worker-{host}", "Successfully registered with master"))

    def logged(self, name, pattern):
        return re.search(pattern, (self.folder / f"{name}.log").read_text(errors="replace"))

    def kill_worker_above(self, pid):
        """Kills the worker with this descendant, and its executors."""
        above = parents()
        while pid not in (workers := {process.pid: host for host, process in self.workers.items()}):
            pid = above[pid]
        killed = self.workers.pop(workers[pid])
        # The worker first: it would start another executor.
        for process in [pid, *(child for child, parent in above.items() if parent == pid)]:
            os.kill(process, signal.SIGKILL)
        killed.wait(10)
        os.rename(self.folder / f"worker-{workers[pid]}.log", self.folder / "killed.log")
        return workers[pid]

    def submit(self, script, *args, conf=(), master=None, env=(), meanwhile=lambda: None):
        """Submits a job, calls `meanwhile`, and returns the exit code, standard output and standard error of the job."""
        return self.submit_command(JOBS / script, *args, conf=conf, master=master, env=env, meanwhile=meanwhile)

    def run_jobs(self, jobs):
        """Runs jobs, each a script and its arguments, without the workers. Returns what `submit` would for each."""
        driver, listed, results = (self.folder / name for name in ["driver.py", "jobs.json", "results.json"])
        driver.write_text(DRIVER.format(folder=str(JOBS)))
        listed.write_text(json.dumps([[str(JOBS / script), [str(arg) for arg in args]] for script, *args in jobs]))
        code, text, error = self.submit_command(driver, listed, results, master="local[2]")
        assert code == 0, f"exit code {code}\n{text}\n{error[-6000:]}"
        return json.loads(results.read_text())

    def submit_command(self, *words, conf=(), master=None, env=(), meanwhile=lambda: None):
        # The first driver writes its classes, and the JVMs after it start in half the time.
        classes = "SharedArchiveFile" if self.classes.exists() else "ArchiveClassesAtExit"
        options = {
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
            "spark.log.level": "WARN", "spark.executor.memory": "512m",
            "spark.executor.extraJavaOptions": f"{JVM} -XX:SharedArchiveFile={self.classes}", **dict(conf)}
        command = [SPARK / "bin" / "spark-submit", "--master", master or self.master, "--driver-memory", "512m"]
        command += ["--driver-java-options", f"{JVM} -XX:{classes}={self.classes}", *(word for item in options.items() for word in ["--conf", "=".join(item)])]
        paths = [self.folder / "job.out", self.folder / "job.err"]
        with open(paths[0], "wb") as out, open(paths[1], "wb") as err:
            # In a folder that is not that of the workers.
            process = subprocess.Popen(
                [*command, *map(str, words)], cwd=SAMPLES.parent, env=self.env | dict(env), stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, start_new_session=True)
        self.processes.append(process)
        try:
            meanwhile()
            process.wait(TIMEOUT)
        except BaseException:
            kill_session(process)
            print(paths[1].read_text(errors="replace")[-6000:])
            raise
        return process.returncode, *(path.read_text(errors="replace") for path in paths)

    def stop(self):
        for process in reversed(self.processes):
            kill_session(process)


def kill_session(process):
    """Kills a process with its descendants: those of Python have process groups of their own."""
    above = parents()
    pids = [process.pid]
    for pid in pids:
        pids += [child for child, parent in above.items() if parent == pid]
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for pid in pids[1:]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait(10)


class Wrapper:
    """A script around the program, with a log of its calls."""

    def __init__(self, program, folder, before="", after=""):
        self.marks = folder / "marks"
        self.marks.mkdir(parents=True)
        self.path = folder / "robots-scan"
        fields = {"marks": self.marks, "program": program}
        before, after = before.format(**fields), after.format(**fields)
        self.path.write_text(WRAPPER.format(**fields, before=before, after=after))
        self.path.chmod(0o755)

    def calls(self, prefix):
        return [line for line in (self.marks / "log").read_text().splitlines() if line.startswith(prefix)]


def run(program, *args, code=0):
    ran = subprocess.run([program, *map(str, args)], capture_output=True, text=True, timeout=TIMEOUT)
    assert ran.returncode == code, f"{args[0]} ended with exit code {ran.returncode}:\n{ran.stderr}"


def request(url, method="GET"):
    """Sends a request to an S3 server on this machine, without a proxy and with a wrong signature."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    credential = "Credential=test/20260101/us-east-1/s3/aws4_request"
    headers = {"Authorization": f"AWS4-HMAC-SHA256 {credential}, SignedHeaders=host, Signature={'0' * 64}"}
    with opener.open(urllib.request.Request(url, method=method, headers=headers), timeout=30) as response:
        return response.read()


def keys_below(bucket, prefix):
    listing = request(f"{bucket}?list-type=2&prefix={prefix}")
    return [element.text for element in xml.etree.ElementTree.fromstring(listing).iter() if element.tag.endswith("}Key")]


def export(dataset, folder):
    """Writes the rows that the views of a dataset show to one file per view. Returns the names of the views."""
    folder.mkdir(parents=True)
    con = duckdb.connect()
    con.execute((dataset / "views.sql").read_text(encoding="utf-8"))
    views = [row[0] for row in con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()]
    for view in views:
        # Shards have parts of their own, so their rows of `runs` only have the same totals.
        counts = "inputs input_bytes records captures faults".split()
        totals = f"SELECT * EXCLUDE (part, {', '.join(counts)}), {', '.join(f'sum({count})' for count in counts)} FROM runs GROUP BY ALL"
        con.execute(f"COPY ({totals if view == 'runs' else f'FROM {view}'}) TO '{folder / view}.parquet'")
    return sorted(views)


def assert_same_rows(expected, found):
    """Compares two Parquet files, or globs of them, regardless of the order of rows."""
    con = duckdb.connect()
    describe = "SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(?))"
    columns = [con.execute(describe, [str(files)]).fetchall() for files in (expected, found)]
    assert columns[0] == columns[1], f"other columns: {columns}"
    for what, pair in [("missing", (expected, found)), ("new", (found, expected))]:
        rows = con.execute("FROM read_parquet(?) EXCEPT ALL FROM read_parquet(?)", [str(files) for files in pair]).fetchall()
        assert not rows, f"{found}: {len(rows)} {what} rows, such as {rows[0]}"
    return con.execute("SELECT count(*) FROM read_parquet(?)", [str(expected)]).fetchone()[0]


class ScanTests:
    def __init__(self, cluster, program, folder):
        self.cluster, self.program, self.folder = cluster, program, folder
        self.expected = folder / "expected"
        run(program, "scan", SAMPLES, "-q", "-o", folder / "one", "--verify-digests", code=1)
        self.views = export(folder / "one", self.expected)
        assert len(self.views) >= 13, self.views

    def submit(self, name, wrapper, *inputs, **options):
        """Submits a scan that must succeed, and compares its dataset with that of one run."""
        out = self.folder / name
        args = [*(inputs or ["warc"]), "--output", out, "--binary", wrapper.path, "--shards", SHARDS, "--", "--verify-digests"]
        code, text, error = self.cluster.submit("scan.py", *args, **options)
        assert code == 1, f"exit code {code}\n{text}\n{error[-6000:]}"
        self.compare(out)
        return text

    def compare(self, out):
        names = sorted(path.name for path in out.iterdir())
        assert names == ["_joined", *(f"shard-{n:05}" for n in range(1, SHARDS + 1)), "views.sql"], names
        run(self.program, "verify", out)
        exported = self.folder / f"{out.name}-rows"
        views = export(out, exported)
        assert views == self.views, views
        rows = {view: assert_same_rows(self.expected / f"{view}.parquet", exported / f"{view}.parquet") for view in views}
        assert rows["robots_files"] and rows["host_verdicts"] and rows["faults"], rows
        shutil.rmtree(exported)

    def speculation(self):
        """The first attempt of shard 3 ends after another one has become the shard."""
        wait = f"n=0; while [ ! -d '{self.folder}/speculation/shard-00003' ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done"
        wrapper = Wrapper(self.program, self.folder / "wrapper-speculation", after=f"if is_first 3; then {wait}; fi")
        self.submit("speculation", wrapper, conf=SPECULATION)
        assert len(wrapper.calls("scan 3 ")) > 1, "shard 3 was not speculated"

    def race(self):
        """Two attempts of a shard are complete: the first one stays. A folder that is not a complete shard is never replaced."""
        folder = self.folder / "race"
        for name in ["1", "2", "3", "incomplete"]:
            (folder / name).mkdir(parents=True)
            (folder / name / "_SUCCESS" if name != "incomplete" else folder / name / "other").write_text(name)
        scan.commit(str(folder / "1"), str(folder / "shard"))
        scan.commit(str(folder / "2"), str(folder / "shard"))
        assert (folder / "shard" / "_SUCCESS").read_text() == "1"
        try:
            scan.commit(str(folder / "3"), str(folder / "incomplete"))
        except OSError:
            assert (folder / "incomplete" / "other").read_text() == "incomplete"
        else:
            raise AssertionError("a folder was replaced")

    def failures(self):
        """The first attempt of shard 2 fails after its work, and a worker and its executor are killed before that of shard 4 is renamed.
        The inputs are a list."""
        # In a session of its own, it gets no signal of a terminal: only the end of its parent ends it.
        mark = "echo $$ > {marks}/pid.new; mv {marks}/pid.new {marks}/pid; exec setsid sleep 600"
        trouble = f"if is_first 2; then exit 3; fi; if is_first 4; then {mark}; fi"
        wrapper = Wrapper(self.program, self.folder / "wrapper-failures", after=trouble)

        def kill():
            wait_until("the first attempt of shard 4", (wrapper.marks / "pid").exists, 60)
            pid = int((wrapper.marks / "pid").read_text())
            attempts = list((self.folder / "failures" / "_attempts").glob("shard-00004-*/_SUCCESS"))
            assert len(attempts) == 1, attempts
            host = self.cluster.kill_worker_above(pid)
            try:
                wait_until("the end of the program of the killed attempt", lambda: not is_running(pid), 15)
            finally:
                if is_running(pid):
                    os.kill(pid, signal.SIGKILL)
            self.cluster.add_worker(host)

        archives = sorted(path.name for path in SAMPLES.iterdir() if re.search(r"\.warc(\.gz|\.zst)?$", path.name))
        (self.folder / "list.paths").write_text("".join(f"{name}\n" for name in archives))
        self.submit("failures", wrapper, "--paths", self.folder / "list.paths", "--base", "warc", meanwhile=kill)
        assert [len(wrapper.calls(f"scan {n} ")) for n in range(1, SHARDS + 1)] == [1, 2, 1, 2, 1]

    def again(self):
        """Returns a job that is submitted again, and its check: it makes the shards that are missing."""
        out = self.folder / "failures"
        shutil.rmtree(out / "shard-00002")
        wrapper = Wrapper(self.program, self.folder / "wrapper-again")

        def check(code, text, error):
            assert code == 1, f"exit code {code}\n{text}\n{error}"
            assert "5 shards (4 of an earlier job)" in text, text
            assert len(wrapper.calls("scan")) == 1
            self.compare(out)

        inputs = ["--paths", self.folder / "list.paths", "--base", "warc"]
        return ["scan.py", *inputs, "--output", out, "--binary", wrapper.path, "--shards", SHARDS, "--", "--verify-digests"], check

    def refusals(self):
        """Exit code 2 of the program fails the job. Archives at URLs are read at a divided rate."""
        refuse = 'if [ "$1" = scan ]; then echo "error: refused by the test" >&2; exit 2; fi'
        wrapper = Wrapper(self.program, self.folder / "wrapper-refusals", before=refuse)

        def check(code, _, error):
            assert code == 3 and "ended with exit code 2:\nerror: refused by the test\n" in error, (code, error)
            calls = wrapper.calls("scan")
            assert calls and all("--rate 5.000 " in call and "--threads 1 " in call for call in calls), calls
            assert not (self.folder / "refusals" / "_attempts").exists()

        inputs = ["https://127.0.0.1:9/x.warc.gz"]
        return ["scan.py", *inputs, "--output", self.folder / "refusals", "--binary", wrapper.path, "--shards", SHARDS], check

    def versions(self):
        """The program of the workers has another version than that of the driver."""
        other = 'if [ "$1" = --version ] && ! mkdir {marks}/driver 2>/dev/null; then echo "robots-scan 0.0.0"; exit 0; fi'
        wrapper = Wrapper(self.program, self.folder / "wrapper-versions", before=other)

        def check(code, _, error):
            version = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
            message = f"the program on the worker is 'robots-scan 0.0.0', and that on the driver '{version}'"
            assert code == 3 and message in error and not wrapper.calls("scan"), (code, error)

        return ["scan.py", "warc", "--output", self.folder / "versions", "--binary", wrapper.path, "--shards", SHARDS], check

    def s3(self, endpoint):
        """Shards in an S3 server. The first tasks of shards 2 and 4 are killed and fail during the upload. They are joined in a local folder."""
        bucket = f"{endpoint}/spark-{os.getpid()}"
        request(bucket, "PUT")
        # A pipe that nothing writes to stops the upload, and a file that is missing ends it. Both come after other tables.
        stop = 'mkfifo "$output/rules/pipe"; (sleep 2; kill -9 $PPID) >/dev/null 2>&1 &'
        trouble = f'if is_first 2; then {stop} fi; if is_first 4; then ln -s missing "$output/rules/link"; fi'
        wrapper = Wrapper(self.program, self.folder / "wrapper-s3", after=trouble)
        output = f"s3://{Path(bucket).name}/shards"
        args = ["warc", "--output", output, "--binary", wrapper.path, "--shards", SHARDS, "--", "--verify-digests"]
        env = S3 | {"AWS_ENDPOINT_URL": endpoint}
        conf = SPECULATION | {f"spark.executorEnv.{name}": value for name, value in env.items()}
        code, text, error = self.cluster.submit("scan.py", *args, conf=conf, env=env)
        assert code == 1 and "robots-scan join" in text, f"exit code {code}\n{text}\n{error[-6000:]}"
        assert len(wrapper.calls("scan 2 ")) > 1 and len(wrapper.calls("scan 4 ")) > 1
        out = self.folder / "s3"
        for number in range(1, SHARDS + 1):
            keys = keys_below(bucket, f"shards/shard-{number:05}/")
            assert f"shards/shard-{number:05}/_SUCCESS" in keys, keys
            for key in keys:
                file = out / key.removeprefix("shards/")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(request(f"{bucket}/{urllib.parse.quote(key)}"))
        run(self.program, "join", out, "-q")
        run(self.program, "views", out, "-q")
        self.compare(out)
        self.failed_upload(bucket, env)

    def failed_upload(self, bucket, env):
        """An upload that fails leaves tables, but neither a manifest nor _SUCCESS."""
        attempt = self.folder / "s3" / "shard-00001"
        (attempt / "rules" / "link").symlink_to("missing")
        with unittest.mock.patch.dict(os.environ, env):
            try:
                scan.upload(str(attempt), f"s3://{Path(bucket).name}/failed")
            except OSError:
                names = {key.split("/")[1] for key in keys_below(bucket, "failed/")}
                assert "groups" in names and not {"_manifest.jsonl", "_SUCCESS", "sitemaps"} & names, names
            else:
                raise AssertionError("a file that is missing was uploaded")


def write_urls(dataset, folder):
    """Writes a list of URLs in the layout of cc-index: usual ones, repeated ones, odd ones, with and without times."""
    con = duckdb.connect()
    con.execute((dataset / "views.sql").read_text(encoding="utf-8"))
    con.execute(f"""
        CREATE TABLE urls AS
        SELECT url, fetch_time FROM robots_files WHERE url IS NOT NULL
        UNION ALL SELECT replace(url, 'robots.txt', 'a/b.html?q=' || n), CASE WHEN n % 3 > 0 THEN fetch_time + INTERVAL (n) DAY END
          FROM robots_files, range(-5, 15) r(n) WHERE url IS NOT NULL
        UNION ALL SELECT upper(url_host_name), NULL FROM robots_files
        UNION ALL SELECT 'HTTPS://user@' || upper(url_host_name) || ':443/x#y', fetch_time FROM robots_files
        UNION ALL SELECT unnest(['', ' https://a.test/ ', 'mailto:a@b.test', 'https:/a', 'https://[::1]:80/',
          'https://h\u00fclle.test/\u00e4', 'http://a.test\\b', 'https://missing.test/x', 'https://a.test/"x",\n']), NULL""")
    for n in range(3):
        part = folder / f"crawl=CC-MAIN-2026-05/subset={'warc' if n else 'robotstxt'}" / f"part-{n}.parquet"
        part.parent.mkdir(parents=True, exist_ok=True)
        con.execute(
            f"COPY (SELECT *, 200 AS fetch_status FROM urls WHERE rowid % 3 = {n}) TO '{part}' (FORMAT parquet)")
    return con.execute("SELECT count(*) FROM urls").fetchone()[0]


class MatchTests:
    def __init__(self, cluster, program, dataset, folder):
        self.cluster, self.program, self.dataset, self.folder = cluster, program, dataset, folder
        self.count = write_urls(dataset, folder / "urls")
        self.options = ["--agent", "GPTBot,CCBot", "--agent", "AdsBot-Google"]
        run(program, "match", dataset, *self.options, "--urls", folder / "urls", "-q", "-o", folder / "matches.parquet")

    def partitions(self, number, conf=(), **trouble):
        """Matches in this number of partitions, and compares the rows with those of one run."""
        wrapper = Wrapper(self.program, self.folder / f"wrapper-match-{number}", **trouble)
        out = self.folder / f"matches-{number}"
        args = [self.dataset, self.folder / "urls", *self.options, "--output", out, "--binary", wrapper.path]
        code, text, error = self.cluster.submit("match.py", *args, "--partitions", number, "--", "--memory", "64MiB", conf=conf)
        assert code == 0, f"exit code {code}\n{text}\n{error[-6000:]}"
        names = sorted(path.name for path in out.iterdir())
        assert len(names) > 1 and all(re.fullmatch(r"part-\d{5}\.parquet", name) for name in names), names
        rows = assert_same_rows(self.folder / "matches.parquet", out / "*.parquet")
        assert rows == 3 * self.count, (rows, self.count)
        origins = duckdb.execute(
            "SELECT regexp_extract(url, '^https?://[a-z0-9.-]+/') AS origin, count(DISTINCT filename) "
            "FROM read_parquet(?, filename = true) WHERE origin <> '' GROUP BY ALL", [str(out / "*.parquet")]).fetchall()
        assert len(origins) > 100 and all(files == 1 for _, files in origins), origins


class HistoryMatchTests:
    """Match over a history of the two crawls of docs/history.md."""

    def __init__(self, cluster, program, folder):
        self.cluster, self.program, self.folder = cluster, program, folder / "history"
        self.folder.mkdir()
        datasets = [self.folder / name for name in ("2026-01", "2026-05")]
        for name, dataset in zip(["cc-robotstxt.warc.gz", "cc-robotstxt-later.warc.gz"], datasets):
            run(program, "scan", SAMPLES / name, "-q", "-o", dataset)
        self.history, self.urls = self.folder / "history", self.folder / "urls.parquet"
        run(program, "history", *datasets, "-q", "-o", self.history)
        files = [str(path) for dataset in datasets for path in (dataset / "robots_files").rglob("*.parquet")]
        # Both schemes of each host, at times before, between and after the crawls. The times of the column `fetch_time` are other ones.
        duckdb.execute(f"""
            COPY (
              SELECT replace(url, old, scheme) AS url, crawled, TIMESTAMP '2026-02-02' AS fetch_time
              FROM (SELECT DISTINCT url FROM read_parquet({files}) WHERE url LIKE 'http%'),
                (VALUES ('http://', 'https://'), ('https://', 'http://'), ('robots.txt', 'a/b.html')) r(old, scheme),
                (VALUES ('2001-01-01'), ('2026-01-20'), ('2030-01-01T00:00:00Z'), ('soon'), (NULL)) c(crawled)
              UNION ALL SELECT unnest(['https://travel.example/flights', 'https://www.times.example/news']), '2026-01-20', NULL
            ) TO '{self.urls}' (FORMAT parquet)""")

    def run_once(self, name, *options):
        """Matches in one process, and returns the file."""
        out = self.folder / f"{name}.parquet"
        run(self.program, "match", self.history, "--urls", self.urls, "--agent", "GPTBot,CCBot", *options, "-q", "-o", out)
        return out

    def job(self, name, columns, options=()):
        out = self.folder / name
        words = [self.history, self.urls, "--agent", "GPTBot,CCBot", *columns, "--output", out, "--binary", self.program]
        return ["match.py", *words, "--partitions", 3, "--", *options]

    def time_column(self):
        """The times of the column decide, and captures of any origin, if asked for. The hosts of docs/history.md change their rules."""
        columns = ["--columns", "time=Crawled"]

        def check(code, text, error):
            assert code == 0, f"exit code {code}\n{text}\n{error}"
            found = self.folder / "times" / "*.parquet"
            assert_same_rows(self.run_once("expected", *columns, "--any-origin"), found)
            for name, options in [("same-origin", columns), ("other-times", ["--any-origin"])]:
                other = [str(path) for path in (found, self.run_once(name, *options))]
                assert duckdb.execute("FROM read_parquet(?) EXCEPT FROM read_parquet(?)", other).fetchone(), f"the same rows as {name}"
            answers = duckdb.execute(
                "SELECT url, access, crawl, next_disallowed_crawl, last_access FROM read_parquet(?) "
                "WHERE agent = 'GPTBot' AND parse_filename(url) IN ('flights', 'news') ORDER BY url", [str(found)]).fetchall()
            crawls = ["CC-MAIN-2026-01-SAMPLE", "CC-MAIN-2026-05-SAMPLE"]
            assert answers == [
                ("https://travel.example/flights", "allowed", *crawls, "disallowed"),
                ("https://www.times.example/news", "disallowed", crawls[0], None, "allowed")], answers

        return self.job("times", columns, ["--any-origin"]), check

    def missing_column(self):
        """The URLs lack the column of times."""
        def check(code, text, error):
            assert code == 3 and "error: the URLs have no column 'crawl_time'\n" in error, (code, text, error)

        return self.job("refused", ["--columns", "time=crawl_time"]), check

    def refused_options(self):
        """Options of columns are among those of the program."""
        words = [self.history, self.urls, "--agent", "a", "--output", self.folder / "refused", "--binary", self.program, "--partitions", 1]
        for option in ["--columns=url=x", "--columns"]:
            code = None
            with contextlib.redirect_stderr(io.StringIO()) as messages:
                try:
                    match.parse_arguments([*map(str, words), "--", option, "time=crawled"])
                except SystemExit as stopped:
                    code = stopped.code
            message = f"'{option.partition('=')[0]}' must be given before '--'"
            assert code == 2 and message in messages.getvalue(), (code, messages.getvalue())


def check_jobs(cluster, tests, jobs):
    """Runs jobs in one process of Python, and checks what each printed. `jobs` are names of tests, with a job and its check."""
    results = []
    tests.check(f"{len(jobs)} jobs without workers", lambda: results.extend(cluster.run_jobs(job for _, (job, _) in jobs)))
    for (name, (_, check)), result in zip(jobs, results):
        tests.check(name, lambda check=check, result=result: check(*result))


def main(program, endpoint):
    began, t = time.monotonic(), Tests()
    program = str(Path(program).resolve())
    folder = Path(tempfile.mkdtemp(prefix="robots-scan-spark-"))
    cluster = Cluster(folder)
    try:
        cluster.start()
        print(f"{time.monotonic() - began:6.1f} s  a master and two workers started", flush=True)
        scans = ScanTests(cluster, program, folder)
        t.check("speculation", scans.speculation)
        t.check("two attempts of a shard race", scans.race)
        t.check("a task that fails after its work, and a worker that is killed", scans.failures)
        matches = MatchTests(cluster, program, folder / "one", folder)
        fail = 'if [ "$1" = match ] && mkdir {marks}/failed 2>/dev/null; then exit 3; fi'
        t.check("match in 5 partitions, one of which fails", lambda: matches.partitions(5, SPECULATION, after=fail))
        history = HistoryMatchTests(cluster, program, folder)
        t.check("options that are refused", history.refused_options)
        check_jobs(cluster, t, [
            ("a job that is submitted again", scans.again()),
            ("a program that refuses", scans.refusals()),
            ("a program of another version", scans.versions()),
            ("match over a history with a column of times", history.time_column()),
            ("match without the column of times", history.missing_column())])
        if endpoint:
            t.check("shards in an S3 server", lambda: scans.s3(endpoint.rstrip("/")))
        else:
            print("skipped: shards in an S3 server, because --s3 was not given")
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.monotonic() - began:6.1f} s in total")
    print(f"{t.passed} passed, {t.failed} failed")
    return 1 if t.failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--s3", metavar="ENDPOINT")
    args = parser.parse_args()
    sys.exit(main(args.program, args.s3))
