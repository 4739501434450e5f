"""Secrets by their address."""

from salt import _host


def sdb_get(uri, opts=None, utils=None, strict=False):
    if not isinstance(uri, str) or not uri.startswith("sdb://"):
        return uri
    return _host.ask("call", "function", "sdb.get", [uri], {})


def sdb_set(uri, value, opts=None, utils=None):
    return _host.ask("call", "function", "sdb.set", [uri, value], {})


def sdb_delete(uri, opts, utils=None):
    return _host.ask("call", "function", "sdb.delete", [uri], {})


def sdb_get_or_set_hash(uri, opts, length=8, chars="abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)", utils=None):
    return _host.ask("call", "function", "sdb.get_or_set_hash", [uri, length, chars], {})
