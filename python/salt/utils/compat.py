"""What Python 2 had."""

import copy
import importlib


def cmp(x, y):
    """-1, 0 or 1: whether the first is less than, equal to or greater than the second."""
    if isinstance(x, dict) and isinstance(y, dict):
        return 0 if x == y else -1
    return (x > y) - (x < y)


def deepcopy_bound(name):
    return copy.deepcopy(name)


def pack_dunder(name):
    """The loader gives modules their names by itself."""


def reload(mod):
    return importlib.reload(mod)
