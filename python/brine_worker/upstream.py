"""
A real Salt beside ours, where the option asks for it: `import salt` means that one then, and its modules can serve for
what the host lacks.
"""

import os
import sys

from . import search_path

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class _Finder:
    """Finds the salt package anywhere but beside the worker."""

    def find_spec(self, name, path=None, target=None):
        if name != "salt":
            return None
        import importlib.machinery

        elsewhere = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
        return importlib.machinery.PathFinder.find_spec(name, elsewhere)


def prefer():
    """Lets `import salt` mean a real Salt, if there is one."""
    search_path.open_site()
    finder = _Finder()
    if finder.find_spec("salt") is not None:
        sys.meta_path.insert(0, finder)
