"""A set that keeps the order in which its members came."""

import collections.abc

SLICE_ALL = slice(None)


def is_iterable(obj):
    return hasattr(obj, "__iter__") and not isinstance(obj, (str, tuple))


class OrderedSet(collections.abc.MutableSet, collections.abc.Sequence):
    def __init__(self, iterable=None):
        self._members = dict.fromkeys(iterable or ())

    def __contains__(self, item):
        return item in self._members

    def __iter__(self):
        return iter(self._members)

    def __len__(self):
        return len(self._members)

    def __getitem__(self, index):
        if index == SLICE_ALL:
            return self.copy()
        if isinstance(index, slice):
            return OrderedSet(list(self._members)[index])
        if is_iterable(index):
            return [list(self._members)[one] for one in index]
        return list(self._members)[index]

    def add(self, key):
        self._members[key] = None
        return self.index(key)

    append = add

    def discard(self, key):
        self._members.pop(key, None)

    def pop(self, last=True):
        key = next(reversed(self._members)) if last else next(iter(self._members))
        del self._members[key]
        return key

    def update(self, sequence):
        for item in sequence:
            self.add(item)

    def index(self, key):
        return [self.index(one) for one in key] if is_iterable(key) else list(self._members).index(key)

    def copy(self):
        return OrderedSet(self._members)

    def __eq__(self, other):
        if isinstance(other, (OrderedSet, list, tuple)):
            return list(self) == list(other)
        return set(self) == set(other) if isinstance(other, collections.abc.Set) else NotImplemented

    def __repr__(self):
        return "OrderedSet({!r})".format(list(self)) if self else "OrderedSet()"
