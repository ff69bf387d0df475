"""Tests reading from S3 and copying to it, with an S3 server on this machine.

Usage: test_s3.py PROGRAM
"""

import argparse
import contextlib
import http.server
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import boto3
import s3_server
import test_runner

SAMPLES = Path(__file__).parent.parent / "data-samples" / "warc"
NOT_COMPARED = {"_manifest.jsonl", "_SUCCESS", "_log.jsonl", "views.sql"}
OPTIONS = ["--crawl", "C", "--subset", "robotstxt", "--part-inputs", "40", "--rate", "none"]


class Proxy(threading.Thread):
    """Passes connections on to the S3 server. The first response that is longer than `cut_at` bytes is cut there. The
    first request whose first line contains `held` waits until `release` is set."""

    def __init__(self, port, cut_at=None, held=None):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.cut_at, self.requests, self.target = self.listener.getsockname()[1], cut_at, [], port
        self.held, self.is_held, self.release = held, threading.Event(), threading.Event()
        self.endpoint = f"http://127.0.0.1:{self.port}"

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
                threading.Thread(target=self.send, args=(client, server), daemon=True).start()
                threading.Thread(target=self.receive, args=(server, client), daemon=True).start()

    def send(self, client, server):
        with contextlib.suppress(OSError):
            while data := client.recv(1 << 16):
                request = data.decode("latin-1")
                self.requests.append(request)
                if self.held and self.held in request.split("\r\n")[0] and not self.is_held.is_set():
                    self.is_held.set()
                    self.release.wait(60)
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)

    def receive(self, server, client):
        count = 0
        with contextlib.suppress(OSError):
            while data := server.recv(1 << 14):
                count += len(data)
                client.sendall(data)
                if self.cut_at and count > self.cut_at:
                    self.cut_at = None
                    client.shutdown(socket.SHUT_RDWR)
                    return
            client.shutdown(socket.SHUT_WR)


