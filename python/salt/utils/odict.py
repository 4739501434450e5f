"""Ordered dicts, from before all dicts were."""

from collections import OrderedDict, defaultdict


class DefaultOrderedDict(OrderedDict):
    def __init__(self, default_factory=None, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.default_factory = default_factory

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        self[key] = value = self.default_factory()
        return value


HashableOrderedDict = OrderedDict
__all__ = ["DefaultOrderedDict", "HashableOrderedDict", "OrderedDict", "defaultdict"]
