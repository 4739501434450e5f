"""Paths and programs."""

import os
import posixpath
import re
import shutil

from salt.exceptions import CommandNotFoundError


def islink(path):
    return os.path.islink(path)


def readlink(path):
    return os.readlink(path)


def which(exe=None):
    return shutil.which(exe) if exe else None


def which_bin(exes):
    if not isinstance(exes, (list, tuple)):
        return None
    return next((found for found in map(which, exes) if found), None)


def check_or_die(command):
    if command is None:
        raise CommandNotFoundError("'None' is not a valid command.")
    if not which(command):
        raise CommandNotFoundError("'{}' is not in the path".format(command))


def join(*parts, **kwargs):
    """Joins all parts below the first, absolute ones too."""
    if not parts:
        return ""
    module = posixpath if kwargs.get("use_posixpath") else os.path
    first, *rest = [os.fspath(part) if not isinstance(part, str) else part for part in parts]
    return module.normpath(module.join(first, *[part.lstrip("/") for part in rest]))


def os_walk(top, *args, **kwargs):
    return os.walk(top, *args, **kwargs)


def expand(path):
    return os.path.normpath(os.path.expandvars(os.path.expanduser(path)))


def safe_path(path, allow_path=None):
    if allow_path is None:
        return not os.path.isabs(path) and ".." not in path.split(os.sep)
    real = os.path.realpath(path)
    return real == os.path.realpath(allow_path) or real.startswith(os.path.realpath(allow_path) + os.sep)


def sanitize_win_path(winpath):
    return re.sub(r'[<>|?*"]', "_", winpath)


def is_absolute(path):
    return os.path.isabs(path)
