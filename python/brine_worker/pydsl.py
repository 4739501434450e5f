"""The pydsl renderer: `state("web").pkg.installed("nginx").require(file="conf")`, gathered in the order of writing."""

import collections
import uuid

from .requisites import REQUISITES


class PyDslError(Exception):
    pass


class _File:
    """What one file declares, and how: `__pydsl__`."""

    def __init__(self, saltenv):
        self.saltenv = saltenv
        self.declarations = collections.OrderedDict()
        self.extends, self.includes, self.functions = [], [], []
        self.options = {"ordered": False}

    def set(self, **options):
        self.options.update(options)

    def state(self, id=None):
        id = id or "." + uuid.uuid4().hex
        if id not in self.declarations:
            self.declarations[id] = _Declaration(self, id)
        return self.declarations[id]

    def include(self, *names, **kwargs):
        self.includes += [(kwargs.get("saltenv", self.saltenv), name) for name in names]

    def extend(self, *functions):
        if self.options["ordered"] or self.functions:
            raise PyDslError("Cannot extend() after the ordered option was turned on!")
        self.extends += [self.declarations.pop(function.module.id) for function in functions]

    def data(self):
        result = collections.OrderedDict()
        if self.includes:
            result["include"] = [{saltenv: name} for saltenv, name in self.includes]
        if self.extends:
            result["extend"] = collections.OrderedDict((one.id, one.plain(True)) for one in self.extends)
        for id, declaration in self.declarations.items():
            result[id] = declaration.plain(False)
        return result


class _Declaration:
    def __init__(self, file, id):
        self.file, self.id = file, id
        self.modules = collections.OrderedDict()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self.modules:
            self.modules[name] = _Module(self.file, self.id, name)
        return self.modules[name]

    def __str__(self):
        return self.id

    def plain(self, extends):
        return collections.OrderedDict((name, module.function.plain(extends)) for name, module in self.modules.items())


class _Module:
    def __init__(self, file, id, name):
        self.file, self.id, self.name = file, id, name
        self.function = None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if self.function is None:
            self.function = _Function(self.file, self, None if name in REQUISITES else name)
        if name in REQUISITES:
            return getattr(self.function, name)
        if self.function.name not in (None, name):
            text = "Multiple state functions({}) not allowed in a state module({})!"
            raise PyDslError(text.format(name, self.name))
        self.function.name = name
        return self.function

    def __call__(self, fun, *args, **kwargs):
        return getattr(self, fun)(*args, **kwargs)

    def __str__(self):
        return self.name


class _Function:
    def __init__(self, file, module, name):
        self.module, self.name = module, name
        self.arguments = []
        if file.options["ordered"]:
            if file.functions:
                self.require(file.functions[-1].module)
            file.functions.append(self)

    def __getattr__(self, kind):
        if kind not in REQUISITES:
            raise AttributeError(kind)

        def note(*modules, **named):
            for module in modules:
                self._refer(kind, module.name, module.id)
            for name, id in named.items():
                self._refer(kind, name, id)
            return self

        return note

    def _refer(self, kind, name, id):
        if not (name and id):
            raise PyDslError("Invalid a requisite reference declaration! {}: {}".format(name, id))
        self.arguments.append({kind: [{name: str(id)}]})

    def __call__(self, *args, **kwargs):
        if args:
            self.arguments.append({"name": args[0]})
            self.arguments.extend(args[1:])
        self.arguments.extend({key: value} for key, value in kwargs.items())
        return self

    def plain(self, extends):
        if self.name:
            return [self.name, *self.arguments]
        if extends:
            return self.arguments
        raise PyDslError("No state function specified for module: {}".format(self.module.name))


def rendered(module, text, path, variables):
    file = _File(variables.get("saltenv", "base"))
    vars(module).update(__pydsl__=file, state=file.state, include=file.include, extend=file.extend)
    exec(compile(text, path or "<sls>", "exec", dont_inherit=True), vars(module))
    return file.data()
