"""`SHA256SUMS`: the digests of all files, as `sha256sum -c` reads them."""

import hashlib

from .._progress import Progress


def digests_of(dataset):
    """Returns the SHA-256 of each file of the dataset."""
    files, found = dataset.files(), {}
    with Progress(None) as progress:
        for i, file in enumerate(files):
            progress.update(i / len(files), [f"checksums of {i:,} of {len(files):,} files"], [])
            with (dataset.folder / file).open("rb") as opened:
                found[file] = hashlib.file_digest(opened, "sha256").hexdigest()
    return found


def checksums(digests, prefix, texts):
    """Returns the lines of the files of the dataset and of the description."""
    lines = {prefix + file: digest for file, digest in digests.items()} | {name: digest_of(text) for name, text in texts.items()}
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(lines.items()))


def digest_of(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def listed(text):
    """Returns the digests of a file of checksums by the names of files."""
    return {name: digest for digest, _, name in (line.partition("  ") for line in text.splitlines()) if name}
