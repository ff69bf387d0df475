"""Archives over http: whatever the server and the connection do, the tables equal those from local files, or the run reports which inputs
are missing.

    python tests/python/test_servers.py target/debug/robots-scan [--only TEXT]

The tests run the program against scripted_server.py, and check the tables, the messages and the log of the server. Several run at a time.
"""

import argparse
import contextlib
import email.utils
import gzip
import itertools
import json
import os
import socket
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True

from scripted_server import Server, basic, etag
from source_runs import SAMPLES, assert_same_bytes, check_all, query, run, run_to

# A run that takes longer than this hangs.
HANGS_SECONDS = 60
THREADS = 8
OPTIONS = {"--crawl": "C", "--subset": "robotstxt", "--part-inputs": "128", "--rate": "none"}
# Small archives without faults.
SOUND = ("per-record-1.1.warc.gz", "chunked.warc.gz", "plain.warc", "odd-dates.warc.gz", "frames-with-dictionary.warc.zst",
         "resource-and-revisit.warc.gz", "whole-file.warc.gz", "hostile-headers.warc.gz")
# The place at which transfers of the large archive are cut.
CUT = 100_000
# The difference between the time of an event here and in the program.
TOLERANCE_SECONDS = 0.05
LARGE_PATH = "/d/large.warc.gz"
FOLDER = "crawl-data/C/segments/1/robotstxt"
USER, PASSWORD = "scraper77", "s3cret"
# Parts of URLs that must not appear.
SECRETS = (USER, PASSWORD, "Tok3n", "fragm3nt", basic(USER, PASSWORD).removeprefix("Basic "))
MODIFIED = "Sun, 06 Nov 1994 08:49:37 GMT"


def sample(name):
    return (SAMPLES / name).read_bytes()


# An archive of 230 KiB with one gzip member per record.
LARGE = sample("cc-robotstxt.warc.gz") + sample("cc-robotstxt-later.warc.gz")


class Site:
    """Archives on a server, with copies of them as local files."""

    def __init__(self, program, folder, archives):
        self.program, self.folder, self.server, self.paths = program, Path(tempfile.mkdtemp(dir=folder)), Server(), []
        self.out = self.folder / "out"
        for path, data in archives.items():
            self.add(path, data)

    def add(self, path, data):
        self.put_local(path, data)
        self.server.objects[path] = data
        self.paths.append(path)

    def local(self, path):
        return self.folder / "local" / path.lstrip("/")

    def put_local(self, path, data):
        self.local(path).parent.mkdir(parents=True, exist_ok=True)
        self.local(path).write_bytes(data)

    def fault(self, archive, kind, **values):
        """Adds a fault to the script of the server, for one archive."""
        self.server.add(self.paths[archive], kind, **values)

    def urls(self):
        return [self.server.url(path) for path in self.paths]

    def locals(self):
        return [self.local(path) for path in self.paths]

    def run(self, *more):
        """Scans all archives of the server, as fast as it answers."""
        return self.scan(self.urls(), *more)

    def scan(self, inputs, *more, out=None):
        options = [word for option, value in OPTIONS.items() if option not in more for word in (option, value)]
        return run(self.program, "scan", *inputs, "-o", out or self.out, *options, *more, timeout=HANGS_SECONDS)

    def scan_local(self, inputs, *more):
        return self.scan(inputs, *more, "--overwrite", out=self.folder / "expected")

    def check(self, ran, *more, inputs=None):
        """Checks that a run had the exit code and the tables of a run over the local copies, or over these local inputs."""
        local = self.scan_local(self.locals() if inputs is None else inputs, *more)
        assert local.code in (0, 1), local.stderr
        assert ran.code == local.code, f"exit code {ran.code}: {ran.stdout}{ran.stderr}"
        assert_same_bytes(self.out, self.folder / "expected")

    def check_run(self, *more):
        """Runs and checks."""
        self.check(self.run(*more))

    def check_failed(self, ran, code, *words):
        """Checks that a run ended with this exit code and left no complete dataset."""
        assert ran.code == code and all(word in ran.stderr for word in words), f"exit code {ran.code}, or without {words}: {ran.stdout}{ran.stderr}"
        assert not (self.out / "_SUCCESS").exists()

    def large_gets(self):
        return self.server.gets(LARGE_PATH)

    def check_requested_once(self, *archives):
        for number in archives:
            gets = self.server.gets(self.paths[number])
            assert [(get.first_byte, get.status) for get in gets] == [(0, 200)], gets

    def check_continued(self, requests):
        """Checks that the large archive was requested, and then the rest of it with its entity tag."""
        gets = self.large_gets()
        assert [get.status for get in gets] == [200] + [206] * (requests - 1), gets
        for before, get in itertools.pairwise(gets):
            assert before.first_byte < get.first_byte <= before.first_byte + CUT and get.if_match == etag(LARGE), gets

    def check_begun_again(self, times):
        """Checks that the large archive was requested from its beginning this many times, and never under a condition."""
        assert [(get.first_byte, get.if_match) for get in self.large_gets()] == [(0, None)] * times, self.large_gets()


def faults_of(site):
    return query(site.out, "faults", "code, warc_filename")


def check_wait_is_reported(ran):
    lines = ran.stderr.splitlines()
    begun = next((number for number, line in enumerate(lines) if line.startswith("warning:") and "wait" in line), None)
    assert begun is not None and any("continues" in line for line in lines[begun + 1:]), ran.stderr


def check_waited(log, status, waits):
    """Checks that nothing was requested for a time after each refusal with this status."""
    refused = [request for request in log if request.status == status]
    assert len(refused) == len(waits), log
    for request, wait in zip(refused, waits):
        after = next(other.at for other in log if other.at > request.at)
        assert after - request.at + TOLERANCE_SECONDS >= wait, f"{after - request.at} s of {wait}"


