"""Salt's own MessagePack: what events, caches and frames are written in."""

import datetime

from brine_worker import wire

_DATETIME = 78
_FORM = "%Y%m%dT%H:%M:%S.%f"


def _extension(value):
    if isinstance(value, datetime.date):
        if not isinstance(value, datetime.datetime):
            value = datetime.datetime(value.year, value.month, value.day)
        return _DATETIME, value.strftime(_FORM).encode()
    if isinstance(value, (tuple, set, frozenset)):
        return list(value)
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, int) and not isinstance(value, bool) and not -(1 << 63) <= value < 1 << 64:
        return str(value)
    return wire.extension(value)


def _restore(code, content):
    return datetime.datetime.strptime(content.decode(), _FORM) if code == _DATETIME else content


class _TextPacker(wire.Packer):
    """Writes bytes as text, which is what they were before MessagePack told these apart."""

    def value(self, value):
        if type(value) is bytes:
            self.head(len(value), 0xA0, 32, (0xD9, 0xDA, 0xDB))
            self.out += value
        else:
            super().value(value)


def dumps(msg, use_bin_type=False):
    packer = (wire.Packer if use_bin_type else _TextPacker)(_extension)
    packer.value(msg)
    return bytes(packer.out)


def loads(msg, encoding=None, raw=False):
    return wire.Unpacker(msg, _restore).value()


def dump(msg, fn_):
    fn_.write(dumps(msg))


def load(fn_):
    return loads(fn_.read())


def unpacker(data):
    """Reads values one behind the other from what came so far."""
    return wire.Unpacker(data, _restore)


class Serial:
    """The old way to the same."""

    def __init__(self, opts=None):
        self.opts = opts

    loads = staticmethod(loads)
    dumps = staticmethod(dumps)
    load = staticmethod(load)
    dump = staticmethod(dump)
