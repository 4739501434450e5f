"""Comparing versions, and warning of what will change."""

import functools
import re
import warnings


@functools.total_ordering
class LooseVersion:
    """Versions of any form: numbers and words between dots and other marks, compared one by one."""

    def __init__(self, vstring=None):
        self.vstring = str(vstring)
        parts = (part for part in re.split(r"(\d+|[a-z]+|\.)", self.vstring) if part and part != ".")
        self.version = [int(part) if part.isdigit() else part for part in parts]

    def _key(self):
        return [str(part).zfill(8) if isinstance(part, int) else part for part in self.version]

    def __eq__(self, other):
        return self._key() == _loose(other)._key()

    def __lt__(self, other):
        return self._key() < _loose(other)._key()

    def __hash__(self):
        return hash(tuple(self.version))

    def __str__(self):
        return self.vstring

    def __repr__(self):
        return "LooseVersion ('{}')".format(self.vstring)


Version = StrictVersion = LooseVersion


def _loose(value):
    return value if isinstance(value, LooseVersion) else LooseVersion(value)


def version_cmp(pkg1, pkg2, ignore_epoch=False):
    if ignore_epoch:
        pkg1, pkg2 = (str(text).partition(":")[2] or str(text) for text in (pkg1, pkg2))
    first, second = LooseVersion(pkg1), LooseVersion(pkg2)
    return (first > second) - (first < second)


def compare(ver1="", oper="==", ver2="", cmp_func=None, ignore_epoch=False):
    order = (cmp_func or version_cmp)(str(ver1), str(ver2))
    if order is None:
        order = version_cmp(ver1, ver2, ignore_epoch)
    wanted = {"<": (-1,), "<=": (-1, 0), "==": (0,), "=": (0,), ">=": (0, 1), ">": (1,), "!=": (-1, 1), "<>": (-1, 1)}
    return order in wanted.get(oper, ())



def warn_until(version, message, category=DeprecationWarning, stacklevel=None, **_):
    warnings.warn(message.format(version=version), category, stacklevel=(stacklevel or 2) + 1)


def warn_until_date(date, message, category=DeprecationWarning, stacklevel=None, **_):
    warnings.warn(message.format(date=date, today=""), category, stacklevel=(stacklevel or 2) + 1)


def kwargs_warn_until(kwargs, version, category=DeprecationWarning, stacklevel=None, **_):
    names = ", ".join("'{}'".format(name) for name in sorted(kwargs) if not name.startswith("__pub"))
    if names:
        warn_until(version, "The following parameter(s) have been deprecated: " + names, category, stacklevel)


compare_versions = compare
