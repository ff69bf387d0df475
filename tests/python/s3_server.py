"""An S3 server on this machine, for tests: moto.

Usage: s3_server.py COMMAND...

Runs COMMAND with `--s3 ENDPOINT` added, while the server runs.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time

# Unless it is told to, moto checks no signature, but it refuses what is not signed unless its access list allows it.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "key-of-tests",
    "AWS_SECRET_ACCESS_KEY": "secret-of-tests",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def running(unchecked=None):
    """Starts the server, and gives its address. After this number of requests it checks signatures."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    checks = {} if unchecked is None else {"INITIAL_NO_AUTH_ACTION_COUNT": str(unchecked)}
    process = subprocess.Popen(command, env={**os.environ, **checks}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # While five rows of steps run, it takes up to half a minute.
        for _ in range(2400):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        else:
            raise SystemExit("the S3 server does not start")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def environment(endpoint):
    """The environment of programs that use the server."""
    return {**os.environ, **CREDENTIALS, "AWS_ENDPOINT_URL": endpoint}


if __name__ == "__main__":
    with running() as endpoint:
        sys.exit(subprocess.run([*sys.argv[1:], "--s3", endpoint]).returncode)
