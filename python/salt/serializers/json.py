"""JSON."""

import salt.utils.json

from . import DeserializationError, SerializationError

available = True


def serialize(obj, **options):
    try:
        return salt.utils.json.dumps(obj, **options)
    except (TypeError, ValueError) as exc:
        raise SerializationError(exc) from None


def deserialize(stream_or_string, **options):
    text = stream_or_string.read() if hasattr(stream_or_string, "read") else stream_or_string
    try:
        return salt.utils.json.loads(text, **options)
    except ValueError as exc:
        raise DeserializationError(exc) from None
