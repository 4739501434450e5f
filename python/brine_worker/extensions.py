"""
Salt extensions: installed packages whose modules the host found by their entry points. A package is imported before its
modules are read, as Salt's loader does; one that cannot be imported is logged once, and none of its modules serves.
"""

from . import search_path
from .host_log import logger

_problems = {}


def problem(package, label):
    """Why a package cannot be imported; None when it can."""
    if package not in _problems:
        _problems[package] = _import(package, label)
    return _problems[package]


def _import(package, label):
    import importlib

    search_path.open_site()
    # it may have been installed after this process began, into a folder that was not there then
    importlib.invalidate_caches()
    try:
        importlib.import_module(package)
    except (Exception, SystemExit) as exc:  # an extension may raise anything
        reason = "{}: {}".format(type(exc).__name__, exc)
        logger(__name__).error("Salt extension %s cannot be loaded: importing %s raises %s", label, package, reason)
        return reason
    return None


def lacking(exc):
    """The part of Salt that a failed import wanted and Brine does not have; None for any other failure."""
    name = getattr(exc, "name", None) or ""
    return name if isinstance(exc, ImportError) and name.partition(".")[0] == "salt" else None
