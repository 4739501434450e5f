"""The minion that runs here."""

from salt import _host


def running(opts):
    """The jobs that run now."""
    return _host.ask("call", "function", "saltutil.running", [], {})
