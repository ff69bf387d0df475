"""An HTTP/1.1 file server for tests, with scripted faults and a log of all requests.

It serves a dictionary from paths to bytes, or to functions that return bytes or an answer for a request, on 127.0.0.1. Faults that apply to a request are tried in the order in which they were added: the
first one that answers in place of the object decides, and all others change the transfer of the object. Kinds of faults with their values:

    in place of the object   status (status, retry_after: a text, or a function that returns one), redirect (to, status), basic (user, password),
                             refuse_after (requests, until_pause), no_answer, not_http
    of the connection        delay (seconds), stall, reset, short (after_bytes), drip (pause after each byte), chunked
    of the object            change (to, after_requests), zeros, header (name, value), no_header (name), wrong_length (extra), wrong_range, other_total,
                             fewer, part (bytes), ignore_range
"""

import base64
import contextlib
import hashlib
import http.server
import mimetypes
import re
import socket
import struct
import threading
import time
from types import SimpleNamespace

ALWAYS = 1 << 60
# The longest time to wait for requests.
PATIENCE_SECONDS = 20
CHUNK_BYTES = 1000


class Fault:
    """A scripted behaviour. `times` is the number of requests to which it applies."""

    def __init__(self, kind, times=ALWAYS, **values):
        self.kind, self.left, self.values = kind, times, SimpleNamespace(**values)
        # The number of requests, and the time of the last one.
        self.requests, self.last = 0, None


class Answer:
    """An answer and the way in which it is sent. Without a status, the body is sent alone."""

    def __init__(self, status, body=None, **fields):
        self.status, self.fields = status, {name.replace("_", "-"): value for name, value in fields.items()}
        self.object = self.body = f"{status}\n".encode() if body is None else body
        self.start, self.extra, self.sent, self.is_chunked, self.pause, self.end = 0, 0, None, False, None, "keep"

    def set_range(self, start, end):
        self.status, self.start, self.body = 206, start, self.object[start:end]
        self.fields["Content-Range"] = f"bytes {start}-{end - 1}/{len(self.object)}"

    def set_whole(self):
        self.status, self.start, self.body = 200, 0, self.object
        self.fields.pop("Content-Range", None)


class Request:
    """A request in the log. `waiting` is the number of requests that waited for their answers when it arrived, with itself; `text` is all that
    the server learns, and `bytes` the size of the answer.
    """

    def __init__(self, handler, waiting):
        self.at, self.method, self.target, self.waiting, self.status = time.monotonic(), handler.command, handler.path, waiting, None
        self.path = self.target.partition("?")[0]
        self.range, self.if_match, self.authorization = (handler.headers.get(name) for name in ("Range", "If-Match", "Authorization"))
        self.text = f"{handler.requestline}\n{handler.headers}"
        self.first_byte = int(re.match(r"bytes=(\d+)|", self.range or "")[1] or 0)

    def __repr__(self):
        return f"{self.method} {self.target} {self.range} {self.if_match}: {self.status}"


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def etag(data):
    return f'"{hashlib.sha1(data).hexdigest()}"'


