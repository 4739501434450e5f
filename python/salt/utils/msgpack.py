"""MessagePack under the names of its library."""

from salt.payload import dumps as packb
from salt.payload import loads as unpackb

HAS_MSGPACK = True
dumps, loads = packb, unpackb


def pack(obj, stream, **_):
    stream.write(packb(obj))


def unpack(stream, **_):
    return unpackb(stream.read())


dump, load = pack, unpack
