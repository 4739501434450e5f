"""Collections that cannot be changed, views of others."""

import collections.abc
import copy


class _View:
    def __init__(self, obj):
        self._obj = obj

    def __len__(self):
        return len(self._obj)

    def __iter__(self):
        return iter(self._obj)

    def __contains__(self, item):
        return item in self._obj

    def __repr__(self):
        return "<{} {!r}>".format(type(self).__name__, self._obj)

    def __deepcopy__(self, memo):
        return copy.deepcopy(self._obj, memo)

    def copy(self):
        return copy.deepcopy(self)

    def __brine_plain__(self):
        return self._obj


class ImmutableDict(_View, collections.abc.Mapping):
    def __getitem__(self, key):
        return freeze(self._obj[key])


class ImmutableList(_View, collections.abc.Sequence):
    def __getitem__(self, key):
        return freeze(self._obj[key])

    def __iter__(self):
        return map(freeze, self._obj)

    def __eq__(self, other):
        return list(self) == list(other)

    __hash__ = None


class ImmutableSet(_View, collections.abc.Set):
    pass


def freeze(obj):
    if isinstance(obj, _View):
        return obj
    if isinstance(obj, dict):
        return ImmutableDict(obj)
    if isinstance(obj, list):
        return ImmutableList(obj)
    return ImmutableSet(obj) if isinstance(obj, set) else obj
