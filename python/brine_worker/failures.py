"""Exceptions on their way out of Python and back into it: a class by its name, a text, and the trace that led there."""

import builtins
import sys

from .channel import Cancelled, HostFailure

HERE = __file__.rsplit("/", 1)[0]


def describe(exc):
    """What the host needs to know of an exception, whose own methods may fail in any way."""
    kind = type(exc)
    try:
        return _described(exc, kind)
    except Cancelled:
        raise
    except BaseException as worse:
        text = "<{} that cannot be shown: {}>".format(kind.__name__, type(worse).__name__)
        return {"type": kind.__name__, "module": kind.__module__, "bases": [], "message": text, "trace": text}


def _described(exc, kind):
    return {
        "type": kind.__name__,
        "module": kind.__module__,
        "bases": [base.__name__ for base in kind.__mro__ if base not in (object, BaseException)],
        "message": _text(exc),
        "trace": _trace(exc),
        "line": _last_line(exc),
    }


def _text(exc):
    try:
        return str(exc)
    except Exception as worse:  # a user's own __str__ may fail
        return "<{} that cannot be shown: {}>".format(type(exc).__name__, worse)


def _trace(exc):
    import traceback

    return "".join(traceback.format_exception(type(exc), exc, of_users(exc).__traceback__))


def of_users(exc):
    """The exception with its trace from the first line of users' code on."""
    trace = exc.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(HERE):
        trace = trace.tb_next
    return exc.with_traceback(trace)


def _last_line(exc):
    import traceback

    # a text that cannot be rendered, and the line in it
    if getattr(exc, "line_num", None):
        return ["", exc.line_num]

    frames = [f for f in traceback.extract_tb(exc.__traceback__) if not f.filename.startswith(HERE)]
    return [frames[-1].filename, frames[-1].lineno] if frames else None


def raised(function, *args):
    """Calls; what the host says went wrong is raised as the exception it stands for."""
    try:
        return function(*args)
    except HostFailure as failure:
        exc = restore(failure.details)
    raise exc


def restore(details):
    name, message = details["type"], details["message"]
    kind = _class_of(name, details.get("module"))
    if kind is None:
        import salt.exceptions

        return salt.exceptions.SaltException("{}: {}".format(name, message) if message else name)
    try:
        return kind(message)
    except TypeError:  # a class that wants more than a text
        return RuntimeError("{}: {}".format(name, message))


def _class_of(name, module):
    import salt.exceptions

    places = [sys.modules.get(module) if module else None, salt.exceptions, builtins]
    for place in places:
        kind = getattr(place, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            return kind
    return None
