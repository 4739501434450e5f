"""Secrets by their address."""

from salt import _host


def sdb_get(uri, opts=None, utils=None, strict=False):
    if not isinstance(uri, str) or not uri.startswith("sdb://"):
        return uri
    return _host.ask("call", "function", "sdb.get", [uri], {})


def sdb_set(uri, value, opts=None, utils=None):
    return _host.ask("call", "function", "sdb.set", [uri, value], {})
