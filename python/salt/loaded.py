"""The parent of users' own modules: `salt.loaded.ext.module.<name>`."""

import sys
import types

__path__ = []


def make_parents(full):
    """Makes the packages above a module's dotted name, so that it can be pickled and imported by it."""
    words = full.split(".")[:-1]
    for count in range(3, len(words) + 1):
        name = ".".join(words[:count])
        if name not in sys.modules:
            package = types.ModuleType(name)
            package.__path__ = []
            sys.modules[name] = package
            setattr(sys.modules[".".join(words[: count - 1])], words[count - 1], package)
