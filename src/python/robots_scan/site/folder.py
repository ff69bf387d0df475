"""The folder of a site: made under another name, and given its own name when it is whole."""

import json
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

from .._terminal import CommandError

WEB, LIBRARIES = Path(__file__).parent / "web", Path(__file__).parent / "libraries"
# The list of all files of a site, by which `--overwrite` knows what it may replace.
FILE_LIST = "files.txt"
# The place of links to all modules, which browsers then fetch at once instead of one after the other.
MODULES = "<!-- modules -->\n"
ROBOTS_META = '<meta name="robots" content="noindex">\n'
CLOSED, OPEN = "User-agent: *\nDisallow: /\n", "User-agent: *\nDisallow:\n"


@contextmanager
def new_folder(path, overwrite):
    """Makes a folder that replaces `path` at the end of the block, and is removed if the block fails."""
    path = Path(path)
    check_output(path, overwrite)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        partial.mkdir()
    except OSError as error:
        raise CommandError(f"cannot write '{path}': {error.strerror.lower()}") from error
    try:
        yield partial
        files = sorted(str(file.relative_to(partial)) for file in partial.rglob("*") if file.is_file())
        (partial / FILE_LIST).write_text("".join(f"{name}\n" for name in [*files, FILE_LIST]), encoding="utf-8")
        check_output(path, overwrite)
        if path.exists():
            former = path.with_name(f"{path.name}.{os.getpid()}.former")
            path.rename(former)
            partial.rename(path)
            shutil.rmtree(former)
        else:
            partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def check_output(path, overwrite):
    """Refuses an output that exists, unless it is a site and may be replaced."""
    if not path.name or not path.resolve().parent.is_dir():
        raise CommandError(f"cannot write '{path}': its folder does not exist")
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_dir() or not (path / FILE_LIST).is_file() or not (path / "data/site.json").is_file():
        raise CommandError(f"'{path}' exists, and is not a site", "choose another name with -o")
    known = set((path / FILE_LIST).read_text(encoding="utf-8").splitlines())
    foreign = sorted(str(file.relative_to(path)) for file in path.rglob("*") if not (file.is_dir() and not file.is_symlink()) and str(file.relative_to(path)) not in known)
    if foreign:
        raise CommandError(f"'{path}' has a file that robots-scan did not write: '{foreign[0]}'", "move it away, or choose another name with -o")
    if not overwrite:
        raise CommandError(f"'{path}' exists", "--overwrite replaces a site")


def copy_pages(folder, indexable):
    """Writes pages, libraries and robots.txt."""
    if not (LIBRARIES / "libraries.json").is_file():
        raise CommandError("this package was built without the libraries of the site", "in a clone, run: make site-libraries venv")
    shutil.copytree(WEB, folder, dirs_exist_ok=True)
    shutil.copytree(LIBRARIES, folder / "libraries")
    modules = "".join(f'<link rel="modulepreload" href="{path.relative_to(folder)}">\n' for path in sorted(folder.rglob("*.js")))
    page = folder / "index.html"
    text = page.read_text(encoding="utf-8").replace(MODULES, modules)
    page.write_text(text.replace(ROBOTS_META, "") if indexable else text, encoding="utf-8")
    (folder / "robots.txt").write_text(OPEN if indexable else CLOSED, encoding="utf-8")


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=True, separators=(",", ":")), encoding="utf-8")
