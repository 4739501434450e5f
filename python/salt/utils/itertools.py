"""Pieces of what is long."""

import re


def split(orig, sep=None):
    """Words one by one."""
    if sep is None:
        for match in re.finditer(r"\S+", orig):
            yield match.group()
    else:
        yield from orig.split(sep)


def read_file(fh_, chunk_size=1048576):
    handle = fh_ if hasattr(fh_, "read") else open(fh_, "rb")
    with handle:
        while chunk := handle.read(chunk_size):
            yield chunk


