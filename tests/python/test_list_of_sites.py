"""Types the recipe from a list of sites to a figure (docs/recipes.md), against servers on this machine.

    python tests/python/test_list_of_sites.py target/release/robots-scan

The sites are answered by one proxy: with rules, redirects, refusals, a reset, and silence until the timeout.
"""

import csv
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import duckdb
from test_runner import run

ROOT = Path(__file__).resolve().parents[2]
SECTION = re.compile(r"## From a list of sites to a figure\n.*?```sh\n(.*?)```.*?```sh\n(.*?)```", re.DOTALL)

# The status, the body and the redirect of each site. A site without a status closes the connection, and `silent` keeps it open.
SITES = {
    "names.example": (200, "User-agent: GPTBot\nDisallow: /\n", None),
    "all.example": (200, "User-agent: *\nDisallow: /\n", None),
    "open.example": (200, "User-agent: *\nDisallow:\n", None),
    "part.example": (200, "User-agent: *\nDisallow: /private\n", None),
    "moved.example": (301, "", "http://www.moved.example/robots.txt"),
    "refuses.example": (403, "no", None),
    "pay.example": (402, "", None),
    "down.example": (503, "", None),
    "none.example": (404, "", None),
    "reset.example": (None, "", None),
    "silent.example": (None, "", None),
}
TARGETS = {"www.moved.example": (200, "User-agent: GPTBot\nDisallow: /\n", None)}
REASONS = {"own_name": 2, "wildcard": 1, "refused": 1, "payment": 1, "origin_down": 1, "no_block": 3, "undecided": 2}


class Proxy(http.server.BaseHTTPRequestHandler):
    """Answers the requests for all sites."""

    protocol_version = "HTTP/1.1"
    is_ended = threading.Event()

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = self.path.split("/")[2]
        status, body, location = {**SITES, **TARGETS}[name]
        if name == "silent.example":
            self.is_ended.wait(60)
        if status is None:
            self.close_connection = True
            return
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())


class Tests:
    """The tests."""

    def __init__(self, program, folder):
        self.folder = folder
        self.archive_lines, self.table_lines = (text.splitlines() for text in SECTION.search((ROOT / "docs/recipes.md").read_text(encoding="utf-8")).groups())
        (folder / "bin").mkdir()
        # `report` comes with the Python package, whose command is beside the interpreter.
        (folder / "bin/robots-scan").symlink_to(program)
        self.path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def type(self, lines, dataset):
        """Types the lines, and compares the answers of the question. An error of Wget is expected, since some sites fail."""
        proxy = f"http://127.0.0.1:{self.server.server_port}"
        for line in lines:
            command = re.sub("^robots-scan report", f"{Path(sys.executable).parent}/robots-scan report", line)
            ran = subprocess.run(command, shell=True, cwd=self.folder, env={**os.environ, "PATH": self.path, "http_proxy": proxy}, capture_output=True, text=True, check=False)
            assert ran.returncode in ((4, 8) if line.startswith("wget") else (0,)), f"{line}: {ran.returncode} {ran.stderr}"
        assert (self.folder / f"{dataset}.html").stat().st_size > 10_000
        connection = duckdb.connect()
        connection.execute((self.folder / dataset / "views.sql").read_text(encoding="utf-8"))
        rows = connection.execute("SELECT reason, hosts, of_hosts FROM blocking_by_reason(agent := 'GPTBot')").fetchall()
        assert {reason: hosts for reason, hosts, _ in rows} == REASONS, rows
        assert {of_hosts for _, _, of_hosts in rows} == {len(SITES)}, rows

    def test_a_list_of_domains(self):
        assert len(self.archive_lines) == 8, self.archive_lines
        if not shutil.which("wget"):
            print("skipped: GNU Wget is not installed")
            return
        (self.folder / "domains.csv").write_text("".join(f"{name}\n" for name in SITES), encoding="utf-8")
        self.type(self.archive_lines, "sites")

    def test_a_table_of_another_program(self):
        with (self.folder / "fetched.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["domain", "status", "body", "error"])
            for name, (status, body, location) in SITES.items():
                # Other programs store what they got in the end.
                status, body, _ = TARGETS["www.moved.example"] if location else (status, body, None)
                writer.writerow([name, status or 0, body, "timeout" if status is None else ""])
        self.type(self.table_lines, "table")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as root:
        tests = Tests(Path(sys.argv[1]).resolve(), Path(root))
        failed = run(tests)
        Proxy.is_ended.set()
        tests.server.shutdown()
        sys.exit(1 if failed else 0)
