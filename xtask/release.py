"""Packs the program as it is released, and checks the archive and the wheel.

    release.py pack PROGRAM EXTENSION FOLDER      writes FOLDER/robots-scan-VERSION-TARGET.tar.gz and its checksum
    release.py check FOLDER WHEELS UV DUCKDB      checks the archives in FOLDER and the wheels in WHEELS

PROGRAM is target/TARGET/dist/robots-scan, and EXTENSION the extension of DuckDB for the same target. UV and DUCKDB are the commands that
install the wheel, without a network, and load the extension. `check` also prints the fields that only the owner can add.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
VERSION, REPOSITORY = WORKSPACE["version"], WORKSPACE.get("repository")
# The pages and pictures of an archive. Those for developers stay in the repository.
DOCUMENTS = [*sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("docs/*.svg")), *(ROOT / name for name in ("README.md", "CHANGELOG.md", "SECURITY.md"))]
# SQL and programs that users run. The questions are part of the program.
JOBS = subprocess.run(["git", "ls-files", "jobs", ":!jobs/queries", ":!jobs/history_queries"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
OTHERS = ["CITATION.cff", "LICENSE-APACHE", "LICENSE-MIT", *JOBS]
EXTENSION = "robots_scan.duckdb_extension"
# The name of each file is the one under which the shell finds it.
COMPLETIONS = {"bash": "robots-scan.bash", "zsh": "_robots-scan", "fish": "robots-scan.fish"}
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def with_links(path, packed):
    """Returns the text of a page. A link to a file that is not packed leads to the repository, or is only its text without an address of it."""
    def link(found):
        mark, text, target, place = found.group(1), found.group(2), found.group(3), found.group(4) or ""
        name = os.path.normpath(PurePosixPath(path).parent / target)
        if name in packed:
            return found.group(0)
        return f"{mark}[{text}]({REPOSITORY}/blob/v{VERSION}/{name}{place})" if REPOSITORY else text
    return LINK.sub(link, (ROOT / path).read_text(encoding="utf-8"))


def pack(program, extension, folder):
    name = f"robots-scan-{VERSION}-{program.parts[-3]}"
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        top = Path(scratch, name)
        documents = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS]
        for path in documents:
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(with_links(path, {*documents, *OTHERS}), encoding="utf-8")
        for path in OTHERS:
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, top / path)
        for built in program, extension:
            shutil.copy(built, top)
        subprocess.run([program, "man", "--write", top / "man"], check=True)
        (top / "completions").mkdir()
        for shell, completion in COMPLETIONS.items():
            text = subprocess.run([program, "completions", shell], check=True, capture_output=True).stdout
            (top / "completions" / completion).write_bytes(text)
        archive = folder / f"{name}.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(top, name, filter=lambda entry: entry.replace(uid=0, gid=0, uname="", gname="", deep=False))
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    (folder / f"{archive.name}.sha256").write_text(f"{digest}  {archive.name}\n")
    print(f"{archive.name}: {archive.stat().st_size:,} bytes, SHA-256 {digest}")


def output(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def check_archive(archive, duckdb, scratch):
    """Checks that the archive has its files and those that its links name, and that the program and the extension work."""
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert (archive.parent / f"{archive.name}.sha256").read_text() == f"{digest}  {archive.name}\n", "the checksum does not match"
    with tarfile.open(archive) as tar:
        tar.extractall(scratch, filter="data")
    top = scratch / archive.name.removesuffix(".tar.gz")
    program = top / "robots-scan"
    assert output(program, "--version") == f"robots-scan {VERSION}\n"
    commands = re.findall(r"^  ([a-z-]+) ", output(program, "--help").partition("Commands:")[2].partition("\n\n")[0], re.MULTILINE)
    pages = {page.name for page in (top / "man").iterdir()}
    assert len(commands) > 10 and pages >= {"robots-scan.1", *(f"robots-scan-{command}.1" for command in commands if command != "help")}, sorted(pages)
    for name in [*OTHERS, *(f"completions/{name}" for name in COMPLETIONS.values())]:
        assert (top / name).stat().st_size > 0, f"{name} is empty"
    links = 0
    for page in top.rglob("*.md"):
        for found in LINK.finditer(page.read_text(encoding="utf-8")):
            assert (page.parent / found.group(3)).exists(), f"{page.relative_to(top)}: {found.group(0)} leads nowhere"
            links += 1
    assert links > 100, f"{links} links"
    asked = f"LOAD '{top / EXTENSION}'; SELECT robots_verdict(E'User-agent: *\\nDisallow: /', 'GPTBot');"
    assert "disallow_all" in output(duckdb, "-unsigned", "-csv", "-c", asked), "the extension has another answer"
    print(f"{archive.name}: {len(pages)} manual pages, {links} links; the program and the extension work")


def check_wheel(wheel, uv, scratch):
    """Installs the wheel into an empty environment, and runs the command, the module, and the report."""
    assert "-abi3-" in wheel.name, "the wheel is for one version of Python"
    with zipfile.ZipFile(wheel) as files:
        metadata = files.read(f"robots_scan-{VERSION}.dist-info/METADATA").decode()
    head, _, readme = metadata.partition("\n\n")
    assert ("\nProject-URL: " in head) == (REPOSITORY is not None), "the package has another address than Cargo.toml"
    pages = LINK.findall(readme)
    assert not pages, f"links of the README lead nowhere: {pages}"
    environment, python = scratch / "environment", scratch / "environment/bin/python"
    output(uv, "venv", "--quiet", "--python", sys.executable, environment)
    install = [uv, "pip", "install", "--quiet", "--offline", "--python", python]
    output(*install, "--no-deps", wheel)
    command = environment / "bin/robots-scan"
    assert output(command, "--version") == f"robots-scan {VERSION}\n"
    asked = "import robots_scan; print(robots_scan.parse(b'User-agent: *\\nDisallow: /').verdict('GPTBot'))"
    assert output(python, "-c", asked, cwd=scratch) == "disallow_all\n"
    output(command, *sorted(ROOT.glob("data-samples/warc/cc-*.warc.gz")), "-q", "-o", scratch / "out.parquet")
    output(*install, "--constraints", ROOT / "tests/python/requirements/locked.txt", f"{wheel}[report]")
    output(command, "report", scratch / "out.parquet", "-o", scratch / "report.html", "-q")
    assert (scratch / "report.html").stat().st_size > 100_000, "the report is empty"
    print(f"{wheel.name}: installed alone; the command, the module and the report work")


def left_for_the_owner():
    """Returns what has to be added before the first release."""
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    missing = [] if REPOSITORY else ["Cargo.toml: `repository` (docs/developers/releasing.md)"]
    return missing + [f"CITATION.cff: `{key}`" for key in ("repository-code", "date-released") if f"\n{key}: " not in citation]


def check(folder, wheels, uv, duckdb):
    archives, packages = sorted(folder.glob("*.tar.gz")), sorted(wheels.glob("*.whl"))
    assert archives and packages, "there is no archive, or no wheel"
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8"), "CITATION.cff has another version"
    headings = [f"\n## [{name}]" for name in ("Unreleased", VERSION)]
    assert any(heading in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8") for heading in headings), "CHANGELOG.md has another version"
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *packages], check=True)
    for files, test, tool in (archives, check_archive, duckdb), (packages, check_wheel, uv):
        for file in files:
            with tempfile.TemporaryDirectory() as scratch:
                test(file, tool, Path(scratch))
    for missing in left_for_the_owner():
        print(f"left for the owner: {missing}")


if __name__ == "__main__":
    {"pack": pack, "check": check}[sys.argv[1]](*(Path(argument).resolve() for argument in sys.argv[2:]))
