"""Queries to web servers, made by the host."""

from salt import _host


def query(url, method="GET", **kwargs):
    kwargs.pop("opts", None)
    return _host.ask("call", "function", "http.query", [url], {"method": method, **kwargs})


def update_ca_bundle(*args, **kwargs):
    return _host.ask("call", "function", "http.update_ca_bundle", list(args), kwargs)
