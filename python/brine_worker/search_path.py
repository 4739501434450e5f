"""
The search path. Python's `site`, with the packages installed on this machine, is read when something is imported that
neither Python nor Brine has: the worker starts without it, and many modules never need it.
"""

import sys

_OWN = frozenset(("salt", "brine_worker"))

# folders of modules that are being read
beside = []


def is_open():
    return not sys.flags.no_site or _Door.is_open


def open_site():
    """Reads `site` once, with its .pth files."""
    if is_open():
        return
    _Door.is_open = True
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Door)]
    import site

    site.main()
    # the folder of the module that is being read comes behind installed packages, as in Salt
    for folder in beside:
        sys.path.remove(folder)
        sys.path.append(folder)


class _Door:
    """Stands before the finders of Python, and lets them look further when a name is not one of Python's own."""

    is_open = False

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in _OWN:
            open_site()

    def find_distributions(self, *_):
        open_site()
        return ()


def install():
    """Begins to watch; the names of Python's own modules are known since 3.10."""
    import builtins

    builtins.exit = builtins.quit = sys.exit
    if hasattr(sys, "stdlib_module_names"):
        sys.meta_path.insert(0, _Door())
    else:
        open_site()
