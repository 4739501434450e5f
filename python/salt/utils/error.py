"""Exceptions from their parts."""

import builtins
import logging

log = logging.getLogger(__name__)


def raise_error(name=None, args=None, message=""):
    kind = getattr(builtins, name or "Exception", None)
    args = args if args is not None else [message]
    if isinstance(kind, type) and issubclass(kind, BaseException):
        raise kind(*args)
    raise Exception(message)


def pack_exception(exc):
    return exc.pack() if hasattr(exc, "pack") else {"message": str(exc), "args": exc.args}
