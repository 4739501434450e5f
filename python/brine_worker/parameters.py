"""
The parameters of functions, as the host declares them: name, kind (`any`, `rest`, `open`), whether only a keyword gives
it, and its default. Plain functions say so themselves; the rest is left to `inspect`.
"""

from . import wire

_POSITIONAL_REST, _KEYWORD_REST = 0x04, 0x08
_Function = type(lambda: None)


def of(function):
    if isinstance(function, _Function) and not vars(function):
        return _plain_function(function)
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = inspect.Parameter
    found = []
    for parameter in parameters:
        kind = {kinds.VAR_POSITIONAL: "rest", kinds.VAR_KEYWORD: "open"}.get(parameter.kind, "any")
        described = [parameter.name, kind, parameter.kind == kinds.KEYWORD_ONLY]
        if parameter.default is not kinds.empty:
            described.append(_plain(parameter.default))
        found.append(described)
    return found


def _plain_function(function):
    code = function.__code__
    count, keywords = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames
    defaults = function.__defaults__ or ()
    first = count - len(defaults)
    found = [[name, "any", False] for name in names[:count]]
    for described, default in zip(found[first:], defaults):
        described.append(_plain(default))
    further = count + keywords
    if code.co_flags & _POSITIONAL_REST:
        found.append([names[further], "rest", False])
        further += 1
    for name in names[count : count + keywords]:
        given = function.__kwdefaults__ or {}
        found.append([name, "any", True, *([_plain(given[name])] if name in given else [])])
    if code.co_flags & _KEYWORD_REST:
        found.append([names[further], "open", False])
    return found


def _plain(value):
    """A default that can leave Python, or how it is written."""
    try:
        wire.pack(value)
    except Exception:  # any object may be a default
        return repr(value)
    return value
