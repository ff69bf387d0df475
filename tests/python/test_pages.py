"""Checks HTML pages in a browser, from disk: on a telephone, on a desktop, in light and dark colours, and on paper.

    python tests/python/test_pages.py --self-test                                  # checks that each check can fail
    python tests/python/test_pages.py target/report/*.html --screenshots FOLDER    # checks pages
    python tests/python/test_pages.py --campaign …                                 # checks all in all modes

The browser is Chromium of the system, without a window. Each page is checked as it is loaded, and again with all
`details` open. The checks are:

console    The browser reports no message and no error.
scripts    There is no script: no element, no attribute such as `onload`, no URL.
resources  Nothing but the page is requested, and nothing that the page names would be. `data:` URLs are part of it.
width      Nothing is wider than the page, except in containers that scroll. On paper there is no exception.
cut        No container hides content at its right edge. On paper, nothing scrolls.
contrast   Text has a contrast of at least 4.5 to what is painted below it, including opacities and bars in charts.
marks      Marks in charts have a contrast of at least 3 to the page.
outlines   A mark over a bar has an outline with a contrast of at least 3 to the bar and to the page.
clipped    The text of a chart is within its box.
overlap    No two texts of a chart overlap.
forms      Of the wide and the narrow form of each chart (classes `wide` and `narrow`), one is visible.
labels     Each svg has a role and an aria-label, and the aria-label of each mark has a number.
pdf        The page can be printed as PDF, on A4.
words      With --max-words N, at most N words are in sight on a screen while all `details` are closed, with those of charts. A word is
           what is between blanks and has a letter or a digit.

A check that fails is a line with the page, the width, the colour scheme or `print`, and what is wrong where. Backgrounds are
not printed unless the page asks for it (`print-color-adjust: exact`), so light text is not readable on paper.
`page_checks.js` has the checks that run in the page.

The pages IN_ALL_MODES are checked in all modes, and others in one mode of a screen, which their place in the list chooses: one template
and style sheet make all pages, and a page takes about half a second in each mode.
"""

import argparse
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Error as BrowserError
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PAGE_CHECKS = (ROOT / "tests/python/page_checks.js").read_text(encoding="utf-8").rstrip().removesuffix(";")
CHECKS = ("console", "scripts", "resources", "width", "cut", "contrast", "marks", "outlines", "clipped", "overlap", "forms", "labels", "pdf", "words")
BROWSERS = ("chromium", "google-chrome", "chromium-browser")
# Debian's Chromium cannot use its sandbox as root, and is not to ask for updates.
BROWSER_OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                   "--disable-sync")
# A4 in CSS pixels, and the margin that Chromium uses if the page sets none.
PAPER_WIDTH, PAPER_HEIGHT, PAPER_MARGIN = 794, 1123, 38
# A4 in points.
PDF_WIDTH, PDF_HEIGHT = 595, 842
MAX_LINES = 10
IN_ALL_MODES = ("samples", "history", "real")


@dataclass(frozen=True)
class Mode:
    """A medium, a width and a colour scheme."""

    width: int
    height: int
    scheme: str = "light"
    is_print: bool = False

    def __str__(self):
        return f"{self.width} {'print' if self.is_print else self.scheme}"

    @property
    def file_suffix(self):
        return "print" if self.is_print else f"{self.width}-{self.scheme}"


# Browsers print in light colours.
MODES = (*(Mode(width, height, scheme) for width, height in ((390, 844), (1280, 900)) for scheme in ("light", "dark")),
         Mode(PAPER_WIDTH, PAPER_HEIGHT, is_print=True))

OPEN_DETAILS = """() => {
  const all = [...document.querySelectorAll("details")];
  // Of details with one name, only one can be open.
  for (const details of all) { details.removeAttribute("name"); details.open = true; }
  return all.length;
}"""

