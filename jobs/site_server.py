"""A web server for the tests of the site: it answers ranges, and counts requests and bytes."""

import http.server
import re
import threading
from dataclasses import dataclass
from pathlib import Path

RANGE = re.compile(r"bytes=(\d+)-(\d+)")


@dataclass(frozen=True)
class Request:
    """A request and its answer. `line` and `headers` are all that the server learns."""

    line: str
    headers: str
    status: int
    bytes: int


class Server:
    """Serves a folder on this machine. Without `ranges`, it sends whole files, as some servers do; `broken` is a part of paths that it refuses."""

    def __init__(self, folder):
        self.folder, self.ranges, self.broken, self.requests = Path(folder), True, None, []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                server.answer(self)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}/"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def answer(self, handler):
        path = self.folder / (handler.path.lstrip("/") or "index.html")
        status, body = 404, b""
        if path.resolve().is_relative_to(self.folder.resolve()) and path.is_file() and not (self.broken and self.broken in handler.path):
            status, body = 200, path.read_bytes()
        found = RANGE.fullmatch(handler.headers.get("Range", "")) if status == 200 and self.ranges else None
        if found:
            status, body = 206, body[int(found[1]):int(found[2]) + 1]
        handler.send_response(status)
        types = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json"}
        handler.send_header("Content-Type", types.get(path.suffix, "application/octet-stream"))
        handler.send_header("Content-Length", str(len(body)))
        handler.send_header("Cache-Control", "no-store")
        handler.end_headers()
        handler.wfile.write(body)
        self.requests.append(Request(handler.requestline, str(handler.headers), status, len(body)))

    def close(self):
        self.http.shutdown()
        self.http.server_close()
