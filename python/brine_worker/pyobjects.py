"""
The pyobjects renderer: states are calls of objects named after their modules, `Pkg.installed("nginx")`, and blocks under
`with` require what they stand in.
"""

import collections
import inspect
import re

from .calls import Dunder
from .requisites import REQUISITES


class InvalidFunction(Exception):
    pass


class DuplicateState(Exception):
    pass


class _Gathered:
    """What one file declares."""

    def __init__(self):
        self.states, self.extends = collections.OrderedDict(), collections.OrderedDict()
        self.includes, self.around = [], []
        self.enabled = True

    def add(self, name, state):
        if not self.enabled:
            return
        extends = isinstance(name, _Extended)
        place = self.extends if extends else self.states
        id_ = name.name if extends else name
        entry = place.setdefault(id_, collections.OrderedDict())
        if state.full in entry:
            raise DuplicateState("A state with id ''{}'', type ''{}'' exists".format(id_, state.full))
        for requisite in self.around:
            state.arguments.setdefault(requisite.kind, []).append(requisite.plain())
        entry[state.full] = state.plain()

    def include(self, *names):
        if self.enabled:
            self.includes += names

    def data(self):
        result = collections.OrderedDict(self.states)
        if self.includes:
            result["include"] = self.includes
        if self.extends:
            result["extend"] = self.extends
        return result


class _Extended:
    def __init__(self, name):
        self.name = name


class _Block:
    """Something that others may stand in."""

    def __enter__(self):
        self.gathered.around.append(self.requisite())
        return self

    def __exit__(self, *_):
        self.gathered.around.pop()


class _Requisite(_Block):
    def __init__(self, gathered, kind, module, id_):
        self.gathered, self.kind, self.module, self.id_ = gathered, kind, module, id_

    def requisite(self):
        return self

    def plain(self):
        return {self.module: self.id_}

    __call__ = plain


class _State(_Block):
    def __init__(self, gathered, id_, module, fun, arguments):
        self.gathered, self.module = gathered, module
        self.full = "{}.{}".format(module, fun)
        self.arguments = {key: self._listed(key, value) for key, value in arguments.items()}
        gathered.add(id_, self)
        self.id_ = id_.name if isinstance(id_, _Extended) else id_

    @staticmethod
    def _listed(key, value):
        return [value] if key in REQUISITES and not hasattr(value, "__iter__") else value

    def requisite(self):
        return _Requisite(self.gathered, "require", self.module, self.id_)

    def plain(self):
        def shown(key, value):
            return [item.plain() if isinstance(item, _Requisite) else item for item in value] if key in REQUISITES else value

        return [{key: shown(key, self.arguments[key])} for key in sorted(self.arguments)]


class _Factory:
    """`Pkg`: its functions make states, calling it makes a requisite."""

    def __init__(self, gathered, module, functions):
        self._gathered, self._module, self._functions = gathered, module, functions

    def __getattr__(self, fun):
        if fun not in self._functions:
            raise InvalidFunction("The function '{}' does not exist in the StateFactory for '{}'".format(fun, self._module))
        return lambda id_, **kwargs: _State(self._gathered, id_, self._module, fun, kwargs)

    def __call__(self, id_, requisite="require"):
        return _Requisite(self._gathered, requisite, self._module, id_)


class _MapMaker(type):
    """Attributes of the inner class whose name, or `__match__`, is what the grain says."""

    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        choices = [(key, value) for key, value in body.items() if inspect.isclass(value) and not key.startswith("_")]
        order = {grain: index for index, grain in enumerate(getattr(cls, "priority", ()))}
        choices.sort(key=lambda choice: order.get(getattr(choice[1], "__grain__", "os_family"), len(order)))
        functions = Dunder("__salt__")
        for key, choice in choices:
            grain = getattr(choice, "__grain__", "os_family")
            if functions["grains.get"](grain) == getattr(choice, "__match__", key):
                cls._take({name: value for name, value in vars(choice).items() if not name.startswith("_")})
        if hasattr(cls, "merge"):
            cls._take(functions["pillar.get"](cls.merge) or {})

    def _take(cls, values):
        for name, value in values.items():
            setattr(cls, name, value)


class _Imported:
    """A file that another one imports by its name."""

    def __init__(self, name, names):
        self.__name__ = name
        self.__dict__.update({key: value for key, value in names.items() if not key.startswith("__")})


_IMPORT = re.compile(r"^\s*import\s+'?(salt://[^'\s]+)'?\s*$")
_FROM = re.compile(r"^\s*from\s+'?(salt://[^'\s]+)'?\s+import\s+(.*)$")


def _names(gathered, module, variables):
    functions = Dunder("__salt__")
    known = collections.defaultdict(set)
    for name in functions["sys.list_state_functions"]():
        owner, _, fun = name.partition(".")
        known[owner].add(fun)
    names = {
        "".join(word.capitalize() for word in owner.split("_")): _Factory(gathered, owner, funs)
        for owner, funs in known.items()
    }
    names.update({name: functions[name + ".get"] for name in ("pillar", "grains", "mine", "config")})
    names.update({"include": gathered.include, "extend": _Extended, "Map": _MapMaker("Map", (), {}), "salt": functions})
    names.update({name: value for name, value in vars(module).items() if name.startswith("__")})
    names["__sls__"] = variables.get("sls")
    return names


def _with_imports(text, names, saltenv):
    """The text without its imports of other files, and the names with what they bring."""
    own, lines = dict(names), []
    for line in text.split("\n"):
        whole, parts = _IMPORT.match(line), _FROM.match(line)
        if not whole and not parts:
            lines.append(line)
            continue
        lines.append("")
        url = (whole or parts).group(1)
        path = Dunder("__salt__")["cp.cache_file"](url, saltenv)
        if not path:
            raise ImportError("Could not find the file '{}'".format(url))
        with open(path, encoding="utf-8") as handle:
            inner, found = _with_imports(handle.read(), names, saltenv)
        exec(compile(inner, path, "exec", dont_inherit=True), found)
        if whole:
            stem = path.rpartition("/")[2].rpartition(".")[0]
            own[stem] = _Imported(stem, found)
            continue
        for part in parts.group(2).split(","):
            name, _, alias = (word.strip() for word in part.partition(" as "))
            if name not in found:
                raise ImportError("'{}' was not found in '{}'".format(name, url))
            own[alias or name] = found[name]
    return "\n".join(lines), own


def rendered(module, text, path, variables):
    gathered = _Gathered()
    gathered.enabled = False
    body, names = _with_imports(text, _names(gathered, module, variables), variables.get("saltenv", "base"))
    gathered.enabled = True
    exec(compile(body, path or "<sls>", "exec", dont_inherit=True), names)
    return gathered.data()