# The words in sight. The content of closed details is not visible, and of a chart one form is.
WORDS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (!text.parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    words += text.data.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length;
  }
  return words;
}"""

# The width that the margins of `@page` take, or null.
PAGE_MARGINS = """() => {
  let margins = null;
  const visit = (rules) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule && !rule.selectorText && rule.style.marginLeft) {
        const probe = document.createElement("div");
        probe.style.cssText = `position: absolute; visibility: hidden; margin: 0; border: 0; padding: 0 ${rule.style.marginRight} 0 ${rule.style.marginLeft}; width: 0`;
        document.body.append(probe);
        margins = probe.getBoundingClientRect().width;
        probe.remove();
      } else if (rule.cssRules && (!rule.media || matchMedia(rule.media.mediaText).matches)) visit(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) { try { visit(sheet.cssRules); } catch { /* of another origin, which `resources` reports */ } }
  return margins;
}"""


class Tab:
    """A tab of the browser in one mode. It stays open, since opening one takes longer than checking a page."""

    def __init__(self, browser, mode, max_words):
        self.mode, self.max_words, self.path = mode, max_words, None
        # As on a telephone, a page without `<meta name="viewport">` is laid out for a wider screen.
        self.context = browser.new_context(viewport={"width": mode.width, "height": mode.height}, color_scheme=mode.scheme,
                                           is_mobile=mode.width < 600, service_workers="block")
        self.context.route("**/*", self.answer)
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.page.on("console", lambda message: self.add("console", f"{message.type}: {one_line(message.text)}"))
        self.page.on("pageerror", lambda error: self.add("console", f"error: {one_line(error.message)}"))
        if mode.is_print:
            self.page.emulate_media(media="print", color_scheme="light")

    def add(self, check, line):
        if line not in self.findings[check]:
            self.findings[check].append(line)

    def answer(self, route):
        """Lets the browser read the page. Anything else is reported and is empty."""
        url = route.request.url
        if url.partition("#")[0] == self.path.as_uri():
            route.continue_()
            return
        self.add("resources", f"a request of the type {route.request.resource_type}: {url[:120]}")
        route.fulfill(status=200, body="")

    def findings_of(self, path, screenshots=None):
        """Checks a page, and returns the lines of each check."""
        self.path, self.findings = path, {check: [] for check in CHECKS}
        try:
            self.page.set_viewport_size({"width": self.mode.width, "height": self.mode.height})
            self.page.goto(path.as_uri(), wait_until="load")
            self.check(screenshots)
            # No message of this page arrives with the next one.
            self.page.goto("about:blank")
        except BrowserError as error:
            self.add("console", f"the page cannot be opened: {one_line(error.message)}")
        return self.findings

    def check(self, screenshots):
        width, page = self.mode.width, self.page
        if self.mode.is_print:
            margins = page.evaluate(PAGE_MARGINS)
            width -= round(2 * PAPER_MARGIN if margins is None else margins)
            page.set_viewport_size({"width": width, "height": self.mode.height})
        if screenshots:
            picture(page, screenshots / f"{self.path.stem}-{self.mode.file_suffix}.png")
        if self.mode.is_print:
            try:
                for width_pt, height_pt in pdf_sizes(page.pdf(format="A4", prefer_css_page_size=True)):
                    if abs(width_pt - PDF_WIDTH) > 2 or abs(height_pt - PDF_HEIGHT) > 2:
                        self.add("pdf", f"{width_pt:.0f} x {height_pt:.0f} points, not A4")
            except BrowserError as error:
                self.add("pdf", one_line(error.message))
        words = page.evaluate(WORDS)
        if self.max_words and not self.mode.is_print and words > self.max_words:
            self.add("words", f"{words:,} words are in sight, more than {self.max_words:,}")
        for _ in ("as loaded", "with open details"):
            for finding in page.evaluate(PAGE_CHECKS, {"width": width, "isPrint": self.mode.is_print}):
                self.add(finding["check"], f"{finding['where']}: {finding['what']}")
            if page.evaluate(OPEN_DETAILS) == 0:
                break


def pdf_sizes(pdf):
    """Returns the widths and heights of the pages of a PDF in points."""
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    return {(float(width), float(height)) for width, height in boxes} or {(0, 0)}


def one_line(text):
    return " ".join(text.split())[:200]


def picture(page, path):
    """Writes a picture of a whole page. On a busy machine, Chromium sometimes cannot take it, which says nothing about the page."""
    for attempt in range(3):
        try:
            page.screenshot(path=path, full_page=True)
            return
        except BrowserError as error:
            if "Unable to capture screenshot" not in error.message or attempt == 2:
                raise


def check_pages(tabs, paths, screenshots, is_campaign):
    """Checks pages, prints what fails, and returns how many checks passed and failed."""
    passed = failed = 0
    screens = [tab for tab in tabs if not tab.mode.is_print]
    for number, path in enumerate(paths):
        for tab in tabs if is_campaign or path.stem in IN_ALL_MODES else [screens[number % len(screens)]]:
            for check, lines in tab.findings_of(path, screenshots).items():
                passed += not lines
                failed += bool(lines)
                for line in lines[:MAX_LINES]:
                    print(f"FAILED {path.name} {tab.mode} {check}: {line}")
                if len(lines) > MAX_LINES:
                    print(f"FAILED {path.name} {tab.mode} {check}: {len(lines) - MAX_LINES} more")
    return passed, failed


# The self-test: one page that passes, and the same page with one defect each.

STYLE = """
:root { color-scheme: light dark; --text: #222; --page: #fff; --bar: #0072b2; --axis: #555; }
@media (prefers-color-scheme: dark) { :root { --text: #ddd; --page: #16181c; --bar: #2b7cb8; --axis: #aaa; } }
@media print { :root { --text: #000; --page: #fff; --bar: #0072b2; --axis: #555; } }
body { margin: 0 16px; color: var(--text); background: var(--page); font: 16px/1.4 sans-serif; }
.faded { opacity: 0.9; }
.scroll { overflow-x: auto; }
.narrow { display: none; }
text { font-size: 12px; fill: var(--text); }
a { color: inherit; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
@page { margin: 15mm; }
@media (max-width: 600px) { .wide { display: none; } .narrow { display: block; } }
@media print { .scroll { overflow-x: visible; } .screen { display: none; } }
"""

BODY = """
<h1>Shares</h1>
<p class="faded">Text, and <a href="https://example.com/">a link</a>.<span class="hidden">Text for screen readers that is long enough to be cut</span></p>
<figure><svg class="wide" role="graphics-document" aria-label="Shares" width="600" height="90" viewBox="0 0 600 90">CHART</svg>
<svg class="narrow" role="graphics-document" aria-label="Shares" width="300" height="90" viewBox="0 0 300 90">CHART</svg></figure>
<div class="scroll screen"><table style="width: 900px"><tr><td>A wide table</td><td>1</td></tr></table></div>
<details><summary>More</summary><p id="more">Numbers</p></details>
"""

CHART = """<g class="role-axis"><text x="60" y="80">0 %</text><text x="160" y="80">50 %</text>
<text transform="translate(220,80) rotate(-60)">first</text><text transform="translate(236,80) rotate(-60)">second</text></g>
<path role="graphics-symbol" aria-roledescription="bar" aria-label="GPTBot: 40 %" d="M60 10 h120 v30 h-120 z" style="fill: var(--bar)"/>
<path d="M176 25 l6 6 6 -6 -6 -6 z" style="fill: #d55e00; stroke: var(--text)"/>
<text x="190" y="30">40 %</text>"""

# A defect: name, old text, new text, the checks that must report it, and perhaps the modes, which are all of them otherwise.
ANY = None
TEXT_ON_BAR = '<text x="80" y="30" style="fill: #333">40 %</text>'
SELF_TEST_WORDS = 100
DEFECTS = (
    ("a message of a script", "</h1>", "</h1><script>console.log('x')</script>", {"console", "scripts"}, ANY),
    ("an error of a script", "<h1>", "<h1 onclick='x' id='x'>", {"scripts"}, ANY),
    ("an error in an attribute", "</h1>", "</h1><img src='data:,' alt='' width='9' height='9' onerror='missing()'>", {"console", "scripts"}, ANY),
    ("a message of the browser", "<title>", "<meta http-equiv='Content-Security-Policy' content=\"frame-ancestors 'none'\"><title>", {"console"}, ANY),
    ("a link with a script", "https://example.com/", "javascript:void 0", {"scripts"}, ANY),
    ("an image of a server", "</h1>", "</h1><img src='https://example.invalid/x.png' alt='' width='9' height='9'>", {"resources"}, ANY),
    ("an image of the folder", "</h1>", "</h1><img src='x.png' alt='' width='9' height='9'>", {"resources"}, ANY),
    ("a style sheet", "<title>", "<link rel='stylesheet' href='x.css'><title>", {"resources"}, ANY),
    ("an import", "@page", "@import 'x.css'; @page", {"resources"}, ANY),
    ("a font that nothing uses", "@page", "@font-face { font-family: x; src: url(x.woff2) } @page", {"resources"}, ANY),
    ("a wide element", "</h1>", "</h1><div style='width: 2000px'>x</div>", {"width"}, ANY),
    ("an element left of the page", "</h1>", "</h1><div style='margin-left: -200px'>Text that begins outside of the page</div>", {"width"}, ANY),
    ("a table that is wide on a telephone", "</h1>", "</h1><div style='width: 500px'>x</div>", {"width"}, {"390 light", "390 dark"}),
    ("no viewport", "<meta name='viewport' content='width=device-width'>", "", {"width"}, {"390 light", "390 dark"}),
    ("a wide table in details", "Numbers", "<span style='display: block; width: 2000px'>x</span>", {"width"}, ANY),
    ("a long word in a hidden overflow", "</h1>", f"</h1><div style='overflow: hidden'>{'x' * 400}</div>", {"cut"}, ANY),
    ("a container that scrolls on paper", "</h1>", f"</h1><div style='overflow-x: auto'>{'x' * 400}</div>", {"cut"}, {"794 print"}),
    ("a low container that scrolls on paper", "</h1>", f"</h1><div style='overflow-y: auto; height: 60px'>{'x<br>' * 40}</div>", {"cut"}, {"794 print"}),
    ("a page that is wide on paper only", "@page", "@media print { h1 { width: 1000px } } @page", {"width"}, {"794 print"}),
    ("margins that leave too little paper", "margin: 15mm; }", "margin: 40mm; } @media print { svg { width: 600px } }", {"width"}, {"794 print"}),
    ("text of low contrast", "</h1>", "</h1><p style='color: #888; background: #999'>x</p>", {"contrast"}, {"390 light", "390 dark", "1280 light", "1280 dark", "794 print"}),
    ("text that is too transparent", "opacity: 0.9", "opacity: 0.4", {"contrast"}, ANY),
    ("text on a transparent background", "</h1>", "</h1><p style='background: rgb(90 90 90 / 80%)'>x</p>", {"contrast"}, {"390 light", "1280 light"}),
    ("text in details", "id=\"more\"", "style='color: #999; background: #888; print-color-adjust: exact'", {"contrast"}, ANY),
    ("text that is dark in dark mode", "</h1>", "</h1><p style='color: #333'>x</p>", {"contrast"}, {"390 dark", "1280 dark"}),
    ("text that is light in light mode", "</h1>", "</h1><p style='color: #bbb'>x</p>", {"contrast"}, {"390 light", "1280 light", "794 print"}),
    ("light text on a background that is not printed", "</h1>", "</h1><p style='color: #fff; background: #222'>x</p>", {"contrast"}, {"794 print"}),
    ("text on an image", "</h1>", "</h1><p style='background: linear-gradient(red, blue); print-color-adjust: exact'>x</p>", {"contrast"}, ANY),
    ("text over a bar", '<text x="190" y="30">40 %</text>', TEXT_ON_BAR, {"contrast"}, ANY),
    ("text in part over a bar", '<text x="190" y="30">', '<text x="172" y="30" style="fill: var(--bar)">', {"contrast"}, ANY),
    ("text of low contrast in a chart", '<text x="190" y="30">', '<text x="190" y="30" fill-opacity="0.4">', {"contrast"}, ANY),
    ("a transparent mark", 'd="M60', 'opacity="0.3" d="M60', {"marks"}, ANY),
    ("a mark that is dark in dark mode", "--bar: #2b7cb8", "--bar: #333", {"marks"}, {"390 dark", "1280 dark"}),
    ("a faint stroke", 'd="M60', 'stroke="#888" stroke-opacity="0.2" d="M60', {"marks"}, ANY),
    ("a mark without an outline", "; stroke: var(--text)", "", {"outlines"}, ANY),
    ("an outline like the bar", "stroke: var(--text)", "stroke: var(--bar)", {"outlines"}, ANY),
    ("an outline like the page", "stroke: var(--text)", "stroke: var(--page)", {"outlines"}, ANY),
    ("text outside of its chart", '<text x="190" y="30">40 %', '<text x="190" y="30">a text that is too long for the narrow form', {"clipped"}, {"390 light", "390 dark"}),
    ("text above its chart", 'x="190" y="30"', 'x="190" y="4"', {"clipped"}, ANY),
    ("labels that overlap", 'x="160" y="80"', 'x="72" y="80"', {"overlap"}, ANY),
    ("rotated labels that overlap", "translate(236,80)", "translate(226,80)", {"overlap"}, ANY),
    ("a title that is not a mark", '<text x="190"', '<g role="graphics-symbol" aria-roledescription="title" aria-label="hosts"></g><text x="190"', set(), ANY),
    ("both forms of a chart", "@page", ".narrow { display: block !important } @page", {"forms"}, {"1280 light", "1280 dark", "794 print"}),
    ("no form of a chart on paper", "@page", "@media print { .wide { display: none } } @page", {"forms"}, {"794 print"}),
    ("a chart without its narrow form", '<svg class="narrow"', '<svg class="screen"', {"forms"}, ANY),
    ("a chart without a label", 'aria-label="Shares"', "", {"labels"}, ANY),
    ("a chart without a role", 'role="graphics-document"', "", {"labels"}, ANY),
    ("another size of paper", "margin: 15mm; }", "margin: 15mm; size: 10in 10in; }", {"pdf"}, {"794 print"}),
    ("a mark without a number", "GPTBot: 40 %", "GPTBot", {"labels"}, ANY),
    ("too many words", "</h1>", f"</h1><p>{'word ' * SELF_TEST_WORDS}</p>", {"words"}, {"390 light", "390 dark", "1280 light", "1280 dark"}),
    ("too many words in details", "Numbers", "word " * SELF_TEST_WORDS, set(), ANY),
)


def page_with(old="", new=""):
    text = (f"<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' content='width=device-width'><title>Page</title>"
            f"<style>{STYLE}</style></head><body>{BODY.replace('CHART', CHART)}</body></html>")
    assert old in text, old
    return text.replace(old, new) if old else text


def tabs_of_case(tabs, number, checks, modes):
    """Returns a mode in which a defect is reported and one in which it is not, and all modes for a page without a defect."""
    reported = [tab for tab in tabs if modes is ANY or str(tab.mode) in modes]
    others = [tab for tab in tabs if tab not in reported]
    return [group[number % len(group)] for group in (reported, others) if group] if checks else tabs


def self_test(tabs, is_campaign):
    """Checks a page that passes and pages with one defect each. Returns how many were judged as expected, and how many were not."""
    passed = failed = 0
    cases = [("a correct page", "", "", set(), ANY), *DEFECTS]
    missing = set(CHECKS) - set().union(*(case[3] for case in cases))
    assert not missing, f"no defect for {missing}"
    # A browser in a sandbox of its own may not read /tmp.
    (ROOT / "target").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        for number, (name, old, new, checks, modes) in enumerate(cases):
            path = Path(folder) / f"page-{number}.html"
            path.write_text(page_with(old, new), encoding="utf-8")
            is_expected = True
            for tab in tabs if is_campaign else tabs_of_case(tabs, number, checks, modes):
                found = {check: lines for check, lines in tab.findings_of(path).items() if lines}
                expected = checks if modes is ANY or str(tab.mode) in modes else set()
                if set(found) != expected:
                    is_expected = False
                    print(f"FAILED self-test, {name}, {tab.mode}: reported {found or 'nothing'}, expected {expected or 'nothing'}")
            passed += is_expected
            failed += not is_expected
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description="Checks HTML pages in a browser.")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="an HTML page")
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER", help="writes a picture of each page and mode into this folder")
    parser.add_argument("--max-words", type=int, metavar="N", help="the most words in sight of a page")
    parser.add_argument("--self-test", action="store_true", help="checks pages with one defect each")
    parser.add_argument("--campaign", action="store_true", help="checks all pages in all modes")
    arguments = parser.parse_args()
    if not arguments.pages and not arguments.self_test:
        parser.error("name a page, or --self-test")
    absent = [str(path) for path in arguments.pages if not path.is_file()]
    if absent:
        parser.error(f"'{absent[0]}' is not a file")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        parser.error(f"none of these browsers is installed: {', '.join(BROWSERS)}")
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(BROWSER_OPTIONS))
        tabs = [Tab(browser, mode, SELF_TEST_WORDS) for mode in MODES]
        counts = [self_test(tabs, arguments.campaign)] if arguments.self_test else []
        for tab in tabs:
            tab.max_words = arguments.max_words
        counts.append(check_pages(tabs, [path.resolve() for path in arguments.pages], arguments.screenshots, arguments.campaign))
        browser.close()
    passed, failed = (sum(column) for column in zip(*counts))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
