"""MessagePack under the names of its library."""

import salt.payload
from salt.payload import loads as unpackb

HAS_MSGPACK = True


def packb(obj, use_bin_type=True, **_):
    return salt.payload.dumps(obj, use_bin_type=use_bin_type)


dumps, loads = packb, unpackb


def pack(obj, stream, **_):
    stream.write(packb(obj))


def unpack(stream, **_):
    return unpackb(stream.read())


dump, load = pack, unpack
