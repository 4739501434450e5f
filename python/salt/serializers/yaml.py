"""YAML."""

import salt.utils.yaml

from . import DeserializationError

available = True


def serialize(obj, **options):
    return salt.utils.yaml.safe_dump(obj, **options)


def deserialize(stream_or_string, **options):
    try:
        return salt.utils.yaml.safe_load(stream_or_string)
    except salt.utils.yaml.YAMLError as exc:
        raise DeserializationError(exc) from None
