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
        chunk = handle.read(chunk_size)
        while chunk:
            yield chunk
            chunk = handle.read(chunk_size)




def fnmatch_multiple(candidates, pattern):
    """The first that matches, without regard to case where the system has none."""
    import fnmatch

    return next((name for name in candidates if fnmatch.fnmatch(name, pattern)), None)