class CredentialServer(http.server.BaseHTTPRequestHandler):
    """Gives credentials that expire soon, as the metadata service of a container does."""

    count = 0

    def do_GET(self):
        type(self).count += 1
        expiration = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60))
        body = json.dumps({"AccessKeyId": f"temporary-{self.count}", "SecretAccessKey": "temporary-secret",
                           "Token": "temporary-token", "Expiration": expiration}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Tests:
    def __init__(self, program, folder, endpoint):
        self.program, self.folder, self.endpoint = program, folder, endpoint
        self.environment = s3_server.environment(endpoint)
        keys = {"aws_access_key_id": s3_server.CREDENTIALS["AWS_ACCESS_KEY_ID"],
                "aws_secret_access_key": s3_server.CREDENTIALS["AWS_SECRET_ACCESS_KEY"], "region_name": "us-east-1"}
        self.s3 = boto3.client("s3", endpoint_url=endpoint, **keys)
        self.s3.create_bucket(Bucket="bucket")
        self.names = sorted(path.name for path in SAMPLES.glob("*.warc*"))
        for name in self.names:
            self.s3.upload_file(str(SAMPLES / name), "bucket", f"in/{name}")
            extra = {"ACL": "public-read"}
            self.s3.upload_file(str(SAMPLES / name), "bucket", f"public/{name}", ExtraArgs=extra)
        self.local = folder / "local"
        self.run("scan", *(SAMPLES / name for name in self.names), "-o", self.local, *OPTIONS, code=1)

    def run(self, *args, code=0, env=None):
        env = {**self.environment, **(env or {})}
        env = {name: value for name, value in env.items() if value is not None}
        ran = subprocess.run([self.program, *map(str, args)], capture_output=True, text=True, env=env, timeout=120)
        assert ran.returncode == code, f"exit code {ran.returncode}, not {code}: {ran.stdout}{ran.stderr}"
        for secret in "secret-of-tests", "temporary-secret", "temporary-token":
            assert secret not in ran.stdout + ran.stderr, "a secret was printed"
        return ran

    def keys(self, prefix):
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket="bucket", Prefix=prefix + "/")
        objects = (entry for page in pages for entry in page.get("Contents", []))
        return {entry["Key"].removeprefix(prefix + "/"): entry for entry in objects}

    def body(self, key):
        return self.s3.get_object(Bucket="bucket", Key=key)["Body"].read()

    def files(self, dataset):
        files = (path for path in dataset.rglob("*") if path.is_file() and path.name != "_log.jsonl")
        return {str(path.relative_to(dataset)): path.read_bytes() for path in files}

    def assert_copied(self, dataset, prefix):
        files = self.files(dataset)
        assert self.keys(prefix).keys() == files.keys(), self.keys(prefix).keys() ^ files.keys()
        for name, expected in files.items():
            if name.endswith("views.sql"):
                expected = expected.replace(str(dataset).encode(), f"s3://bucket/{prefix}".encode())
            assert self.body(f"{prefix}/{name}") == expected, name

    def assert_same_tables(self, a, b):
        a, b = ({name: bytes for name, bytes in self.files(dataset).items() if name not in NOT_COMPARED} for dataset in (a, b))
        assert a.keys() == b.keys(), a.keys() ^ b.keys()
        differing = [name for name in a if a[name] != b[name]]
        assert not differing, differing

    def container(self, server):
        """The environment of a container whose credentials come from this server."""
        (self.folder / "token").write_text("token-of-container")
        return {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None,
                "AWS_SHARED_CREDENTIALS_FILE": str(self.folder / "none"), "AWS_CONFIG_FILE": str(self.folder / "none"),
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://127.0.0.1:{server.server_port}/",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(self.folder / "token")}

    def scan(self, name, prefix, *options, code=1, env=None, names=None):
        urls = [f"s3://bucket/{prefix}/{name}" for name in names or self.names]
        self.run("scan", *urls, "-o", self.folder / name, *OPTIONS, *options, code=code, env=env)
        return self.folder / name

    def test_a_copy_has_the_files_of_the_dataset_and_is_repeated_without_harm(self):
        self.run("copy", self.local, "s3://bucket/copy")
        self.assert_copied(self.local, "copy")
        summary = json.loads(self.run("copy", self.local, "s3://bucket/copy/", "--json").stdout)
        assert summary["found_files"] == summary["files"] == len(self.keys("copy")), summary

    def test_another_dataset_or_object_at_the_destination_is_refused(self):
        other = self.folder / "other"
        self.run("scan", SAMPLES / "plain.warc", "-o", other)
        self.run("copy", other, "s3://bucket/other")
        ran = self.run("copy", self.local, "s3://bucket/other", code=2)
        assert "has another dataset" in ran.stderr, ran.stderr
        self.assert_copied(other, "other")
        self.s3.put_object(Bucket="bucket", Key="taken/mine.txt", Body=b"mine")
        ran = self.run("copy", self.local, "s3://bucket/taken", code=2)
        assert "mine.txt" in ran.stderr and self.keys("taken").keys() == {"mine.txt"}, ran.stderr
        self.s3.put_object(Bucket="bucket", Key="other/mine.txt", Body=b"mine")
        self.run("copy", other, "s3://bucket/other", code=2)

    def copy_of_local(self, name):
        shutil.copytree(self.local, self.folder / name)
        self.run("views", self.folder / name)
        return self.folder / name

    def test_a_damaged_part_is_never_visible(self):
        damaged = self.copy_of_local("damaged")
        part = next(damaged.glob("rules/*/*/*.parquet"))
        sound = part.read_bytes()
        part.write_bytes(sound[:100] + b"XXXX" + sound[104:])
        ran = self.run("copy", damaged, "s3://bucket/damaged", code=3)
        name = str(part.relative_to(damaged))
        assert name in ran.stderr and "damaged or changed" in ran.stderr and "hint: restore it" in ran.stderr, ran.stderr
        keys = self.keys("damaged")
        assert "_manifest.jsonl" in keys and name not in keys and "_SUCCESS" not in keys and "views.sql" not in keys, keys
        part.write_bytes(sound)
        self.run("copy", damaged, "s3://bucket/damaged")
        self.assert_copied(damaged, "damaged")

    def test_a_dataset_that_verify_rejects_is_refused_before_anything_is_written(self):
        defects = {
            "cut": (lambda root: os.truncate(next(root.glob("rules/*/*/*.parquet")), 500), "has 500 bytes"),
            "gone": (lambda root: next(root.glob("hosts/*/*.parquet")).unlink(), "is missing"),
            "no-part": (lambda root: drop_part(root / "_manifest.jsonl"), "parts are missing"),
            "no-file": (lambda root: drop_lines(root / "_manifest.jsonl", '"resolved":'), "the hosts of C are missing"),
        }
        for name, (damage, words) in defects.items():
            dataset = self.copy_of_local(f"rejected-{name}")
            damage(dataset)
            ran = self.run("copy", dataset, f"s3://bucket/rejected-{name}", code=2)
            assert words in ran.stderr and not self.keys(f"rejected-{name}"), ran.stderr

    def test_an_object_counts_as_copied_only_with_its_digest(self):
        self.run("copy", self.local, "s3://bucket/digests")
        changed = [name for name in self.keys("digests") if name.endswith(".parquet")][3:6]
        for name in changed:
            body = self.body(f"digests/{name}")
            self.s3.put_object(Bucket="bucket", Key=f"digests/{name}", Body=body[:100] + b"XXXX" + body[104:])
        # These bytes are right, but nothing says so.
        self.s3.put_object(Bucket="bucket", Key="digests/views.sql", Body=self.body("digests/views.sql"))
        summary = json.loads(self.run("copy", self.local, "s3://bucket/digests", "--json").stdout)
        assert summary["files"] - summary["found_files"] == len(changed) + 1, summary
        self.assert_copied(self.local, "digests")

    def test_of_two_copies_to_one_prefix_at_the_same_time_one_is_refused(self):
        other, joined = self.folder / "concurrent", self.folder / "concurrent-joined"
        self.run("scan", SAMPLES / "plain.warc", "-o", other)
        shutil.copytree(other, joined / "only")
        self.run("views", joined / "only")
        self.run("join", joined)
        for second, words in (other, "has another dataset"), (joined, "has other objects"), (self.local, None):
            prefix = f"concurrent-{second.name}"
            proxy = Proxy(int(self.endpoint.rsplit(":", 1)[1]), held="/_manifest.jsonl")
            proxy.start()
            command = [self.program, "copy", self.local, f"s3://bucket/{prefix}"]
            env = {**self.environment, "AWS_ENDPOINT_URL": proxy.endpoint}
            first = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            # It has found that the destination is empty, and is about to write its manifest.
            assert proxy.is_held.wait(60)
            self.run("copy", second, f"s3://bucket/{prefix}")
            proxy.release.set()
            _, stderr = first.communicate(timeout=60)
            if words:
                assert first.returncode == 2 and words in stderr, stderr
                self.s3.delete_object(Bucket="bucket", Key=f"{prefix}/_manifest.jsonl") if second == joined else None
            else:
                assert first.returncode == 0, stderr
            self.assert_copied(second, prefix)

    def test_an_object_that_is_removed_during_a_copy_leaves_it_incomplete(self):
        proxy = Proxy(int(self.endpoint.rsplit(":", 1)[1]), held="/views.sql")
        proxy.start()
        env = {**self.environment, "AWS_ENDPOINT_URL": proxy.endpoint}
        command = [self.program, "copy", self.local, "s3://bucket/removed"]
        copy = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert proxy.is_held.wait(60)
        name = next(name for name in self.keys("removed") if name.endswith(".parquet"))
        self.s3.delete_object(Bucket="bucket", Key=f"removed/{name}")
        proxy.release.set()
        _, stderr = copy.communicate(timeout=60)
        assert copy.returncode == 3 and name in stderr and "the copy is not complete" in stderr, stderr
        assert "_SUCCESS" not in self.keys("removed")
        self.run("copy", self.local, "s3://bucket/removed")
        self.assert_copied(self.local, "removed")

    def test_a_key_that_is_not_a_path_is_refused_at_once(self):
        self.s3.put_object(Bucket="bucket", Key="odd//mine.txt", Body=b"mine")
        ran = self.run("copy", self.local, "s3://bucket/odd", "--patience", "20s", code=2)
        assert "has other objects, such as 'odd//mine.txt'" in ran.stderr, ran.stderr

    def test_a_dataset_that_is_not_finished_is_refused(self):
        unfinished = self.folder / "unfinished"
        shutil.copytree(self.local, unfinished)
        (unfinished / "_SUCCESS").unlink()
        ran = self.run("copy", unfinished, "s3://bucket/unfinished", code=2)
        assert "not finished" in ran.stderr and not self.keys("unfinished"), ran.stderr
        for destination in "https://127.0.0.1/x", "copy", "s3://bucket":
            assert "not a prefix of S3" in self.run("copy", self.local, destination, code=2).stderr

    def test_shards_and_a_joined_folder_are_copied(self):
        joined = self.folder / "joined"
        for shard in 1, 2:
            inputs = [SAMPLES / name for name in self.names]
            self.run("scan", *inputs, "-o", joined / f"shard-{shard}", "--shard", f"{shard}/2", *OPTIONS, code=1)
        self.run("copy", joined / "shard-1", "s3://bucket/shards/1")
        self.assert_copied(joined / "shard-1", "shards/1")
        self.run("join", joined)
        self.run("copy", joined, "s3://bucket/joined")
        self.assert_copied(joined, "joined")
        for part in next(joined.glob("_joined/hosts/*/*.parquet")), next(joined.glob("shard-2/rules/*/*/*.parquet")):
            sound = part.read_bytes()
            part.write_bytes(sound[:100] + b"XXXX" + sound[104:])
            prefix = f"joined-{part.parts[-4]}"
            ran = self.run("copy", joined, f"s3://bucket/{prefix}", code=3)
            assert str(part) in ran.stderr and "_SUCCESS" not in self.keys(prefix), ran.stderr
            part.write_bytes(sound)
            self.run("copy", joined, f"s3://bucket/{prefix}")
            self.assert_copied(joined, prefix)

    def test_a_copy_that_is_killed_is_completed_by_a_second_one(self):
        seconds = random.Random(15)
        # A rate of 30 makes the copy take about a second.
        began = time.monotonic()
        self.run("copy", self.local, "s3://bucket/whole", "--rate", "30")
        duration = time.monotonic() - began
        for moment in range(10):
            prefix = f"killed-{moment}"
            command = [self.program, "copy", self.local, f"s3://bucket/{prefix}", "--rate", "30", "-q"]
            process = subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL)
            time.sleep(duration * (moment + seconds.random()) / 11)
            process.send_signal(signal.SIGINT if moment % 2 else signal.SIGKILL)
            code = process.wait()
            keys = self.keys(prefix)
            is_complete = code == 0 and len(keys) == len(self.keys("whole"))
            assert is_complete or "_SUCCESS" not in keys, f"moment {moment}: {code}, {sorted(keys)}"
            self.run("copy", self.local, f"s3://bucket/{prefix}")
            self.assert_copied(self.local, prefix)

    def test_large_files_are_written_in_parts_that_are_dropped_if_they_are_not_completed(self):
        archive, dataset = self.folder / "large.warc", self.folder / "large"
        write_large(archive, 80)
        self.run("scan", archive, "-o", dataset, "--with-bodies", "--tables", "robots_files", *OPTIONS)
        large = max(dataset.rglob("*.parquet"), key=os.path.getsize)
        assert large.stat().st_size > 64 << 20
        self.run("copy", dataset, "s3://bucket/large")
        self.assert_copied(dataset, "large")
        etags = [entry["ETag"] for entry in self.keys("large").values() if entry["Size"] > 64 << 20]
        assert etags and all("-" in etag for etag in etags), etags
        command = [self.program, "copy", dataset, "s3://bucket/large-2", "--rate", "4", "-q"]
        process = subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL)
        for _ in range(600):
            if self.s3.list_multipart_uploads(Bucket="bucket").get("Uploads"):
                break
            time.sleep(0.02)
        else:
            raise AssertionError("no part was written")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 3
        assert not self.s3.list_multipart_uploads(Bucket="bucket").get("Uploads"), "the parts were left"
        assert "_SUCCESS" not in self.keys("large-2")
        self.run("copy", dataset, "s3://bucket/large-2")
        self.assert_copied(dataset, "large-2")
        self.kill_in_parts(dataset, large)
        sound = large.read_bytes()
        large.write_bytes(sound[:70_000_000] + b"XXXX" + sound[70_000_004:])
        ran = self.run("copy", dataset, "s3://bucket/large-4", code=3)
        assert str(large.name) in ran.stderr and "damaged or changed" in ran.stderr, ran.stderr
        keys = self.keys("large-4")
        assert not any(name.endswith(large.name) for name in keys if "robots_files" in name), keys
        uploads = self.s3.list_multipart_uploads(Bucket="bucket").get("Uploads", [])
        assert all(upload["Key"].startswith("large-3/") for upload in uploads), uploads

    def kill_in_parts(self, dataset, large):
        """Kills a copy while it writes a large file in parts. They stay until a rule of the bucket removes them."""
        command = [self.program, "copy", dataset, "s3://bucket/large-3", "--rate", "4", "-q"]
        process = subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL)
        for _ in range(600):
            uploads = self.s3.list_multipart_uploads(Bucket="bucket").get("Uploads", [])
            parts = [self.s3.list_parts(Bucket="bucket", Key=one["Key"], UploadId=one["UploadId"]) for one in uploads]
            if any(part.get("Parts") for part in parts):
                break
            time.sleep(0.02)
        else:
            raise AssertionError("no part was written")
        process.kill()
        process.wait()
        keys = self.keys("large-3")
        assert str(large.relative_to(dataset)) not in keys and "_SUCCESS" not in keys, keys
        self.run("copy", dataset, "s3://bucket/large-3")
        self.assert_copied(dataset, "large-3")
        # The parts of the first upload are still there, and are no object.
        assert len(self.s3.list_multipart_uploads(Bucket="bucket").get("Uploads", [])) == 1

    def test_archives_in_a_bucket_give_the_bytes_of_local_files(self):
        self.assert_same_tables(self.scan("signed", "in"), self.local)
        self.assert_same_tables(self.scan("anonymous", "public", "--no-sign-request"), self.local)
        no_keys = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
        self.assert_same_tables(self.scan("no-keys", "public", "--no-sign-request", env=no_keys), self.local)

    def test_a_wrong_signature_is_denied_and_the_key_is_not_printed(self):
        name = "per-record-1.1.warc.gz"
        with s3_server.running(unchecked=5) as endpoint:
            options = {"endpoint_url": endpoint, "region_name": "us-east-1"}
            unchecked = {**options, "aws_access_key_id": "any", "aws_secret_access_key": "any"}
            iam = boto3.client("iam", **unchecked)
            iam.create_user(UserName="tests")
            everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
            iam.put_user_policy(UserName="tests", PolicyName="everything", PolicyDocument=json.dumps(everything))
            key = iam.create_access_key(UserName="tests")["AccessKey"]
            s3 = boto3.client("s3", **unchecked)
            s3.create_bucket(Bucket="bucket")
            s3.put_object(Bucket="bucket", Key=f"in/{name}", Body=(SAMPLES / name).read_bytes())
            right = {"AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}
            wrong = {**right, "AWS_SECRET_ACCESS_KEY": "another-secret-of-tests"}

            signed = self.scan("checked", "in", names=[name], code=0, env=right)
            local = self.folder / "checked-local"
            self.run("scan", SAMPLES / name, "-o", local, *OPTIONS)
            self.assert_same_tables(signed, local)
            ran = self.run("scan", f"s3://bucket/in/{name}", "-o", self.folder / "wrong", *OPTIONS, "--missing", "skip", code=3, env=wrong)
            assert "denied" in ran.stderr and "SignatureDoesNotMatch" in ran.stderr, ran.stderr

            check = ["check", local, "--host", "one.example", "--base", "s3://bucket/in"]
            ran = self.run(*check, env=right)
            assert "text        from the archive s3://bucket/in/" in ran.stdout and not ran.stderr, ran
            assert "fetch       aws s3api get-object --bucket bucket --key in/" in ran.stdout, ran.stdout
            ran = self.run(*check, code=3, env=wrong)
            assert "text        rebuilt from rows" in ran.stdout and "is denied" in ran.stderr, ran

            self.run("copy", local, "s3://bucket/checked", env=right)
            checked = boto3.client("s3", **options, aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"])
            assert checked.get_object(Bucket="bucket", Key="checked/_SUCCESS")["ResponseMetadata"]["HTTPStatusCode"] == 200
            ran = self.run("copy", local, "s3://bucket/wrong", code=3, env=wrong)
            assert "SignatureDoesNotMatch" in ran.stderr, ran.stderr

    def test_a_first_answer_that_denies_access_ends_the_run_with_a_hint(self):
        urls = [f"s3://bucket/in/{name}" for name in self.names]
        ran = self.run("scan", *urls, "-o", self.folder / "denied", *OPTIONS, "--no-sign-request", code=3)
        assert "access" in ran.stderr and "https://data.commoncrawl.org/" in ran.stderr, ran.stderr

    def test_missing_objects_are_named_or_skipped(self):
        names = [self.names[0], "missing.warc.gz", self.names[1]]
        urls = [f"s3://bucket/in/{name}" for name in names]
        ran = self.run("scan", *urls, "-o", self.folder / "refused", *OPTIONS, code=3)
        assert "s3://bucket/in/missing.warc.gz" in ran.stderr, ran.stderr
        skipped = self.scan("skipped", "in", "--missing", "skip", names=names)
        local = self.folder / "skipped-local"
        self.run("scan", *(SAMPLES / name for name in names), "-o", local, *OPTIONS, "--missing", "skip", code=1)
        self.assert_same_tables(skipped, local)

    def test_a_response_that_is_cut_continues_by_a_range(self):
        port = int(self.endpoint.rsplit(":", 1)[1])
        proxy = Proxy(port, cut_at=60_000)
        proxy.start()
        env = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}"}
        name = "cc-robotstxt.warc.gz"
        out = self.scan("cut", "in", names=[name], env=env, code=0)
        local = self.folder / "cut-local"
        self.run("scan", SAMPLES / name, "-o", local, *OPTIONS)
        self.assert_same_tables(out, local)
        ranges = [request for request in proxy.requests if "\r\nrange: bytes=" in request.lower()]
        assert proxy.cut_at is None and len(ranges) == 1 and "if-match" in ranges[0].lower(), proxy.requests

    def test_a_copy_that_waits_ends_when_it_is_stopped_or_patience_is_over(self):
        with busy_server() as endpoint:
            env = {**self.environment, "AWS_ENDPOINT_URL": endpoint}
            command = [self.program, "copy", self.local, "s3://bucket/busy", "-q"]
            process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
            assert "all requests wait" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 3
            process.stderr.close()
            began = time.monotonic()
            ran = self.run("copy", self.local, "s3://bucket/busy", "--patience", "1s", code=3, env={"AWS_ENDPOINT_URL": endpoint})
            assert "tried for too long" in ran.stderr and time.monotonic() - began < 60, ran.stderr

    def test_a_machine_without_credentials_ends_the_run_with_the_reason(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        server.RequestHandlerClass.log_message = lambda *_: None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = self.container(server)
        options = [*OPTIONS, "--missing", "skip"]
        ran = self.run("scan", "s3://bucket/in/x", "-o", self.folder / "no-role", *options, env=env, code=3)
        server.shutdown()
        assert "there are no credentials" in ran.stderr, ran.stderr

    def test_a_profile_is_refused_with_the_command_that_exports_it(self):
        env = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None, "AWS_PROFILE": "tests"}
        ran = self.run("scan", "s3://bucket/in/x", "-o", self.folder / "no-profile", *OPTIONS, env=env, code=3)
        assert "the profile 'tests' is not read" in ran.stderr, ran.stderr

    def test_credentials_that_expire_are_requested_again(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), CredentialServer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = self.container(server)
        # At this rate the run takes a second, and credentials are requested at most ten times a second.
        urls = [f"s3://bucket/in/{name}" for name in self.names]
        self.run("scan", *urls, "-o", self.folder / "container", *OPTIONS[:-1], "60", code=1, env=env)
        self.assert_same_tables(self.folder / "container", self.local)
        server.shutdown()
        assert CredentialServer.count > 1, CredentialServer.count
        for path in (self.folder / "container").rglob("*"):
            assert path.is_dir() or b"temporary-" not in path.read_bytes(), path


@contextlib.contextmanager
def busy_server():
    """A server that always asks to come back in ten minutes."""

    class Busy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(503)
            self.send_header("Retry-After", "600")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def drop_part(path):
    """Removes the last part from a manifest, with the files that have it."""
    drop_lines(path, '"part":')
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"parts":' not in line))


def drop_lines(path, word):
    """Removes the last line of a file that contains a word."""
    lines = path.read_text().splitlines(keepends=True)
    del lines[max(i for i, line in enumerate(lines) if word in line)]
    path.write_text("".join(lines))


def write_large(path, bodies):
    """Writes an archive of robots.txt files of 1 MB each that cannot be compressed."""
    with path.open("wb") as file:
        for number in range(bodies):
            body = random.Random(number).randbytes(1_000_000)
            block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body
            head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://h{number}.test/robots.txt\r\n"
                    f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{number:036}>\r\n"
                    f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n")
            file.write(head.encode() + block + b"\r\n\r\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    program = parser.parse_args().program.resolve()
    with tempfile.TemporaryDirectory() as folder, s3_server.running() as endpoint:
        sys.exit(test_runner.run(Tests(program, Path(folder), endpoint)) > 0)


if __name__ == "__main__":
    main()
