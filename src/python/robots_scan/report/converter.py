"""Draws Vega-Lite specifications as SVG in a process of its own, which runs this file.

The library ends its process on some texts, and where virtual memory is limited: it reserves much more than it uses.
"""

import contextlib
import json
import subprocess
import sys

import vl_convert

VEGA_LITE = "6.4"
# The version 1.9 of the library reserves 64 GiB.
RESERVED = "64 GiB"
# A specification that can be drawn if any can.
SIMPLE = {"mark": "bar", "data": {"values": [{"share": 1}]}, "encoding": {"x": {"field": "share"}}}


class Converter:
    """The other process, which begins with the first chart, and begins again after a chart that ended it."""

    def __init__(self):
        self.process = None
        # Charts that could not be drawn, and false after the process could not draw anything.
        self.failed, self.works = 0, True

    def svg(self, spec):
        """Returns the SVG of a specification, or None if it cannot be drawn."""
        svg = self.answer(spec) if self.works else None
        if svg is None:
            self.failed += 1
            self.works = self.works and self.answer(SIMPLE) is not None
        return svg

    def answer(self, spec):
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            self.process.stdin.write(json.dumps(spec).encode("ascii") + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            self.close()
            return None
        return json.loads(line)

    def close(self):
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
            self.process = None


def main():
    for line in sys.stdin:
        try:
            svg = vl_convert.vegalite_to_svg(json.loads(line), vl_version=VEGA_LITE)
        except ValueError:
            svg = None
        print(json.dumps(svg), flush=True)


if __name__ == "__main__":
    main()
