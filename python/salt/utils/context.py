"""Names that functions see for a while."""

import collections.abc
import contextlib


@contextlib.contextmanager
def func_globals_inject(func, **overrides):
    names = func.__globals__
    before = {key: names[key] for key in overrides if key in names}
    names.update(overrides)
    try:
        yield
    finally:
        for key in overrides:
            if key in before:
                names[key] = before[key]
            else:
                del names[key]


class NamespacedDictWrapper(collections.abc.MutableMapping):
    """One part of a dict, found below one or several keys each time."""

    def __init__(self, d, pre_keys, override_name=None):
        self._whole = d
        self.pre_keys = (pre_keys,) if isinstance(pre_keys, str) else tuple(pre_keys)

    def _dict(self):
        part = self._whole
        for key in self.pre_keys:
            part = part[key]
        return part

    def __getitem__(self, key):
        return self._dict()[key]

    def __setitem__(self, key, value):
        self._dict()[key] = value

    def __delitem__(self, key):
        del self._dict()[key]

    def __iter__(self):
        return iter(self._dict())

    def __len__(self):
        return len(self._dict())

    def __repr__(self):
        return repr(self._dict())

    def copy(self):
        return dict(self._dict())
