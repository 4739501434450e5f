"""Packages: the mark that lists of them are old."""

import contextlib
import os


def rtag(opts):
    return os.path.join(opts["cachedir"], "pkg_refresh")


def write_rtag(opts):
    if not os.path.isfile(rtag(opts)):
        with contextlib.suppress(OSError), open(rtag(opts), "w", encoding="utf-8"):
            pass


def clear_rtag(opts):
    with contextlib.suppress(OSError):
        os.remove(rtag(opts))


def check_refresh(opts, refresh=None):
    return bool(refresh) or (os.path.isfile(rtag(opts)) and refresh is not False)


def split_comparison(version):
    import re

    found = re.match(r"^(<=>|!=|>=|<=|>>|<<|<>|>|<|=)?\s?([^<>=]+)$", version)
    return (found.group(1) or "", found.group(2)) if found else ("", version)


def match_version(desired, available, cmp_func=None, ignore_epoch=False):
    """The first of the available versions that is as wanted."""
    from salt.utils.versions import compare

    sign, wanted = split_comparison(desired)
    sign = sign or "=="
    for candidate in available:
        if compare(candidate, {"=": "=="}.get(sign, sign), wanted, cmp_func, ignore_epoch):
            return candidate
    return None
