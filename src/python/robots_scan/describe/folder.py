"""The folder of a description. Only files that `describe` wrote and nobody changed since are replaced."""

import contextlib
import os
import shlex

from .._terminal import CommandError, Stopped
from .checksums import digest_of, listed

SUMS = "SHA256SUMS"


def check(folder, names, overwrite):
    """Refuses a folder in which a file must not be replaced, before anything is computed. `names` are those of the files but SHA256SUMS."""
    existing = [name for name in (*names, SUMS) if os.path.lexists(folder / name)]
    if not existing:
        return
    sums = listed(text_of(folder / SUMS) or "")
    for name in existing:
        is_own = name in sums or name == SUMS and set(names) <= sums.keys()
        if not is_own:
            raise CommandError(f"'{folder / name}' was not written by robots-scan and is left unchanged", "move it away, or choose another -o")
        if name != SUMS and digest_of(text_of(folder / name) or "") != sums[name]:
            raise CommandError(f"'{folder / name}' was changed after robots-scan wrote it, and is left unchanged",
                                f"keep what you wrote in the file of --about, then use --overwrite after: rm {shlex.quote(str(folder / name))}")
    if not overwrite:
        raise CommandError(f"'{folder / existing[0]}' already exists", "--overwrite replaces the description; or choose another -o")


def check_listed(folder, own):
    """Refuses to replace checksums to which somebody has added those of other files. `own` are the names of the files that are listed next."""
    added = sorted(name for name in listed(text_of(folder / SUMS) or "") if name not in own and os.path.lexists(folder / name))
    if added:
        raise CommandError(f"'{folder / SUMS}' also lists '{added[0]}', which is not of the dataset, and is left unchanged", "keep the checksums of other files in another file")


def text_of(path):
    """Returns the text of a regular file, or None if it is something else."""
    if path.is_symlink() or not path.is_file():
        return None
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="utf-8")
    return None


def write(folder, texts):
    """Writes the files, SHA256SUMS last. No partial file has a final name."""
    partial = {name: folder / f".{name}.{os.getpid()}.partial" for name in texts}
    try:
        for name, text in texts.items():
            partial[name].write_text(text, encoding="utf-8", newline="\n")
        for name in texts:
            os.replace(partial[name], folder / name)
    except OSError as error:
        raise Stopped(f"cannot write '{error.filename or folder}': {error.strerror.lower()}") from error
    finally:
        for path in partial.values():
            with contextlib.suppress(OSError):
                path.unlink()
