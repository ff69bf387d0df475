"""Tries four recipes of CONTRIBUTING.md in a copy of the repository: an anomaly, a column, a question, and a kind of source.

    python tests/python/test_contributing.py

The copy is target/trial: the files of the working tree, and the dependencies in target/debug, so that only the packages of this project
are compiled. It is removed at the end. A trial has edits, which follow a recipe, and a check that they had their effect. The edits of all
trials are made before one build, because compiling takes most of the time. Then the commands of EXECUTED are executed. Of the other
commands of the page, which are code spans and lines of code blocks, the targets of `make` are looked up. An edit fails if its place is not
in its file once, or if the recipe does not name the file.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from dataset import opened
from test_documents import FENCE, ROOT, joined

COPY = ROOT / "target/trial"
PAGE = "CONTRIBUTING.md"
PROGRAM = "target/debug/robots-scan"
INPUTS = ["data-samples/warc/cc-robotstxt.warc.gz", "data-samples/warc/cc-robotstxt-later.warc.gz"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not re.match("CARGO_TARGET_DIR|CARGO_BUILD|MAKE|MFLAGS|ROBOTS_SCAN_", name)} | {
    "CARGO_NET_OFFLINE": "true", "PYTHONDONTWRITEBYTECODE": "1"}

# In this order: what writes files comes before what tests them.
EXECUTED = ("make schemas", "make golden", "cargo test -p robotstxt-dialects --lib", "cargo test --locked --test tables schemas::")

QUESTION = """-- How many hosts does a crawl have?
--
-- Denominator: hosts that were captured.
-- Pitfall: this is a trial.
-- Columns: crawl; hosts: captured hosts.
CREATE OR REPLACE MACRO trial_hosts(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('captured', crawl) AS is_known
),
answer AS (
    SELECT h.crawl, count(*) AS hosts FROM hosts_with('captured', crawl := crawl) h GROUP BY h.crawl
)
SELECT s.*
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.crawl DESC;

FROM trial_hosts();
"""

# A kind of source: a file of one line with a URL and a body.
SOURCE = """//! Files of one line with a URL and a body.

use super::slice::OpenedInput;
use super::{InputSlice, ItemError, ReadItem, SlicePosition, SliceReader, Source, Unopened};
use crate::InputPlace;
use capture::{Capture, CaptureScope, FetchedRow};
use std::io;
use warc::RecordLocation;

#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) place: InputPlace,
}

struct TrialReader {
    text: Vec<u8>,
    is_read: bool,
}

impl Source for Trial {
    fn place(&self) -> &InputPlace {
        &self.place
    }

    fn open(
        &self,
        slice: &InputSlice,
        _archive: &mut warc::Reader,
    ) -> Result<(Box<dyn SliceReader>, u64), Unopened> {
        let OpenedInput::File(file) = slice.open_input()? else {
            return Err(Unopened::Failed(io::Error::other("it is a stream")));
        };
        let mut text = vec![0; file.length() as usize];
        let length = file.read_at(0, &mut text).map_err(Unopened::Failed)?;
        text.truncate(length);
        let reader = TrialReader { text, is_read: false };
        Ok((Box::new(reader), 0))
    }
}

impl SliceReader for TrialReader {
    fn advance(&mut self, _archive: &mut warc::Reader) -> Result<bool, ItemError> {
        Ok(!std::mem::replace(&mut self.is_read, true))
    }

    fn item<'r>(&'r self, _archive: &'r warc::Reader, scope: CaptureScope) -> ReadItem<'r> {
        let mut parts = self.text.splitn(2, |byte| *byte == b'\\t');
        let row = FetchedRow {
            url: parts.next().unwrap_or_default(),
            status: Some(200),
            body: parts.next(),
            ..FetchedRow::default()
        };
        ReadItem {
            kind: "row",
            location: RecordLocation::default(),
            capture: Some(Capture::from_row(&row, scope)),
            record: None,
        }
    }

    fn position(&self, _archive: &warc::Reader) -> SlicePosition {
        SlicePosition::default()
    }
}
"""

# The answers to the new question: on hand-made rows, and by another computation.
ANSWERS = """
import sys
sys.path.insert(0, 'tests/python')
import test_queries, test_independent as independent
from pathlib import Path
from tempfile import TemporaryDirectory
tests = test_queries.Tests()
test_queries.test_page(tests, True)
with TemporaryDirectory() as folder:
    test_queries.test_answers(tests, Path(folder))