def files_of(folder):
    """The objects of a server: all files of a folder."""
    return {f"/{path.relative_to(folder).as_posix()}": (lambda request, path=path: path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def setup(self):
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self):
        self.server.connections.discard(self.connection)
        with contextlib.suppress(OSError):
            super().finish()

    def do_GET(self):
        answer, delay = self.server.scripted.answer(self)
        time.sleep(delay)
        with self.server.scripted.lock:
            self.server.scripted.waiting -= 1
        try:
            self.send(answer)
        except OSError:
            self.close_connection = True

    do_HEAD = do_GET

    def send(self, answer):
        self.close_connection |= answer.end != "keep"
        if answer.status is None:
            self.wfile.write(answer.body)
            return
        length = ("Transfer-Encoding", "chunked") if answer.is_chunked else ("Content-Length", str(len(answer.body) + answer.extra))
        fields = [*answer.fields.items(), length, *([("Connection", "close")] if self.close_connection and answer.end == "keep" else [])]
        self.wfile.write(f"HTTP/1.1 {answer.status} Status\r\n".encode() + b"".join(f"{name}: {value}\r\n".encode() for name, value in fields) + b"\r\n")
        body = answer.body[:answer.sent] if self.command == "GET" else b""
        if answer.pause is not None:
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(answer.pause)
        elif answer.is_chunked:
            for start in range(0, len(body), CHUNK_BYTES):
                chunk = body[start:start + CHUNK_BYTES]
                self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            if answer.sent is None:
                self.wfile.write(b"0\r\n\r\n")
        else:
            self.wfile.write(body)
        if answer.end == "stall":
            while self.connection.recv(1 << 16):
                pass
        elif answer.end == "reset":
            # The client has time to read what was sent.
            time.sleep(0.05)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            socket.socket(fileno=self.connection.detach()).close()

    def log_message(self, *_):
        pass


class Server:
    """A running server. `script` chooses a fault for each request by its number and path, beside those that are added."""

    def __init__(self, objects=(), script=None):
        self.objects, self.script, self.etags, self.faults, self.log = dict(objects), script, "strong", [], []
        self.lock, self.waiting, self.port = threading.RLock(), 0, 0
        self.start()

    def start(self):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.http.daemon_threads, self.http.block_on_close, self.http.handle_error = True, False, lambda *_: None
        self.http.scripted, self.http.connections, self.port = self, set(), self.http.server_port
        self.host = f"127.0.0.1:{self.port}"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        """Closes the port and all connections."""
        self.http.shutdown()
        self.http.server_close()
        for connection in list(self.http.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def url(self, path=""):
        return f"http://{self.host}{path}"

    def add(self, path, kind, times=ALWAYS, **values):
        """Adds a fault to the script, for one path or for all."""
        self.faults.append((path, Fault(kind, times, **values)))

    def gets(self, path):
        return [request for request in self.log if request.method == "GET" and request.path == path]

    def wait_for(self, requests):
        end = time.monotonic() + PATIENCE_SECONDS
        while len(self.log) < requests:
            assert time.monotonic() < end, f"{len(self.log)} requests"
            time.sleep(0.005)

    def answer(self, handler):
        """Logs a request, and returns its answer and the time to wait before it."""
        with self.lock:
            self.waiting += 1
            request = Request(handler, self.waiting)
            faults = [fault for path, fault in self.faults if path in (None, request.path)]
            chosen = self.script(len(self.log), request.path) if self.script else None
            faults += [chosen] if chosen else []
            answer, delay = None, 0
            for fault in faults:
                fault.requests += 1
                if fault.kind == "delay":
                    delay += fault.values.seconds
                if fault.kind == "change" and fault.requests == fault.values.after_requests + 1:
                    self.objects[request.path] = fault.values.to
                if answer is None and fault.left:
                    answer = self.instead(fault, request)
                    fault.left -= answer is not None
                fault.last = request.at
            if answer is None:
                answer = self.object(request)
                if answer.status in (200, 206):
                    for fault in faults:
                        self.change(fault, answer, request)
            request.status, request.bytes = answer.status, len(answer.body)
            self.log.append(request)
            return answer, delay

    def instead(self, fault, request):
        """Returns the answer in place of the object, if there is one."""
        values = fault.values
        if fault.kind == "status" and fault.requests > getattr(values, "after_requests", 0):
            retry_after = getattr(values, "retry_after", None)
            retry_after = retry_after() if callable(retry_after) else retry_after
            return Answer(values.status, **({} if retry_after is None else {"Retry_After": retry_after}))
        if fault.kind == "refuse_after":
            if fault.requests > values.requests and request.at - fault.last >= values.until_pause:
                fault.requests = 1
            return Answer(403) if fault.requests > values.requests else None
        if fault.kind == "redirect":
            return Answer(values.status, Location=values.to(request.target) if callable(values.to) else values.to)
        if fault.kind == "basic" and request.authorization != basic(values.user, values.password):
            return Answer(401, WWW_Authenticate='Basic realm="x"')
        if fault.kind in ("no_answer", "not_http"):
            answer = Answer(None, b"" if fault.kind == "no_answer" else b"0\n")
            answer.end = "close"
            return answer
        return None

    def change(self, fault, answer, request):
        """Changes the transfer of an object."""
        kind, values = fault.kind, fault.values
        if kind == "header":
            answer.fields[values.name] = values.value
        if request.method != "GET" or not fault.left:
            return
        start, end, is_part = answer.start, answer.start + len(answer.body), answer.status == 206
        if kind in ("stall", "reset", "short"):
            answer.sent, answer.end = values.after_bytes, "close" if kind == "short" else kind
        elif kind == "wrong_length":
            answer.extra, answer.end = values.extra, "close"
        elif kind == "wrong_range" and is_part:
            first = int(start == 0)
            answer.set_range(first, min(first + end - start, len(answer.object)))
        elif kind == "other_total" and is_part:
            answer.fields["Content-Range"] += "000"
        elif kind == "fewer" and is_part:
            answer.set_range(start, max(start + 1, end - 10))
        elif kind == "part" and not is_part:
            answer.set_range(0, values.bytes)
        elif kind == "ignore_range" and is_part:
            answer.set_whole()
        elif kind == "zeros":
            answer.body, answer.fields["ETag"] = bytes(len(answer.body)), '"other"'
        elif kind == "no_header":
            answer.fields.pop(values.name, None)
        elif kind == "chunked":
            answer.is_chunked = True
        elif kind == "drip":
            answer.pause = values.pause
        else:
            return
        fault.left -= 1

    def object(self, request):
        """Returns the answer of a server without faults."""
        data = self.objects.get(request.path)
        data = data(request) if callable(data) else data
        if data is None or isinstance(data, Answer):
            return data or Answer(404)
        strong = etag(data) if self.etags == "strong" else None
        if request.if_match and not {"*", strong} & set(re.split(r"\s*,\s*", request.if_match)):
            return Answer(412)
        kind = mimetypes.guess_type(request.path)[0] or "application/octet-stream"
        answer = Answer(200, data, Accept_Ranges="bytes", Content_Type=kind)
        if self.etags != "none":
            answer.fields["ETag"] = strong or "W/" + etag(data)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", request.range or "") if request.method == "GET" else None
        if wanted:
            start, end = int(wanted[1]), min(int(wanted[2]) + 1 if wanted[2] else len(data), len(data))
            if start >= end:
                return Answer(416, Content_Range=f"bytes */{len(data)}")
            answer.set_range(start, end)
        return answer