class Tests:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def site(self, archives):
        return Site(self.program, self.folder, archives)

    def small(self, count):
        """A site of small archives, `/d/0.warc` and so on."""
        return self.site({f"/d/{number}.warc": sample(name) for number, name in zip(range(count), itertools.cycle(SOUND))})

    def large(self, etags="strong", data=LARGE):
        """A site of a small archive, a large one and another small one."""
        site = self.site({"/d/first.warc.gz": sample(SOUND[0]), LARGE_PATH: data, "/d/last.warc.gz": sample(SOUND[1])})
        site.server.etags = etags
        return site

    # Bodies that are cut, stalled or wrong.

    def test_a_body_that_is_cut_or_reset_continues_where_it_ended(self):
        for kind in "short", "reset":
            site = self.large()
            site.fault(1, kind, after_bytes=CUT, times=2)
            site.check_run()
            site.check_continued(3)
            site.check_requested_once(0, 2)

    def test_a_body_without_a_strong_etag_begins_again(self):
        for etags in "none", "weak":
            site = self.large(etags)
            site.fault(1, "short", after_bytes=CUT, times=1)
            site.check_run()
            site.check_begun_again(2)

    def test_a_body_that_stalls_continues_on_another_connection(self):
        site = self.large()
        site.fault(1, "stall", after_bytes=CUT, times=1)
        site.check_run("--patience", "4s")
        site.check_continued(2)
        first, second = site.large_gets()
        assert second.at - first.at >= 0.29

    def test_a_body_that_stalls_without_an_etag_begins_again(self):
        site = self.large("none")
        site.fault(1, "stall", after_bytes=CUT, times=1)
        site.check_run("--patience", "4s")
        site.check_begun_again(2)

    def test_an_answer_that_is_only_slow_is_not_requested_again(self):
        site = self.small(2)
        site.server.add(None, "delay", seconds=0.3)
        site.check_run("--patience", "20s")
        site.check_requested_once(0, 1)

    def test_an_answer_with_another_range_begins_again(self):
        site = self.large()
        site.fault(1, "short", after_bytes=CUT, times=1)
        site.fault(1, "wrong_range", times=1)
        site.check_run()
        gets = site.large_gets()
        assert len(gets) == 3 and gets[1].first_byte > 0 == gets[2].first_byte, gets

    def test_a_part_that_was_not_requested_is_not_an_archive(self):
        # Its length is that of the part, so it would seem to be a truncated archive.
        site = self.large()
        site.fault(1, "part", bytes=50_000, times=1)
        site.check_run()

    def test_a_server_without_ranges_sends_the_whole_object_again(self):
        site = self.large()
        site.fault(1, "short", after_bytes=CUT, times=1)
        site.fault(1, "ignore_range")
        site.check_run()
        assert len(site.large_gets()) in (2, 3) and {get.status for get in site.large_gets()} == {200}, site.large_gets()

    def test_an_object_that_changes_during_its_transfer_is_read_in_its_new_state(self):
        for to in sample("cc-robotstxt-later.warc.gz"), LARGE + sample("chunked.warc.gz"):
            for etags in "strong", "none":
                site = self.large(etags)
                site.fault(1, "short", after_bytes=CUT, times=1)
                site.put_local(LARGE_PATH, to)
                site.fault(1, "change", to=to, after_requests=1)
                # The exit code is 0 and there is no row in `faults`.
                site.check_run()
                gets = site.large_gets()
                assert any(get.status == 412 for get in gets) == (etags == "strong") and gets[-1].first_byte == 0, gets

    def test_an_object_with_another_length_than_announced_begins_again(self):
        # The rest of an object that is shorter than its `Content-Length` cannot be requested: 416.
        for etags in "strong", "none":
            site = self.large(etags)
            site.fault(1, "wrong_length", extra=1000, times=1)
            site.check_run()
            assert site.large_gets()[-1].status == 200, site.large_gets()
        site = self.large()
        site.fault(1, "wrong_length", extra=-50_000, times=1)
        site.check_run()
        site.check_begun_again(2)

    def test_an_archive_that_is_truncated_once_is_whole(self):
        for etags in "strong", "none":
            site = self.large(etags)
            site.server.objects[LARGE_PATH] = LARGE[:CUT]
            site.fault(1, "change", to=LARGE, after_requests=1)
            site.check_run()
            site.check_begun_again(2)
            assert faults_of(site) == []
            site.check_requested_once(0, 2)

    def test_an_archive_that_is_truncated_on_the_server_is_fetched_twice(self):
        for cut in sample("damaged-cut.warc.gz"), LARGE[:CUT]:
            site = self.large(data=cut)
            site.check_run()
            site.check_begun_again(2)
            site.check_requested_once(0, 2)
            assert faults_of(site) == [("truncated", "large.warc.gz")], faults_of(site)

    def test_damage_gives_the_faults_of_local_files(self):
        names = [f"damaged-{name}" for name in ("checksum.warc.gz", "first.warc.gz", "frame.warc.zst", "garbage.warc.gz", "often.warc.gz", "plain.warc",
                                                "whole-file.warc.gz")]
        site = self.site({f"/d/{name}": sample(name) for name in (*names, "not-an-archive.txt", "nothing.warc.gz", SOUND[0])})
        ran = site.run()
        assert ran.code == 1
        site.check(ran)

    def test_an_object_that_comes_byte_by_byte_fails(self):
        # It would never end: every byte is a new one.
        for etags in "strong", "none":
            site = self.large(etags)
            site.fault(1, "drip", pause=0.01)
            site.check_failed(site.run("--patience", "4s"), 3, "large.warc.gz", "it was tried for too long")
            site.server.faults.clear()
            site.check_run("--resume")

    def test_an_object_of_a_terabyte_is_not_fetched(self):
        site = self.small(3)
        site.fault(1, "wrong_length", extra=1 << 40)
        ran = site.run()
        site.check_failed(ran, 3, "/d/1.warc", "more than 68719476736")
        assert len(site.server.gets("/d/1.warc")) == 1 and "/d/2.warc" not in ran.stderr, ran.stderr

    def test_only_the_object_waits_whose_answer_is_not_http(self):
        # One object is not served well, which says nothing about the others.
        for kind in "not_http", "no_answer":
            site = self.small(4)
            site.fault(2, kind, times=3)
            ran = site.run()
            site.check(ran)
            assert "all requests wait" not in ran.stderr and len(site.server.gets("/d/2.warc")) == 4, ran.stderr

    def test_bodies_without_content_length_and_with_a_content_encoding_are_read(self):
        # Some servers declare a gzip file as content that is encoded with gzip. Its bytes are those of the archive.
        for kind, values in ("chunked", {}), ("header", {"name": "Content-Encoding", "value": "gzip"}):
            site = self.large()
            site.server.add(None, kind, **values)
            site.fault(1, "short", after_bytes=CUT, times=1)
            site.check_run()

    def test_a_server_that_is_started_again_gives_the_same_tables(self):
        def stop_after(site, requests, pause, *options):
            with ThreadPoolExecutor(1) as pool:
                running = pool.submit(site.run, *options)
                site.server.wait_for(requests)
                time.sleep(pause)
                site.server.close()
                time.sleep(0.2)
                site.server.start()
                site.check(running.result())

        site = self.small(12)
        site.server.add(None, "delay", seconds=0.05)
        stop_after(site, 5, 0, "--connections", "2")
        assert all(site.server.gets(path) for path in site.paths)
        site = self.large()
        site.fault(1, "stall", after_bytes=CUT, times=1)
        stop_after(site, 2, 0.2, "--connections", "1")

    def test_an_object_that_is_always_cut_fails_after_the_patience(self):
        # Bytes that were received before are no progress.
        def check(etags, *others):
            site = self.large(etags)
            site.fault(1, "short", after_bytes=CUT)
            for kind in others:
                site.fault(1, kind)
            site.check_failed(site.run("--patience", "4s"), 3, "large.warc.gz")
            site.server.faults.clear()
            site.check_run("--resume")

        check_all(check, [("none",), ("strong", "ignore_range"), ("strong", "wrong_range")])

    # URLs as inputs.

    def test_the_tables_equal_those_of_local_files(self):
        site = self.site({f"/d/{name}": sample(name) for name in (*SOUND, "damaged-checksum.warc.gz")} | {LARGE_PATH: LARGE})
        for more in (), ("-t", "1"), ("-t", "4", "--connections", "1"), ("-t", "1", "--connections", "8"):
            site.check_run(*more, "--overwrite")
            run_to(0, self.program, "verify", site.out)

    def test_local_files_and_urls_are_read_in_their_order(self):
        site = self.small(6)
        site.check(site.scan([pair[number % 2] for number, pair in enumerate(zip(site.urls(), site.locals()))]))
        assert len(site.server.log) == 3

    def test_the_crawl_is_in_the_url_or_in_the_options(self):
        site = self.small(1)
        for more in (), ("--crawl", "C"), ("--subset", "robotstxt"), ("--dry-run",):
            ran = run_to(2, self.program, "scan", *site.urls(), *more, "-o", site.out)
            assert all(word in ran.stderr for word in ("error: ", *site.urls(), "\nhint: ", "--crawl", "--subset")), ran.stderr
            assert not site.out.exists() and not site.server.log
        site = self.site({f"/mirror/crawl-data/CC-MAIN-2025-38/segments/1/robotstxt/{name}": sample(name) for name in SOUND[1:3]})
        for name, inputs in ("remote", site.urls()), ("as-files", site.locals()):
            run_to(0, self.program, "scan", *inputs, "-o", site.folder / name)
        assert_same_bytes(site.folder / "remote", site.folder / "as-files")
        assert (site.folder / "remote/rules/crawl=CC-MAIN-2025-38/subset=robotstxt/part-00000.parquet").exists()

    def test_inputs_with_the_same_name_are_refused(self):
        site = self.small(2)
        url = site.server.url
        for inputs in ([url("/a/x.warc"), url("/b/x.warc")], [url("/a/x.warc?version=1"), url("/a/x.warc?version=2")], [url("/a/x.warc")] * 2,
                       [site.locals()[0], url("/d/0.warc")]):
            ran = site.scan(inputs)
            site.check_failed(ran, 2, "error: ", ".warc", "\nhint: ")
            assert "version=" not in ran.stderr and not site.out.exists() and not site.server.log

    def test_a_shard_and_a_dry_run_request_only_their_own_inputs(self):
        site = self.small(5)
        ran = site.run("--dry-run")
        assert ran.code == 0 and site.urls()[1] in ran.stdout and not site.server.log and not site.out.exists(), ran.stdout
        site.check(site.run("--shard", "2/2"), "--shard", "2/2")
        assert sorted(request.path for request in site.server.log) in (site.paths[2:], site.paths[3:])

    def resume_after(self, etags, modified, to):
        """Scans three archives, of which the last one is missing, changes the first one, and resumes the run."""
        site = self.small(3)
        site.server.etags = etags
        site.server.add(None, "header", name="Last-Modified", value=modified[0])
        site.fault(2, "status", status=404)
        site.check_failed(site.run("--part-inputs", "1"), 3, "/d/2.warc")
        site.server.faults.clear()
        site.server.add(None, "header", name="Last-Modified", value=modified[1])
        site.server.objects["/d/0.warc"] = to
        return site, site.run("--part-inputs", "1", "--resume")

    def test_an_object_that_changed_before_a_run_is_resumed_is_reported(self):
        own = sample(SOUND[0])
        other = own[:-1] + bytes([own[-1] ^ 1])
        for etags, time_after, to, words in (("strong", MODIFIED, other, 'version "'), ("none", MODIFIED.replace("37", "38"), other, "1994-11-06T08:49:38Z"),
                                             ("weak", MODIFIED, own + sample(SOUND[1]), "bytes, version 1994")):
            site, ran = self.resume_after(etags, (MODIFIED, time_after), to)
            site.check_failed(ran, 2, "cannot be resumed", "an input was 0.warc (", words)
        # What a server does not state is not compared; an equal entity tag says that the object is the same.
        for etags, time_after, to in ("strong", MODIFIED, own), ("strong", "no date", own), ("none", "no date", other):
            site, ran = self.resume_after(etags, (MODIFIED, time_after), to)
            site.check(ran, "--part-inputs", "1")

    def test_of_many_objects_some_are_checked_before_a_run_is_resumed(self):
        site, parts = self.small(400), ("--part-inputs", "100")
        site.fault(399, "status", status=404, times=1)
        site.check_failed(site.run(*parts), 3, "/d/399.warc")
        site.server.log.clear()
        site.check(site.run(*parts, "--resume"), *parts)
        checks = sum(request.range is not None for request in site.server.log)
        # Every second one of 300.
        assert (checks, len(site.server.log) - checks) == (150, 100)
        # A dataset that is complete is not checked.
        site.server.log.clear()
        assert site.run(*parts, "--resume").code == 0 and not site.server.log

    # Lists of archives.

    def mirror(self):
        """A site with three archives below `/mirror/crawl-data`, and the lines of their list."""
        lines = [f"{FOLDER}/{name}" for name in ("plain.warc", "chunked.warc.gz", "whole-file.warc.gz")]
        return self.site({f"/mirror/{line}": sample(line.rpartition("/")[2]) for line in lines}), lines

    def check_list(self, site, lines, listed, *more):
        """Scans the archives of a list, whose tables must be those of a local list."""
        ran = site.scan([], "--paths", listed, *more, "--overwrite")
        local = site.folder / "list.paths"
        local.write_text("\n".join(lines), encoding="utf-8")
        site.check(ran, "--paths", local, "--base", site.local("/mirror"), inputs=[])

    def test_lines_of_a_list_are_below_its_folder_or_its_base(self):
        site, lines = self.mirror()
        text, url = "\n".join(lines).encode(), site.server.url
        site.server.objects |= {
            "/mirror/crawl-data/C/robotstxt.paths": text, "/mirror/crawl-data/C/robotstxt.paths.gz": gzip.compress(text), "/mirror/list": text,
            "/elsewhere/list": text, "/list": "\n".join(site.urls()).encode()}
        for path in "/mirror/crawl-data/C/robotstxt.paths", "/mirror/crawl-data/C/robotstxt.paths.gz", "/mirror/list?x=1":
            self.check_list(site, lines, url(path))
        own = site.folder / "own.paths"
        own.write_bytes(text)
        for listed in url("/elsewhere/list"), own:
            for base in "/mirror/", "/mirror":
                self.check_list(site, lines, listed, "--base", url(base))
        # A list may have URLs of its own server, and a local list any.
        own.write_bytes(site.server.objects["/list"])
        for listed in url("/list"), own:
            self.check_list(site, lines, listed)
        # `C` and `robotstxt` are folders of the lines.
        run_to(0, self.program, "scan", "--rate", "none", "--paths", url("/mirror/crawl-data/C/robotstxt.paths"), "--part-inputs", "128", "-o",
               site.folder / "named")
        assert_same_bytes(site.folder / "named", site.out)

    def test_a_list_cannot_name_local_files_or_other_servers(self):
        site, lines = self.mirror()
        other, here, file = Server(), site.server.host, site.local(f"/mirror/{lines[0]}")
        for line in (file, "/etc/passwd", "../x.warc", "a/../../x.warc", "a/..", "..\\x.warc", "%2e%2e/x.warc", "a/%2E./%2e%2e/x.warc", ".\t./x.warc",
                     "..%2fx.warc", "%252e%252e%255cx.warc", f"file://{file}", f"file:{file}", f"FILE://{file}", "//other.example/x.warc",
                     "http://other.example/x.warc", f"http://{here}@other.example/x.warc", f"http://{here}.other.example/x.warc", other.url("/x.warc"),
                     f"https://{here}/x.warc", "ftp://other.example/x.warc", "s3://bucket/x.warc"):
            for path, more in ("/mirror/list", ()), ("/mirror/crawl-data/C/list", ("--base", site.server.url("/mirror"), "--missing", "skip")):
                site.server.objects[path] = f"{lines[0]}\n{line}\n".encode()
                site.server.log.clear()
                site.check_failed(site.scan([], "--paths", site.server.url(path), *more), 2, "error: ")
                assert not site.out.exists() and {request.path for request in site.server.log} == {path}, line
        assert not other.log

    def test_no_line_leads_out_of_the_base(self):
        site, lines = self.mirror()
        for line in "../secret.warc", "a/%2e%2e/%2e%2e/secret.warc", ".\t./secret.warc":
            listed = site.folder / "local.paths"
            listed.write_text(f"{lines[0]}\n{line}\n", encoding="utf-8")
            ran = site.scan([], "--paths", listed, "--base", site.server.url("/mirror/crawl-data"))
            site.check_failed(ran, 2, "which leads out of its folder", "hint: correct the line, or give a --base")
            assert not site.server.log

    def test_a_list_that_is_cut_short_is_completed(self):
        # A list of which the end is missing would be a smaller crawl.
        site, lines = self.mirror()
        for path, data in ("/mirror/list", "\n".join(lines).encode()), ("/mirror/list.gz", gzip.compress("\n".join(lines).encode())):
            site.server.objects[path] = data
            site.server.add(path, "short", after_bytes=len(data) // 2, times=1)
            self.check_list(site, lines, site.server.url(path))
            assert len(site.server.gets(path)) == 2

    def test_a_list_that_is_missing_or_damaged_is_an_error_before_the_output_is_created(self):
        site, lines = self.mirror()
        cut = gzip.compress("\n".join(lines).encode())
        site.server.objects |= {"/mirror/cut.gz": cut[:len(cut) // 2], "/mirror/empty": b"\n# nothing\n"}
        for name in "missing", "cut.gz", "empty":
            listed = site.server.url(f"/mirror/{name}")
            ran = site.scan([], "--paths", f"{listed}?sig=Tok3n")
            assert ran.code in (2, 3) and listed in ran.stderr and "Tok3n" not in ran.stderr and not site.out.exists(), ran.stderr

    # The rate of requests, and connections.

    def test_redirects_count_for_the_rate(self):
        # The pace itself is tested with invented times (src/remote/pace.rs).
        site = self.small(12)
        for number, path in enumerate(site.paths):
            site.server.objects[f"/to{path}"] = site.server.objects[path]
            site.fault(number, "redirect", to=f"/to{path}", status=302)
        site.check_run("--rate", "20")
        log = site.server.log
        # The rate begins with 10 a second, and requests may arrive later than they were sent.
        assert len(log) == 24 and log[23].at - log[0].at > 1

    def test_no_more_requests_are_under_way_than_connections(self):
        for connections in 1, 2, 3:
            site = self.small(8)
            site.server.add(None, "delay", seconds=0.06)
            site.check_run("--connections", str(connections))
            assert max(request.waiting for request in site.server.log) == connections

    def test_objects_that_are_larger_together_than_what_is_read_ahead(self):
        # 256 MiB are read ahead. The large record is no capture.
        head = b"WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Length: "
        data = sample("plain.warc") + head + b"50000000\r\n\r\n" + bytes(50_000_000) + b"\r\n\r\n"
        site = self.site({f"/d/{number}.warc": sample("plain.warc") if number % 4 == 3 else data for number in range(9)})
        site.check_run("-t", "2")

    # Redirects.

    def chain(self, redirects):
        """A site with an archive, and redirects from it to `/h1`, `/h2` and so on. The object is at the last of them."""
        site = self.small(1)
        path = site.paths[0]
        for number, status in zip(range(1, redirects + 1), itertools.cycle((301, 302, 303, 307, 308))):
            # Locations with and without a host, and with a query.
            to = (site.server.url(f"/h{number}"), f"/h{number}", f"h{number}?query={number}")[number % 3]
            site.server.add(path, "redirect", to=to, status=status)
            path = f"/h{number}"
        site.server.objects[path] = sample(SOUND[0])
        return site

    def test_five_redirects_are_followed_and_six_refused(self):
        site = self.chain(5)
        # The name of the archive is that of its own URL.
        site.check_run()
        assert [request.target for request in site.server.log] == ["/d/0.warc", "/h1", "/h2?query=2", "/h3", "/h4", "/h5?query=5"], site.server.log
        site = self.chain(6)
        site.check_failed(site.run(), 3, "error: ", "/d/0.warc", "redirect")
        assert len(site.server.log) == 6
        site = self.small(2)
        site.fault(1, "redirect", to="/loop", status=302)
        site.server.add("/loop", "redirect", to="/d/1.warc", status=302)
        site.check_failed(site.run(), 3, "error: ", "/d/1.warc", "redirect")
        assert len(site.server.log) <= 7

    def test_redirects_to_other_protocols_are_refused(self):
        for to in f"file://{SAMPLES / 'plain.warc'}", "ftp://127.0.0.1/x.warc", "s3://bucket/x.warc":
            site = self.small(1)
            site.fault(0, "redirect", to=to, status=302)
            site.check_failed(site.run("--patience", "4s"), 3, "error: ", "/d/0.warc")
            assert len(site.server.log) == 1, to

    def test_a_body_that_was_redirected_continues(self):
        site = self.large()
        site.fault(1, "redirect", to="/store/object", status=302)
        site.server.objects["/store/object"] = LARGE
        site.server.add("/store/object", "short", after_bytes=CUT, times=1)
        site.check_run()
        first, second = site.server.gets("/store/object")
        assert second.first_byte > 0 and second.if_match, second

    def test_credentials_are_sent_to_their_own_host_only(self):
        for host in "127.0.0.1", "localhost":
            site, other = self.small(3), Server({"/x": sample("plain.warc")})
            site.server.add(None, "basic", user=USER, password=PASSWORD)
            # The first archive is here, the second one elsewhere on this server, and the third one on another server.
            site.fault(1, "redirect", to="/moved", status=302)
            site.server.objects["/moved"] = sample("chunked.warc.gz")
            site.fault(2, "redirect", to=f"http://{host}:{other.port}/x", status=307)
            site.check(site.scan([f"http://{USER}:{PASSWORD}@{site.server.host}{path}" for path in site.paths]))
            assert {request.authorization for request in site.server.log} == {basic(USER, PASSWORD)}
            assert [request.authorization for request in other.log] == [None]

    # Refusals.

    def refuse(self, retry_after, *waits):
        """Refuses requests with both statuses, on two servers at the same time."""
        def check(status):
            site = self.small(4)
            site.server.add(None, "status", status=status, retry_after=retry_after, times=len(waits))
            ran = site.run("--connections", "1")
            site.check(ran)
            check_wait_is_reported(ran)
            check_waited(site.server.log, status, waits)

        check_all(check, [(429,), (503,)])

    def test_retry_after_in_seconds_is_respected(self):
        self.refuse("1", 1)

    def test_retry_after_as_a_date_is_respected(self):
        # Dates are whole seconds, so this one is one to two seconds ahead.
        self.refuse(lambda: email.utils.formatdate(time.time() + 2, usegmt=True), 1)

    def test_a_refusal_without_retry_after_is_waited_for(self):
        # That further waits double is tested with invented times (src/remote/pace.rs).
        self.refuse(None, 1)

    def test_all_requests_wait_after_one_was_refused(self):
        # Without the wait, the run takes half a second.
        site = self.small(32)
        site.server.add(None, "delay", seconds=0.06)
        site.fault(5, "status", status=429, retry_after="1", times=1)
        ran = site.run("--connections", "4")
        site.check(ran)
        check_wait_is_reported(ran)
        refused = next(request.at for request in site.server.log if request.status == 429)
        during = [request for request in site.server.log if refused <= request.at < refused + 1 - TOLERANCE_SECONDS]
        # The refused one, those that were under way, and one more on each of their connections: the client learns of the refusal later
        # than the server logs it.
        assert len(during) <= 7, during

    def test_other_servers_are_not_affected_by_a_refusal(self):
        site, other = self.small(2), self.small(14)
        other.server.add(None, "delay", seconds=0.05)
        # The first object of a run is requested alone.
        site.fault(1, "status", status=503, retry_after="2", times=1)
        ran = site.scan([*site.urls(), *other.urls()[2:]])
        site.check(ran, inputs=[*site.locals(), *other.locals()[2:]])
        start, end = ((before.at, after.at) for before, after in itertools.pairwise(site.server.log) if before.status == 503).__next__()
        assert any(start <= request.at < end for request in other.server.log)

    def refuse_after(self, archives, requests, connections):
        """Refuses requests with 403 after some of them, as Common Crawl does to clients that are too fast."""
        site = self.small(archives)
        site.server.add(None, "refuse_after", requests=requests, until_pause=0.7)
        site.server.add(None, "delay", seconds=0.03)
        # The pause has begun when this one is refused.
        site.fault(archives - 1, "delay", seconds=0.2)
        ran = site.run("--connections", connections)
        site.check(ran)
        check_wait_is_reported(ran)
        log = site.server.log
        # An object that was delivered before was requested again, and refused too.
        assert any(request.status == 403 and any(before.path == request.path and before.status == 200 for before in log[:number])
                   for number, request in enumerate(log)), log
        assert faults_of(site) == [] and max(after.at - before.at for before, after in itertools.pairwise(log)) + TOLERANCE_SECONDS >= 1

    def test_a_server_that_is_asked_too_fast_is_left_alone_until_it_answers_again(self):
        self.refuse_after(8, 5, "1")

    def test_objects_that_are_refused_at_the_same_time_are_not_missing(self):
        # An object is refused before a pause, and the object that was delivered before is delivered again after the pause. That does not mean
        # that the first one is missing.
        self.refuse_after(12, 9, "4")

    def test_an_object_that_is_missing_is_named_and_can_be_fetched_later_or_skipped(self):
        for status in 403, 404, 410:
            site = self.small(3)
            site.fault(1, "status", status=status)
            ran = site.run("--connections", "1")
            site.check_failed(ran, 3, "error: ", "/d/1.warc")
            assert "/d/0.warc" not in ran.stderr and "/d/2.warc" not in ran.stderr, ran.stderr
            if status == 403:
                refused = site.server.gets("/d/1.warc")[0].at
                assert any(request.at > refused for request in site.server.gets("/d/0.warc")), site.server.log
            skipped = site.run("--connections", "1", "--missing", "skip", "--overwrite")
            assert skipped.code == 1 and faults_of(site) == [("input_missing", "1.warc")], skipped.stderr
            # As if the local copy did not exist.
            data = site.locals()[1].read_bytes()
            site.locals()[1].unlink()
            site.check(skipped, "--missing", "skip")
            site.put_local(site.paths[1], data)
            site.server.faults.clear()
            site.check_run("--overwrite")

    def test_a_server_that_refuses_the_first_request_ends_the_run(self):
        # Credentials are missing or wrong, so nothing else would be answered differently.
        for status in 401, 403:
            for missing in "refuse", "skip":
                site = self.small(12)
                site.server.add(None, "status", status=status)
                site.check_failed(site.run("--missing", missing, "--connections", "2"), 3, "error: ", str(status), site.server.host)
                assert len(site.server.log) <= 4, site.server.log
        # A redirect is an answer, but not one of the server that refuses.
        site, other = self.small(12), self.small(12)
        site.server.add(None, "redirect", to=other.server.url, status=302)
        other.server.add(None, "status", status=403)
        site.check_failed(site.run("--missing", "skip", "--connections", "2"), 3, "403", "denied")
        assert len(other.server.log) <= 4

    def test_an_input_fails_when_the_patience_is_over_and_can_be_resumed(self):
        site, options = self.small(3), ("--connections", "1", "--part-inputs", "1")
        site.fault(2, "status", status=503)
        site.check_failed(site.run(*options, "--patience", "4s"), 3, "error: ", "/d/2.warc")
        site.server.faults.clear()
        site.server.log.clear()
        site.check(site.run(*options, "--resume"), "--part-inputs", "1")
        # The parts of the others were complete: one byte shows whether they have changed.
        assert {request.path for request in site.server.log if request.range != "bytes=0-0"} == {"/d/2.warc"}

    def test_a_wait_that_is_longer_than_the_patience_fails_the_input(self):
        site = self.small(2)
        site.fault(1, "status", status=429, retry_after="600", times=1)
        site.check_failed(site.run("--connections", "1", "--patience", "4s"), 3, "/d/1.warc")
        site.check_run("--resume")
        # The time does not fit into a clock.
        site = self.small(2)
        site.fault(1, "status", status=503, retry_after=str((1 << 64) - 1))
        site.check_failed(site.run("--connections", "1", "--patience", "4s"), 3, "/d/1.warc", "503")

    def test_patience_ends_while_another_object_is_asked_for(self):
        # To find out whether a refusal concerns all objects, the client asks again for one that was delivered. This request has to wait.
        site = self.small(3)
        site.fault(1, "status", status=403)
        site.fault(2, "status", status=429, retry_after="600")
        site.check_failed(site.run("--connections", "2", "--patience", "4s"), 3, "/d/2.warc")

    def test_a_refusal_concerns_one_object_if_the_other_one_is_gone(self):
        # The object that was delivered has been removed since.
        site = self.small(4)
        site.fault(0, "status", status=404, after_requests=1)
        site.fault(2, "status", status=403)
        site.check_failed(site.run("--connections", "1"), 3, "/d/2.warc")
        assert len(site.server.log) < 12, site.server.log

    def test_a_server_that_is_not_there_fails_the_input(self):
        site = self.small(1)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            host = f"127.0.0.1:{listener.getsockname()[1]}"
        site.check_failed(site.scan([f"http://{host}/d/x.warc"], "--patience", "4s"), 3, "error: ", host)

    # Secrets of URLs.

    def secret_site(self):
        site = self.small(3)
        site.server.add(None, "basic", user=USER, password=PASSWORD)
        return site, [f"http://{USER}:{PASSWORD}@{site.server.host}{path}?sig=Tok3n#fragm3nt" for path in site.paths]

    def check_no_secret(self, site, ran):
        """Checks that neither the output of a run nor any file in its dataset has a secret."""
        files = [path for path in site.out.rglob("*") if path.is_file()] if site.out.exists() else []
        tables = {path.relative_to(site.out).parts[0] for path in files if path.suffix == ".parquet"}
        texts = [ran.stdout, ran.stderr, *map(str, files), *(path.read_bytes().decode("latin-1") for path in files),
                 *(repr(query(site.out, table, "*")) for table in tables)]
        found = [secret for secret in SECRETS if any(secret in text for text in texts)]
        assert not found, f"{found}: {ran.stdout}{ran.stderr}"

    def test_a_dataset_has_no_secrets_of_its_urls(self):
        for more in (), ("--json",), ("--quiet",):
            site, urls = self.secret_site()
            ran = site.scan(urls, *more)
            site.check(ran)
            self.check_no_secret(site, ran)
            assert all(request.target == f"{request.path}?sig=Tok3n" and request.authorization == basic(USER, PASSWORD) for request in site.server.log)

    def test_messages_have_no_secrets_of_urls(self):
        for kind, values, code in (("status", {"status": 404}, 3), ("status", {"status": 403}, 3), ("status", {"status": 503}, 3),
                                   ("status", {"status": 429, "retry_after": "1", "times": 1}, 0),
                                   ("redirect", {"to": "/d/1.warc?sig=Tok3n", "status": 302}, 3)):
            site, urls = self.secret_site()
            site.fault(1, kind, **values)
            ran = site.scan(urls, "--patience", "1h" if code == 0 else "500ms")
            assert ran.code == code, ran.stderr
            self.check_no_secret(site, ran)
        site, urls = self.secret_site()
        site.fault(1, "status", status=404)
        ran = site.scan(urls, "--missing", "skip")
        assert ran.code == 1, ran.stderr
        self.check_no_secret(site, ran)
        ran = site.scan([url.replace("s3cret@", "s3cret2@") for url in urls], "--overwrite")
        site.check_failed(ran, 3, "401")
        self.check_no_secret(site, ran)

    def test_refused_inputs_are_named_without_secrets(self):
        site, urls = self.secret_site()
        for inputs, more in (urls, ("--dry-run",)), (urls, ("--dry-run", "--json")), (urls[:1] * 2, ()), (urls, ("--crawl", "")):
            self.check_no_secret(site, site.scan(inputs, *more))
            assert not site.server.log
        # Neither crawl nor subset is known.
        self.check_no_secret(site, run_to(2, self.program, "scan", urls[0], "-o", site.out))

    # One member of an archive: `check --base URL`.

    def checked_site(self, name):
        """A site with one archive, the dataset of its local copy, and the captures that have a text."""
        site = self.site({f"/mirror/{FOLDER}/{name}": sample(name)})
        assert site.scan_local(site.locals()).code == 0
        dataset = site.folder / "expected"
        rows = query(dataset, "robots_files", "url, warc_record_offset, warc_record_length", "WHERE is_robots_path AND n_lines > 3 ORDER BY _place")
        return site, dataset, [(url.removesuffix("/robots.txt"), *place) for url, *place in rows]

    def check_host(self, dataset, host, base, *more, code=0):
        ran = run_to(code, self.program, "check", dataset, "--host", host, "--base", base, "--json", *more)
        return ran, json.loads(ran.stdout)

    def test_only_the_bytes_of_the_member_are_requested(self):
        for name in "cc-robotstxt.warc.gz", "plain.warc":
            site, dataset, captures = self.checked_site(name)
            host, offset, length = next(capture for capture in captures if capture[1])
            for base in "/mirror", "/mirror/":
                site.server.log.clear()
                ran, found = self.check_host(dataset, host, site.server.url(base))
                assert (ran.stderr, found["text"]["source"], found["archive"]) == ("", "archive", site.urls()[0]), ran.stderr
                assert [request.range for request in site.server.gets(site.paths[0])] == [f"bytes={offset}-{offset + length - 1}"]
            _, local = self.check_host(dataset, host, site.local("/mirror"))
            assert local["text"] == found["text"]

    def test_an_archive_whose_members_cannot_be_read_alone_is_fetched_whole(self):
        for name in "whole-file.warc.gz", "frames-with-dictionary.warc.zst":
            site, dataset, _ = self.checked_site(name)
            (url,) = query(dataset, "robots_files", "url", "WHERE is_robots_path AND n_lines IS NOT NULL ORDER BY _place DESC LIMIT 1")[0]
            ran, found = self.check_host(dataset, url.removesuffix("/robots.txt"), site.server.url("/mirror"))
            assert (ran.stderr, found["text"]["source"]) == ("", "archive")
            assert [request.range for request in site.server.gets(site.paths[0])] == [None]

    def test_a_member_that_is_cut_continues_where_it_ended(self):
        site, dataset, captures = self.checked_site("cc-robotstxt.warc.gz")
        host, offset, length = next(capture for capture in captures if capture[1])
        site.fault(0, "short", after_bytes=100, times=1)
        ran, found = self.check_host(dataset, host, site.server.url("/mirror"))
        assert (ran.stderr, found["text"]["source"]) == ("", "archive")
        assert [request.range for request in site.server.gets(site.paths[0])] == [f"bytes={first}-{offset + length - 1}" for first in (offset, offset + 100)]

    def test_a_server_that_has_other_bytes_or_none_is_reported_and_the_rows_are_shown(self):
        site, dataset, captures = self.checked_site("cc-robotstxt.warc.gz")
        host = next(capture[0] for capture in captures if capture[1])
        base = f"http://me:secret@{site.server.host}/mirror"
        for kind, values, words in (("status", {"status": 404}, "404"), ("status", {"status": 403}, "is denied"), ("ignore_range", {}, "cannot read"),
                                    ("wrong_range", {}, "cannot read"), ("no_answer", {}, "cannot read"), ("stall", {"after_bytes": 0}, "cannot read"),
                                    ("change", {"to": sample("cc-robotstxt-later.warc.gz"), "after_requests": 0}, "its record")):
            site.server.faults.clear()
            site.fault(0, kind, **values)
            ran, found = self.check_host(dataset, host, base, "--patience", "4s", code=3)
            assert "warning: the text does not come from the archive 'crawl-data/C/" in ran.stderr and words in ran.stderr, f"{kind}: {ran.stderr}"
            assert found["text"]["source"] == "rows" and "secret" not in ran.stdout + ran.stderr, kind

    # Settings of S3. test_s3.py tests valid answers with moto.

    def s3(self, *words, **environment):
        folder = tempfile.mkdtemp(dir=self.folder)
        environment = {"HOME": folder, "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "key-of-tests",
                       "AWS_SECRET_ACCESS_KEY": "secret-of-tests", **environment}
        ran = run_to(3, self.program, "s3://bucket/x.warc", "--crawl", "C", "--subset", "s", "-o", f"{folder}/out", env=environment)
        assert all(word in ran.stderr for word in words) and "Tok3n" not in ran.stderr, ran.stderr

    def test_credentials_without_end_are_not_read_to_their_end(self):
        server, token = Server({"/credentials": b" " * (2 << 20)}), self.folder / "token"
        token.write_text("x", encoding="utf-8")
        ran = run("env", "-u", "AWS_ACCESS_KEY_ID", "-u", "AWS_SECRET_ACCESS_KEY", self.program, "s3://bucket/x.warc", "--crawl", "C", "--subset", "s",
                  "-o", self.folder / "endless", env={"HOME": str(self.folder), "AWS_REGION": "us-east-1",
                                                      "AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url("/credentials"),
                                                      "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(token)})
        assert ran.code == 3 and "more than 1048576 bytes" in ran.stderr and len(server.gets("/credentials")) == 1, ran.stderr

    def test_settings_of_s3_that_are_not_valid_are_errors(self):
        for name, value in (("AWS_REGION", "eu west"), ("AWS_REGION", ""), ("AWS_ENDPOINT_URL", "localhost:9000"), ("AWS_ENDPOINT_URL", ""),
                            ("AWS_ENDPOINT_URL", "http://h h"), ("AWS_ENDPOINT_URL_S3", "/x")):
            self.s3(f"{name} is '{value}'", **{name: value})
        for name, value in ("AWS_ACCESS_KEY_ID", "Tok3n\n"), ("AWS_SECRET_ACCESS_KEY", "Tok3n\n"), ("AWS_SESSION_TOKEN", "Tok3n\u00e9"):
            self.s3(f"{name} has", **{name: value})
        for name in "AWS_REQUEST_PAYER", "AWS_CONDITIONAL_PUT":
            self.s3("cannot be requested", **{name: "perhaps"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    for variable in "http_proxy", "https_proxy", "all_proxy":
        for name in variable, variable.upper():
            os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(KeyboardInterrupt):
        tests = Tests(args.program.resolve(), Path(folder))
        names = [name for name in dir(tests) if name.startswith("test_") and args.only in name]

        def check(name):
            began = time.monotonic()
            getattr(tests, name)()
            print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)

        check_all(check, [(name,) for name in names], threads=THREADS)
        print(f"{len(names)} passed")


if __name__ == "__main__":
    main()
