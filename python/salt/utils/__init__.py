"""The utilities that modules import. Parts are loaded when they are named."""

import importlib

# functions that were here before they moved to a part of their own
_MOVED = {
    "which": "path", "which_bin": "path", "is_true": "data", "fopen": "files", "is_windows": "platform",
    "is_linux": "platform", "is_darwin": "platform", "is_proxy": "platform", "to_str": "stringutils",
    "to_bytes": "stringutils", "istextfile": "files", "get_hash": "hashutils", "traverse_dict": "data",
    "clean_kwargs": "args", "invalid_kwargs": "args", "compare_dicts": "data", "is_bin_file": "files",
    "warn_until": "versions", "repack_dictlist": "data", "is_dictlist": "data", "alias_function": "functools",
    "namespaced_function": "functools", "expr_match": "stringutils", "mkstemp": "files", "rm_rf": "files",
    "memoize": "decorators", "check_or_die": "path", "version_cmp": "versions", "compare_versions": "versions",
    "traverse_dict_and_list": "data",
}  # fmt: skip


def __getattr__(name):
    if name in _MOVED:
        return getattr(importlib.import_module("salt.utils." + _MOVED[name]), name)
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return importlib.import_module("salt.utils." + name)
    except ImportError:
        raise AttributeError("module 'salt.utils' has no attribute '{}'".format(name)) from None
