"""What modules from before Python 3 alone use of `six`."""

import builtins
import functools
import io
import sys

PY2, PY3, PY34 = False, True, True
string_types = (str,)
text_type, binary_type = str, bytes
integer_types = (int,)
class_types = (type,)
MAXSIZE = sys.maxsize
StringIO, BytesIO = io.StringIO, io.BytesIO
unichr, int2byte = chr, lambda number: bytes((number,))
wraps = functools.wraps
print_ = builtins.print
next = advance_iterator = builtins.next


def u(text):
    return text


def b(text):
    return text.encode("latin-1")


def iteritems(mapping, **kwargs):
    return iter(mapping.items(**kwargs))


def iterkeys(mapping, **kwargs):
    return iter(mapping.keys(**kwargs))


def itervalues(mapping, **kwargs):
    return iter(mapping.values(**kwargs))


def viewkeys(mapping):
    return mapping.keys()


def viewvalues(mapping):
    return mapping.values()


def viewitems(mapping):
    return mapping.items()


def get_function_code(function):
    return function.__code__


def get_method_self(method):
    return method.__self__


def callable(thing):
    return builtins.callable(thing)


def ensure_str(value, encoding="utf-8", errors="strict"):
    return value.decode(encoding, errors) if isinstance(value, bytes) else value


ensure_text = ensure_str


def ensure_binary(value, encoding="utf-8", errors="strict"):
    return value.encode(encoding, errors) if isinstance(value, str) else value


def reraise(kind, value, trace=None):
    raise (value if value is not None else kind()).with_traceback(trace)


def raise_from(value, cause):
    raise value from cause


def with_metaclass(meta, *bases):
    return meta("base", bases or (object,), {})


def add_metaclass(metaclass):
    def remake(cls):
        body = {key: value for key, value in vars(cls).items() if key not in ("__dict__", "__weakref__")}
        return metaclass(cls.__name__, cls.__bases__, body)

    return remake


def python_2_unicode_compatible(cls):
    return cls
