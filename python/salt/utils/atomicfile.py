"""Files that are there whole or not at all."""

import contextlib
import os
import shutil
import tempfile


@contextlib.contextmanager
def atomic_open(filename, mode="w"):
    handle, path = tempfile.mkstemp(prefix=".___atomic_write", dir=os.path.dirname(os.path.abspath(filename)))
    kwargs = {} if "b" in mode else {"encoding": "utf-8"}
    with os.fdopen(handle, mode, **kwargs) as opened:
        yield opened
    if os.path.exists(filename):
        shutil.copymode(filename, path)
    os.replace(path, filename)


def safe_atomic_write(dst, data, backup_mode=""):
    with atomic_open(dst, "wb" if isinstance(data, bytes) else "w") as handle:
        handle.write(data)
