"""A cache of one's own, kept in files below the cache directory."""

import contextlib
import os
import time

import salt.payload


def factory(opts, **kwargs):
    return Cache(opts, **kwargs)


class Cache:
    def __init__(self, opts, cachedir=None, **_):
        self.opts = opts
        self.cachedir = cachedir or opts.get("cachedir", "/var/cache/salt")

    def _path(self, bank, key=""):
        return os.path.join(self.cachedir, os.path.normpath(bank), key + ".p" if key else "")

    def store(self, bank, key, data, expires=None):
        path = self._path(bank, key)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "wb") as handle:
            salt.payload.dump(data, handle)
        os.replace(path + ".new", path)

    def fetch(self, bank, key):
        try:
            with open(self._path(bank, key), "rb") as handle:
                return salt.payload.load(handle)
        except FileNotFoundError:
            return {}

    def updated(self, bank, key):
        try:
            return int(os.path.getmtime(self._path(bank, key)))
        except FileNotFoundError:
            return None

    def flush(self, bank, key=None):
        if key is None:
            import shutil

            shutil.rmtree(self._path(bank), ignore_errors=True)
            return
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._path(bank, key))

    def list(self, bank):
        try:
            return sorted(name[:-2] for name in os.listdir(self._path(bank)) if name.endswith(".p"))
        except FileNotFoundError:
            return []

    def contains(self, bank, key=None):
        return os.path.exists(self._path(bank, key or ""))

    def cache(self, bank, key, fun, loop_fun=None, **kwargs):
        age, most = self.updated(bank, key), kwargs.pop("expire_seconds", 86400)
        if age is not None and time.time() - age <= most:
            return self.fetch(bank, key)
        data = fun(**kwargs)
        data = [loop_fun(item) for item in data] if loop_fun else data
        self.store(bank, key, data)
        return data