assert not tests.failed
questions = independent.Questions(independent.Crawls(independent.read_captures(independent.ARCHIVES)), {}, None)
found = independent.rows_of_macro(independent.opened('target/trial.parquet'), 'trial_hosts', {})
independent.assert_equal(questions.trial_hosts(), found, 'trial_hosts')
"""


def query(sql):
    return opened(COPY / "target/trial.parquet").sql(sql).fetchall()


def run(*command, stdin=None, codes=(0,)):
    """Runs a command in the copy, which must end with one of these exit codes, and returns its output."""
    done = subprocess.run(command, cwd=COPY, env=ENVIRONMENT, input=stdin, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)
    assert done.returncode in codes, f"exit code {done.returncode}\n{done.stdout[-4000:]}"
    return done.stdout


def text(path):
    return (COPY / path).read_text(encoding="utf-8")


def anomaly():
    assert "trial_body" in text("schemas/anomalies.md") and "trial_capture" in text("schemas/anomalies.md")
    assert "trial_body" in run(PROGRAM, "check", "-", stdin="User-agent: *\nDisallow: /x\n# trial\n", codes=(0, 1))
    assert query("SELECT DISTINCT url FROM anomalies JOIN robots_files USING (crawl, robots_id) WHERE code = 'trial_capture'") == [
        ("https://www.news.example/robots.txt",)]


def column():
    assert "is_root BOOLEAN NOT NULL" in text("schemas/rules.sql")
    assert query("SELECT is_root, count(*) > 0 FROM rules WHERE is_root = (path = '/') GROUP BY ALL ORDER BY ALL") == [(False, True), (True, True)]
    assert query("SELECT count(*) FROM rules WHERE is_root <> (path = '/')") == [(0,)]
    assert query("SELECT count(*) > 0 FROM robots_files WHERE trial_length = body_bytes") == [(True,)]
    assert query("SELECT count(*) FROM robots_files WHERE trial_length IS DISTINCT FROM body_bytes") == [(0,)]


def question():
    run(sys.executable, "-c", ANSWERS)
    assert "| `trial_hosts` |" in text("docs/queries.md")


def source():
    (COPY / "one.trial").write_text("https://one.example/robots.txt\tUser-agent: GPTBot\nDisallow: /\n", encoding="utf-8")
    run(PROGRAM, "one.trial", "-q", "-o", "target/one.parquet")
    found = opened(COPY / "target/one.parquet").sql("SELECT url, fetch_status, n_disallow FROM robots_files").fetchall()
    assert found == [("https://one.example/robots.txt", 200, 1)], found


# By recipe: the check, and the edits: file, a text in it or None for a new file, and the text that replaces it, in which § is the old text.
TRIALS = {
    "Add an anomaly": (anomaly, [
        ("src/robots/anomaly.rs", '    PartialBom, "partial_bom"', '    TrialBody, "trial_body", Info, false, "A trial.";\n§'),
        ("src/robots/anomaly.rs", "    #[test]\n    fn codes_are_distinct_lower_case_words() {",
         "    #[test]\n    fn the_comment_of_a_trial_is_an_anomaly() {\n        let mut parser = crate::Parser::new();\n"
         '        assert_eq!(parser.parse(b"# trial\\n").anomalies()[0].kind, AnomalyKind::TrialBody);\n    }\n\n§'),
        ("src/robots/parse/file_checks.rs", "(is_utf16, AnomalyKind::Utf16),", '§ (self.body.ends_with(b"# trial\\n"), AnomalyKind::TrialBody),'),
        ("src/capture/anomaly.rs", '    BadUrl, "bad_url"', '    TrialCapture, "trial_capture", Info, "A trial.";\n§'),
        ("src/capture/lib.rs", "let mut anomalies = Vec::new();\n        if target.url.is_none() {",
         '§            anomalies.push(CaptureAnomalyKind::BadUrl);\n        }\n        if target.raw == b"https://www.news.example/robots.txt" {\n'
         "            anomalies.push(CaptureAnomalyKind::TrialCapture);\n        }\n        if false {")]),
    "Add a column": (column, [
        ("src/tables/robots_files.rs", "} derived {\n    url_surtkey", '    trial_length: Int null, "A trial." = body.map(|body| body.len() as u32);\n§'),
        ("src/tables/rules.rs", "} derived {\n    path_bytes", '    is_root: Bool, "True if the path is `/`.";\n§'),
        ("src/tables/rules.rs", "        self.beyond_500kib\n",
         '        self.is_root.extend(lines.clone().map(|line| robots.text(line.value) == b"/"));\n§')]),
    "Add a kind of source": (source, [
        ("src/sources/reader/trial.rs", None, SOURCE),
        ("src/sources/reader/mod.rs", "mod slice;\n", "§mod trial;\n"),
        ("src/sources/reader/mod.rs", "use std::fmt::Debug;\n", "§pub(crate) use trial::Trial;\n"),
        ("src/sources/input/mod.rs", "        source: Arc::new(Archive { place }),\n",
         '        source: if place.display_path().extension().is_some_and(|suffix| suffix == "trial") {\n'
         "            Arc::new(crate::reader::Trial { place })\n        } else {\n            Arc::new(Archive { place })\n        },\n")]),
    "Add a question": (question, [
        ("jobs/queries/q47_trial_hosts.sql", None, QUESTION),
        ("src/tables/questions.rs", '    "q46_changed_hosts"\n', '§    "q47_trial_hosts"\n'),
        ("tests/python/independent/questions.py", "    def file_sizes(self):\n",
         '    def trial_hosts(self):\n        return self.each_crawl(lambda hosts: [{"hosts": len(hosts)}])\n\n§'),
        ("tests/python/test_queries.py", "SMALL_ANSWERS = {\n", '§    "trial_hosts()": ("hosts", [(4,)]),\n')]),
}


def recipes():
    """Returns the text of each recipe by its heading; what is above the recipes is under the name of the page."""
    top, _, below = (ROOT / PAGE).read_text(encoding="utf-8").partition("\n## Recipes\n")
    return {PAGE: top} | dict(part.split("\n", 1) for part in below.split("\n### ")[1:])


def commands_of(recipe):
    recipe = re.sub(r"^ {3}", "", recipe, flags=re.MULTILINE)
    blocks = [command for block in FENCE.finditer(recipe) for command in joined(block[2])]
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCE.sub("", recipe))]
    return [command for command in blocks + spans if re.match(r"(make|cargo)( |$)|\.venv-test/", command)]


def copy_file(source, target):
    """Copies a file of target/debug. Compilers replace libraries, so these are linked, and write other files in place."""
    try:
        (os.link if source.endswith((".rlib", ".rmeta")) else shutil.copy2)(source, target)
    except FileNotFoundError:
        pass  # Another build removed it.


def not_copied(folder, names):
    """Returns what the copy does not need: programs of tests, and what only the folder of a build can use."""
    if Path(folder).name == "debug":
        return ["incremental", "examples"]
    return [name for name in names if Path(folder).name == "deps" and not Path(name).suffix]


def copy_repository():
    shutil.rmtree(COPY, ignore_errors=True)
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in {name for name in names.split("\0") if name and os.path.lexists(ROOT / name)}:
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, COPY / name, follow_symlinks=False)
    shutil.copytree(ROOT / "target/debug", COPY / "target/debug", copy_function=copy_file, ignore=not_copied)


def apply(name, recipe):
    """Makes the edits of a trial. The recipe names each file or its folder."""
    for path, old, new in TRIALS[name][1]:
        places = [f"`{path}`", f"]({path}", *(f"`{folder}/`" for folder in Path(path).parents)]
        assert any(place in recipe for place in places), f"the recipe does not name {path}"
        if old is None:
            assert not (COPY / path).exists(), f"{path} exists"
            (COPY / path).write_text(new, encoding="utf-8")
            continue
        content = text(path)
        assert content.count(old) == 1, f"{path} has {content.count(old)} times: {old}"
        (COPY / path).write_text(content.replace(old, new.replace("§", old)), encoding="utf-8")


def step(name, action, *arguments):
    """Takes a step, and prints how long it took. Each step needs those before it, so that the first failure is the last."""
    began = time.monotonic()
    output = action(*arguments)
    print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)
    return output


def main():
    parts = recipes()
    commands = [command for part in parts.values() for command in commands_of(part)]
    missing = set(EXECUTED) - set(commands)
    assert not missing, f"{PAGE} does not have the commands {sorted(missing)}"
    step("the copy", copy_repository)
    for name in TRIALS:
        apply(name, parts[name])
    for command in dict.fromkeys(commands):
        if command.startswith("make"):
            run("make", "-n", *command.split()[1:])
    for command in ("cargo build --locked", *EXECUTED):
        output = step(f"`{command}`", run, *command.split())
        assert "cargo test" not in command or re.search("test result: ok. [1-9]", output), f"no test is one of `{command}`"
    step("a scan", run, PROGRAM, *INPUTS, "-q", "-o", "target/trial.parquet")
    for name, (check, _) in TRIALS.items():
        step(name, check)


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(COPY, ignore_errors=True)
