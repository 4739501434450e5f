"""Collections that cannot be changed."""

import collections.abc
import types


def freeze(obj):
    if isinstance(obj, collections.abc.Mapping):
        return types.MappingProxyType({key: freeze(value) for key, value in obj.items()})
    if isinstance(obj, (list, tuple)):
        return tuple(freeze(item) for item in obj)
    if isinstance(obj, (set, frozenset)):
        return frozenset(obj)
    return obj


ImmutableDict, ImmutableList, ImmutableSet = types.MappingProxyType, tuple, frozenset
