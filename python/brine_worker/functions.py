"""
Functions by name, as modules see them in `__salt__`, `__states__`, `__runner__` and `__utils__`. Those of the host are
asked for; those of users' own Python modules are called at once, so that any object may pass between them.
"""

from _collections_abc import Mapping

from . import modules
from .calls import Call, current, source


def _marked(value, marks):
    """
    A text in place of an object that only says `not set`: modules hand one over as a default, and ask whether they get the same
    object back.
    """
    if type(value) is not object and type(value).__name__ != "_Constant":
        return value
    mark = "\0not set {}".format(id(value))
    marks[mark] = value
    return mark


class HostFunction:
    """A function of the host."""

    def __init__(self, family, name):
        self._family = family
        self.name = name
        self.__name__ = name.rpartition(".")[2]
        self.__module__ = "salt.loaded.int.module." + name.partition(".")[0]

    def __call__(self, *args, **kwargs):
        marks = {}
        given = [_marked(value, marks) for value in args]
        named = {key: _marked(value, marks) for key, value in kwargs.items()}
        answer = current().ask("call", self._family, self.name, given, named)
        return marks.get(answer, answer) if marks and isinstance(answer, str) else answer

    @property
    def __doc__(self):
        return current().ask("doc", self._family, self.name)

    def __repr__(self):
        return "<LoadedFunc name='{}'>".format(self.name)


class _Module:
    """`__salt__.test.ping`."""

    def __init__(self, functions, name):
        self._functions = functions
        self._name = name

    def __getattr__(self, name):
        try:
            return self._functions["{}.{}".format(self._name, name)]
        except KeyError:
            raise AttributeError(name) from None


class Functions(Mapping):
    def __init__(self, family):
        self._family = family
        self._known = {}

    def _find(self, name):
        if not isinstance(name, str):
            raise KeyError(name)
        known = self._known
        if name not in known:
            known[name] = self._resolve(name)
        return known[name]

    def _resolve(self, name):
        found = current().ask("find", self._family, name)
        if found is None:
            return None
        if found[0] == "python":
            return modules.function(found[1], found[2])
        return HostFunction(self._family, name)

    def __getitem__(self, name):
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name):
        return isinstance(name, str) and self._find(name) is not None

    def get(self, name, default=None):
        found = self._find(name)
        return default if found is None else found

    def __iter__(self):
        return iter(current().ask("names", self._family))

    def __len__(self):
        return len(current().ask("names", self._family))

    def __bool__(self):
        return True

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _Module(self, name)


class _ProxyCall(Call):
    """What a function of a proxy module sees when another module calls it: everything as there, but its own `__context__`."""

    def ask(self, method, *payload):
        return None if method == "memory" else super().ask(method, *payload)


class ProxyFunction:
    """A function of the proxy module. It runs at once in this process, so that connections may pass between modules."""

    def __init__(self, name, function):
        self._function = function
        self.name = name
        self.__name__ = name.rpartition(".")[2]
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__

    def __call__(self, *args, **kwargs):
        call = current()
        facts = dict(call.facts, memory=call.facts["proxy"], retcode=True)
        with _ProxyCall(call.channel, call.number, facts):
            return self._function(*args, **kwargs)

    def __repr__(self):
        return "<LoadedFunc name='{}'>".format(self.name)


class Proxy(Functions):
    """`__proxy__` on a proxy minion."""

    def __init__(self):
        super().__init__("proxy")

    def _resolve(self, name):
        found = current().ask("find", "proxy", name)
        if found is not None and found[0] == "python":
            return ProxyFunction(name, modules.function(found[1], found[2], "proxy"))
        return None if found is None else HostFunction("proxy", name)


class Utils(Functions):
    """`__utils__`: users' own, then what the salt package has."""

    def __init__(self):
        super().__init__("utils")

    def _resolve(self, name):
        module, _, fun = name.partition(".")
        own = modules.utility(module, current())
        found = getattr(own, fun, None) if own is not None else None
        if found is None:
            import importlib

            try:
                found = getattr(importlib.import_module("salt.utils." + module), fun, None)
            except ImportError:
                found = None
        return found

    def __iter__(self):
        return iter(modules.utility_names(current()))

    def __len__(self):
        return len(modules.utility_names(current()))


def _source_of(name, family):
    @source(name)
    def make(call):
        return Functions((call.facts.get("families") or {}).get(name, family))


for _name, _family in (
    ("__salt__", "function"),
    ("__states__", "state"),
    ("__thorium__", "state"),
    ("__runner__", "runner"),
    ("__runners__", "runner"),
    ("__wheel__", "wheel"),
    ("__ret__", "returner"),
    ("__returners__", "returner"),
    ("__sdb__", "sdb"),
    ("__executors__", "executor"),
    ("__serializers__", "serializer"),
    ("__resource_funcs__", "resource"),
    ("__minion__", "minion"),
):
    _source_of(_name, _family)


@source("__proxy__")
def _proxy(call):
    return Proxy() if "proxy" in call.facts else {}


@source("__utils__")
def _utils(_call):
    return Utils()
