"""Python files that stand where SLS files do: their `run()` gives the data, or what they declare is gathered."""

import os
import sys
import types

from .calls import Dunder


def _module(path, variables):
    """A module for a rendered file, with what templates see under its plain and its dunder names."""
    module = types.ModuleType("salt.rendered")
    module.__file__ = path or "<sls>"
    names = {"salt": Dunder("__salt__"), "__salt__": Dunder("__salt__"), "proxy": {}, "__proxy__": {}}
    for name in ("opts", "grains", "pillar", "context", "utils"):
        names["__{}__".format(name)] = Dunder("__{}__".format(name))
    for name in ("opts", "grains", "pillar"):
        names[name] = names["__{}__".format(name)].value()
    names.update(variables)
    names.update({"__{}__".format(name): variables[name] for name in ("saltenv", "env", "sls") if name in variables})
    vars(module).update(names)
    return module, names


def _execute(text, path, variables):
    module, names = _module(path, variables)
    sys.modules[module.__name__] = module
    exec(compile(text, path or "<sls>", "exec", dont_inherit=True), vars(module))
    # a file may declare the names for the sake of checkers
    vars(module).update(names)
    return module


def render_py(text, path, variables, _arguments):
    module = _execute(text, path, variables)
    if not hasattr(module, "run"):
        name = os.path.basename(path).split(".")[0] or module.__name__
        raise AttributeError("module '{}' has no attribute 'run'".format(name))
    return module.run()


def render_pydsl(text, path, variables, _arguments):
    from . import pydsl

    module, _ = _module(path, variables)
    return pydsl.rendered(module, text, path, variables)


def render_pyobjects(text, path, variables, _arguments):
    from . import pyobjects

    module, _ = _module(path, variables)
    return pyobjects.rendered(module, text, path, variables)


def render_mako(text, path, variables, _arguments):
    from . import makotemplates

    _, names = _module(path, variables)
    return makotemplates.rendered(text, path, names)


RENDERERS = {"mako": render_mako, "py": render_py, "pydsl": render_pydsl, "pyobjects": render_pyobjects}
