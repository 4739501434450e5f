"""
A real Salt beside ours, where the option asks for it: `import salt` means that one then, and its modules can serve for
what the host lacks. They are listed by their text; one is read when a function of it is called.
"""

import os
import re
import sys

from . import search_path

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FUNCTION = re.compile(r"^def ([a-zA-Z]\w*)\(", re.MULTILINE)
_VIRTUAL = re.compile(r"""^__virtualname__ = ["']([\w.]+)["']""", re.MULTILINE)
_ALIASES = re.compile(r"^__func_alias__ = \{(.*?)\}", re.MULTILINE | re.DOTALL)
_PAIR = re.compile(r"""["'](\w+)["']\s*:\s*["'](\w+)["']""")

_root = None


class _Finder:
    """Finds the salt package anywhere but beside the worker."""

    def find_spec(self, name, path=None, target=None):
        if name != "salt":
            return None
        import importlib.machinery

        elsewhere = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
        return importlib.machinery.PathFinder.find_spec(name, elsewhere)


def prefer():
    """Looks for a Salt; whether there is one."""
    global _root
    search_path.open_site()
    finder = _Finder()
    spec = finder.find_spec("salt")
    if spec is None:
        return
    sys.meta_path.insert(0, finder)
    _root = os.path.dirname(spec.origin)


def listing(family):
    """The files of a family with the names and functions that their text tells of."""
    folder = os.path.join(_root, family) if _root else ""
    found = []
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        stem, _, ending = file.rpartition(".")
        if ending == "py" and not stem.startswith("_"):
            found.append(_listed(os.path.join(folder, file), stem))
    return found


def _listed(path, stem):
    with open(path, encoding="utf-8") as handle:
        text = handle.read()
    virtual = _VIRTUAL.search(text)
    aliases = _ALIASES.search(text)
    renamed = dict(_PAIR.findall(aliases.group(1))) if aliases else {}
    functions = [renamed.get(name, name) for name in _FUNCTION.findall(text)]
    return {"path": path, "file": stem, "name": virtual.group(1) if virtual else stem, "functions": functions}
