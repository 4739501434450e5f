"""MessagePack."""

import salt.payload

available = True


def serialize(obj, **options):
    return salt.payload.dumps(obj, use_bin_type=True)


def deserialize(stream_or_string, **options):
    data = stream_or_string.read() if hasattr(stream_or_string, "read") else stream_or_string
    return salt.payload.loads(data)
