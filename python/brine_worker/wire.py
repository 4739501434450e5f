"""
Values as they travel between Python and the host: MessagePack, with extension types for what it lacks, so that a
tuple stays a tuple and an integer of any size stays itself. Large messages go through the C library where there is one.
"""

import struct
import sys

# what collections.abc is made of; that package itself is one more thing to load
from _collections_abc import ItemsView, KeysView, Mapping, Set, ValuesView, generator

from . import search_path

BIG, TUPLE, SET, FROZENSET, ORDERED, DATETIME, DATE, TIME, DELTA = range(1, 10)

_LISTED = (KeysView, ValuesView, ItemsView, generator, range, map, filter, zip)

# messages from which on the C library is worth its import, and from which on a look for it
LARGE, HUGE = 1 << 15, 1 << 19


class Unserializable(TypeError):
    """A value that has no form outside of Python."""


def extension(value):
    """The type number and content of a value that plain MessagePack lacks; a plainer value; or an exception."""
    if isinstance(value, int):
        if -(1 << 63) <= value < 1 << 64:
            return int(value)
        return BIG, str(int(value)).encode()
    for base in (str, float, bytes):
        if isinstance(value, base):
            return base(value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, tuple):
        return TUPLE, pack(list(value))
    if isinstance(value, list):
        return list(value)
    if _is_a(value, "collections", "OrderedDict"):
        return ORDERED, pack(dict(value))
    if isinstance(value, Mapping):
        return dict(value.items())
    if isinstance(value, frozenset):
        return FROZENSET, pack(list(value))
    if isinstance(value, Set) and not isinstance(value, ItemsView):
        return SET, pack(list(value))
    found = _moment(value)
    if found is not None:
        return found
    plain = getattr(value, "__brine_plain__", None)
    if plain is not None:
        return plain()
    if isinstance(value, _LISTED) or _is_a(value, "collections", "deque"):
        return list(value)
    raise Unserializable("a value of type {} cannot leave Python".format(_type_name(value)))


