"""Tests reading from S3, with an S3 server on this machine.

Usage: test_s3.py PROGRAM
"""

import argparse
import contextlib
import json
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
from scripted_server import Server
from source_runs import SAMPLES, assert_same_bytes

OPTIONS = ["--crawl", "C", "--subset", "robotstxt", "--part-inputs", "40", "--rate", "none"]


class Proxy(threading.Thread):
    """Passes connections on to the S3 server. The first response that is longer than `cut_at` bytes is cut there."""

    def __init__(self, port, cut_at=None):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.cut_at, self.requests, self.target = self.listener.getsockname()[1], cut_at, [], port
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
                self.requests.append(data.decode("latin-1"))
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


def credentials(number):
    """Credentials that expire soon, as the metadata service of a container gives them."""
    expiration = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60))
    return json.dumps({"AccessKeyId": f"temporary-{number}", "SecretAccessKey": "temporary-secret", "Token": "temporary-token", "Expiration": expiration}).encode()


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

    def container(self, server):
        """The environment of a container whose credentials come from this server."""
        (self.folder / "token").write_text("token-of-container")
        return {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None,
                "AWS_SHARED_CREDENTIALS_FILE": str(self.folder / "none"), "AWS_CONFIG_FILE": str(self.folder / "none"),
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url("/"),
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(self.folder / "token")}

    def scan(self, name, prefix, *options, code=1, env=None, names=None):
        urls = [f"s3://bucket/{prefix}/{name}" for name in names or self.names]
        self.run("scan", *urls, "-o", self.folder / name, *OPTIONS, *options, code=code, env=env)
        return self.folder / name

    def test_archives_in_a_bucket_give_the_bytes_of_local_files(self):
        assert_same_bytes(self.scan("signed", "in"), self.local)
        assert_same_bytes(self.scan("anonymous", "public", "--no-sign-request"), self.local)
        no_keys = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
        assert_same_bytes(self.scan("no-keys", "public", "--no-sign-request", env=no_keys), self.local)

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
            assert_same_bytes(signed, local)
            ran = self.run("scan", f"s3://bucket/in/{name}", "-o", self.folder / "wrong", *OPTIONS, "--missing", "skip", code=3, env=wrong)
            assert "denied" in ran.stderr and "SignatureDoesNotMatch" in ran.stderr, ran.stderr

            check = ["check", local, "--host", "one.example", "--base", "s3://bucket/in"]
            ran = self.run(*check, env=right)
            assert "text        from the archive s3://bucket/in/" in ran.stdout and not ran.stderr, ran
            assert "fetch       warcio extract s3://bucket/in/" in ran.stdout, ran.stdout
            ran = self.run(*check, code=3, env=wrong)
            assert "text        rebuilt from rows" in ran.stdout and "is denied" in ran.stderr, ran

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
        assert_same_bytes(skipped, local)

    def test_a_response_that_is_cut_continues_by_a_range(self):
        port = int(self.endpoint.rsplit(":", 1)[1])
        proxy = Proxy(port, cut_at=60_000)
        proxy.start()
        env = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}"}
        name = "cc-robotstxt.warc.gz"
        out = self.scan("cut", "in", names=[name], env=env, code=0)
        local = self.folder / "cut-local"
        self.run("scan", SAMPLES / name, "-o", local, *OPTIONS)
        assert_same_bytes(out, local)
        ranges = [request for request in proxy.requests if "\r\nrange: bytes=" in request.lower()]
        assert proxy.cut_at is None and len(ranges) == 1 and "if-match" in ranges[0].lower(), proxy.requests

    def test_a_machine_without_credentials_ends_the_run_with_the_reason(self):
        server = Server()
        server.add(None, "status", status=501)
        env = self.container(server)
        options = [*OPTIONS, "--missing", "skip"]
        ran = self.run("scan", "s3://bucket/in/x", "-o", self.folder / "no-role", *options, env=env, code=3)
        assert "there are no credentials" in ran.stderr, ran.stderr

    def test_a_profile_is_refused_with_the_command_that_exports_it(self):
        env = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None, "AWS_PROFILE": "tests"}
        ran = self.run("scan", "s3://bucket/in/x", "-o", self.folder / "no-profile", *OPTIONS, env=env, code=3)
        assert "the profile 'tests' is not read" in ran.stderr, ran.stderr

    def test_credentials_that_expire_are_requested_again(self):
        server = Server()
        server.objects["/"] = lambda request: credentials(len(server.log))
        env = self.container(server)
        # At this rate the run takes a second, and credentials are requested at most ten times a second.
        urls = [f"s3://bucket/in/{name}" for name in self.names]
        self.run("scan", *urls, "-o", self.folder / "container", *OPTIONS[:-1], "60", code=1, env=env)
        assert_same_bytes(self.folder / "container", self.local)
        assert len(server.log) > 1, server.log
        for path in (self.folder / "container").rglob("*"):
            assert path.is_dir() or b"temporary-" not in path.read_bytes(), path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    program = parser.parse_args().program.resolve()
    with tempfile.TemporaryDirectory() as folder, s3_server.running() as endpoint:
        sys.exit(test_runner.run(Tests(program, Path(folder), endpoint)) > 0)


if __name__ == "__main__":
    main()