def _is_a(value, module, name):
    """Whether a value is of a class; none is while nothing has imported the class's module."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(value, kind)


def _moment(value):
    for code, name in ((DATETIME, "datetime"), (DATE, "date"), (TIME, "time")):
        if _is_a(value, "datetime", name):
            return code, value.isoformat().encode()
    if _is_a(value, "datetime", "timedelta"):
        return DELTA, str(value // type(value)(microseconds=1)).encode()
    return None


def _type_name(value):
    kind = type(value)
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else "{}.{}".format(module, kind.__qualname__)


def restore(code, content):
    """The value of an extension type."""
    if code == BIG:
        return int(content)
    if code == TUPLE:
        return tuple(unpack(content))
    if code == SET:
        return set(unpack(content))
    if code == FROZENSET:
        return frozenset(unpack(content))
    if code == ORDERED:
        import collections

        return collections.OrderedDict(unpack(content))
    import datetime

    text = bytes(content).decode()
    if code == DELTA:
        return datetime.timedelta(microseconds=int(text))
    kind = {DATETIME: datetime.datetime, DATE: datetime.date, TIME: datetime.time}.get(code)
    if kind is None:
        raise ValueError("unknown extension type {}".format(code))
    return kind.fromisoformat(text) if hasattr(kind, "fromisoformat") else _moment_3_6(code, text)


def _moment_3_6(code, text):
    """A date or time from its text in ISO 8601, which Python reads by itself since 3.7."""
    import datetime
    import re

    clock = "%H:%M:%S" + (".%f" if "." in text else "") + ("%z" if re.search(r"[+-]\d\d:\d\d$", text) else "")
    form = {DATETIME: "%Y-%m-%dT" + clock, DATE: "%Y-%m-%d", TIME: clock}[code]
    whole = datetime.datetime.strptime(re.sub(r"([+-]\d\d):(\d\d)$", r"\1\2", text), form)
    return {DATETIME: whole, DATE: whole.date(), TIME: whole.timetz()}[code]


class Packer:
    """MessagePack without the C library."""

    def __init__(self, extension):
        self.out = bytearray()
        self.extension = extension

    def value(self, value):
        kind = type(value)
        if kind is str:
            self.text(value)
        elif kind is int:
            self.integer(value)
        elif value is None:
            self.out.append(0xC0)
        elif kind is bool:
            self.out.append(0xC3 if value else 0xC2)
        elif kind is dict:
            self.head(len(value), 0x80, 16, (None, 0xDE, 0xDF))
            for key, item in value.items():
                self.value(key)
                self.value(item)
        elif kind is list:
            self.head(len(value), 0x90, 16, (None, 0xDC, 0xDD))
            for item in value:
                self.value(item)
        elif kind is float:
            self.out += struct.pack(">Bd", 0xCB, value)
        elif kind is bytes:
            self.head(len(value), None, 0, (0xC4, 0xC5, 0xC6))
            self.out += value
        else:
            self.other(value)

    def other(self, value):
        plain = self.extension(value)
        if type(plain) is not tuple:
            self.value(plain)
            return
        code, content = plain
        self.head(len(content), None, 0, (0xC7, 0xC8, 0xC9))
        self.out.append(code)
        self.out += content

    def head(self, size, short, most, marks):
        if short is not None and size < most:
            self.out.append(short | size)
        elif size < 0x100 and marks[0] is not None:
            self.out += bytes((marks[0], size))
        elif size < 0x10000:
            self.out += struct.pack(">BH", marks[1], size)
        else:
            self.out += struct.pack(">BI", marks[2], size)

    def text(self, value):
        data = value.encode("utf-8", "surrogatepass")
        self.head(len(data), 0xA0, 32, (0xD9, 0xDA, 0xDB))
        self.out += data

    def integer(self, value):
        if -0x20 <= value < 0x80:
            self.out.append(value & 0xFF)
        elif 0 <= value:
            for mark, form, limit in ((0xCC, ">BB", 8), (0xCD, ">BH", 16), (0xCE, ">BI", 32), (0xCF, ">BQ", 64)):
                if value < 1 << limit:
                    self.out += struct.pack(form, mark, value)
                    return
            self.other(value)
        else:
            for mark, form, limit in ((0xD0, ">Bb", 7), (0xD1, ">Bh", 15), (0xD2, ">Bi", 31), (0xD3, ">Bq", 63)):
                if value >= -(1 << limit):
                    self.out += struct.pack(form, mark, value)
                    return
            self.other(value)


_NUMBERS = {
    0xCA: struct.Struct(">f"),
    0xCB: struct.Struct(">d"),
    0xCC: struct.Struct(">B"),
    0xCD: struct.Struct(">H"),
    0xCE: struct.Struct(">I"),
    0xCF: struct.Struct(">Q"),
    0xD0: struct.Struct(">b"),
    0xD1: struct.Struct(">h"),
    0xD2: struct.Struct(">i"),
    0xD3: struct.Struct(">q"),
}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
# what follows, and the width of its size
_SIZED = {
    0xC4: ("bytes", 1), 0xC5: ("bytes", 2), 0xC6: ("bytes", 4),
    0xC7: ("ext", 1), 0xC8: ("ext", 2), 0xC9: ("ext", 4),
    0xD9: ("text", 1), 0xDA: ("text", 2), 0xDB: ("text", 4),
    0xDC: ("list", 2), 0xDD: ("list", 4),
    0xDE: ("dict", 2), 0xDF: ("dict", 4),
}  # fmt: skip


class Unpacker:
    """Reads one value behind the other; IndexError or struct.error when the data ends within one."""

    def __init__(self, data, restore):
        self.data = data
        self.at = 0
        self.restore = restore

    def value(self):
        mark = self.data[self.at]
        self.at += 1
        if mark < 0x80:
            return mark
        if mark < 0x90:
            return self.dict(mark & 0x0F)
        if mark < 0xA0:
            return self.list(mark & 0x0F)
        if mark < 0xC0:
            return self.text(mark & 0x1F)
        if mark >= 0xE0:
            return mark - 0x100
        if mark in _CONSTANTS:
            return _CONSTANTS[mark]
        if mark in _NUMBERS:
            form = _NUMBERS[mark]
            (number,) = form.unpack_from(self.data, self.at)
            self.at += form.size
            return number
        if 0xD4 <= mark <= 0xD8:
            return self.ext(1 << (mark - 0xD4))
        what, width = _SIZED[mark]
        size = int.from_bytes(self.taken(width), "big")
        return getattr(self, what)(size)

    def taken(self, size):
        start = self.at
        self.at += size
        if self.at > len(self.data):
            raise IndexError("the data ends early")
        return self.data[start : self.at]

    def bytes(self, size):
        return bytes(self.taken(size))

    def text(self, size):
        return str(self.taken(size), "utf-8", "surrogatepass")

    def list(self, count):
        return [self.value() for _ in range(count)]

    def dict(self, count):
        found = {}
        for _ in range(count):
            # a key before its value, which a dict comprehension does only since Python 3.8
            key = self.value()
            found[key] = self.value()
        return found

    def ext(self, size):
        code = self.data[self.at]
        self.at += 1
        return self.restore(code, self.bytes(size))


_library = None
_looked = False


def _look_for_library(size):
    """Takes the C library where it is installed, once messages are large."""
    global _library, _looked
    if _looked or size < LARGE or not (search_path.is_open() or size > HUGE):
        return
    _looked = True
    try:
        import msgpack
    except ImportError:
        return
    _library = msgpack


def _default(value):
    plain = extension(value)
    return _library.ExtType(*plain) if type(plain) is tuple else plain


def pack(value):
    """The bytes of a value."""
    if _library is not None:
        return _library.packb(
            value, default=_default, use_bin_type=True, strict_types=True, unicode_errors="surrogatepass"
        )
    packer = Packer(extension)
    packer.value(value)
    _look_for_library(len(packer.out))
    return bytes(packer.out)


def unpack(data):
    """The value of bytes."""
    _look_for_library(len(data))
    if _library is not None:
        return _library.unpackb(
            data, ext_hook=restore, raw=False, strict_map_key=False, unicode_errors="surrogatepass"
        )
    return Unpacker(data, restore).value()


def find_unserializable(value, exc):
    """Where in a value the part is that cannot leave Python, and why, given what its conversion raised."""
    if isinstance(exc, RecursionError):
        return "return", "it nests too deep, or contains itself"
    try:
        return _find(value, "return") or ("return", str(exc))
    except Exception as worse:  # a user's own __repr__ or __str__ may fail
        return "return", type(worse).__name__


def _find(value, path):
    if isinstance(value, Mapping):
        children = [("{}[{!r}]".format(path, key), item) for key, item in value.items()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        children = [("{}[{}]".format(path, index), item) for index, item in enumerate(value)]
    else:
        try:
            pack(value)
        except Exception as exc:  # whatever a conversion raised
            return path, str(exc)
        return None
    for where, item in children:
        found = _find(item, where)
        if found:
            return found
    return None
