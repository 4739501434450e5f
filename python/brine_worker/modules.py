"""
Users' own modules: read from their files, given their dunders, asked whether they serve this minion, and described to
the host. A file is read again when it has changed.
"""

import os
import sys

from . import extensions, parameters, search_path
from .calls import Dunder, current, source
from .host_log import logger
from .sources import files

# the word in the dotted name of loaded modules, where it is not the family's
TAGS = {"modules": "module", "renderers": "render"}

DUNDERS = (
    "__salt__", "__states__", "__runner__", "__runners__", "__utils__", "__ret__", "__returners__", "__wheel__",
    "__sdb__", "__executors__", "__serializers__", "__opts__", "__grains__", "__pillar__", "__context__", "__proxy__",
    "__low__", "__running__", "__jid_event__", "__thorium__", "__active_provider_name__",
    "__resource__", "__resource_funcs__", "__minion__",
)  # fmt: skip

_loaded = {}

_Module, _Spec, _Function = type(sys), type(sys.__spec__), type(lambda: None)


class _Loaded:
    def __init__(self, path, stamp, family, name):
        self.path, self.stamp, self.family, self.name = path, stamp, family, name
        self.module = None
        self.failure = None


@source("__file_client__")
def _file_client(_call):
    """Nothing: modules that find none make one of their own."""
    return None


@source("__active_provider_name__")
def _active_provider(call):
    return call.facts.get("active_provider")


for _name in ("low", "running", "resource"):
    source("__{}__".format(_name))(lambda call, name=_name: call.facts.get(name) or {})


class JidEvent:
    """`__jid_event__`: tells who waits for a runner how far it is."""

    def fire_event(self, data, tag, timeout=1000):
        return current().ask("jid_event", data, tag)


@source("__jid_event__")
def _jid_event(_call):
    return JidEvent()


# what modules see as plain values, set before each call
PLAIN = {
    "env": "__env__",
    "instance_id": "__instance_id__",
    "lowstate": "__lowstate__",
    "reg": "__reg__",
    "events": "__events__",
}


def _stamp(path):
    return files().stamp(os.path.join(path, "__init__.py") if files().is_folder(path) else path)


def load(path, family, extension=None):
    """The module of a file; its failure is kept too, until the file changes."""
    stamp = _stamp(path)
    known = _loaded.get(path)
    if known is not None and known.stamp == stamp:
        return known
    name = os.path.basename(path)
    name = name if files().is_folder(path) else name.rpartition(".")[0]
    _let_go(path, fresh=known is None)
    entry = _Loaded(path, stamp, family, name)
    full = "salt.loaded.ext.{}.{}".format(TAGS.get(family, family), name)
    try:
        entry.module = _execute(full, path, family)
    except (Exception, SystemExit) as exc:  # users' code may raise anything
        entry.failure = exc
        _log_failure(family, name, exc, extension)
    _loaded[path] = entry
    return entry


def _let_go(path, fresh):
    """Makes `_utils` importable, and what modules imported from beside them be read again after a change."""
    for folder in current().facts.get("utils") or ():
        if folder not in sys.path and files().is_folder(folder):
            sys.path.append(folder)
    if fresh:
        return
    root = os.path.dirname(os.path.dirname(path)) + os.sep
    for name, module in list(sys.modules.items()):
        if not name.startswith("salt.loaded.") and str(getattr(module, "__file__", None) or "").startswith(root):
            del sys.modules[name]


def _execute(full, path, family):
    is_package = files().is_folder(path)
    file = os.path.join(path, "__init__.py") if is_package else path
    module = _empty(full, file, is_package)
    equip(module)
    sys.modules[full] = module
    beside = os.path.dirname(path)
    sys.path.append(beside)
    search_path.beside.append(beside)
    try:
        # compiled anew: two changes within a second would not be told apart by a cached form
        exec(compile(files().read(file), file, "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        sys.modules.pop(full, None)
        raise
    finally:
        sys.path.remove(beside)
        search_path.beside.remove(beside)
    equip(module, keep=("__salt__",) if family == "grains" else ())
    return module


def _empty(full, file, is_package):
    """A module before its text has run, below the packages of its dotted name."""
    parent = None
    words = full.split(".")
    for count in range(2, len(words)):
        name = ".".join(words[:count])
        package = sys.modules.get(name)
        if package is None:
            package = sys.modules[name] = _Module(name)
            package.__path__ = []
            if parent is not None:
                setattr(parent, words[count - 1], package)
        parent = package
    module = _Module(full)
    module.__file__ = file
    module.__loader__ = files().loader(full, file)
    module.__spec__ = _Spec(full, module.__loader__, origin=file, is_package=is_package)
    module.__package__ = full if is_package else full.rpartition(".")[0]
    if is_package:
        module.__path__ = module.__spec__.submodule_search_locations = [os.path.dirname(file)]
    setattr(parent, words[-1], module)
    return module


def equip(module, keep=()):
    """Gives a module its dunders, also where its text declares its own, but for those that its family must make itself."""
    for name in DUNDERS:
        if name not in keep:
            setattr(module, name, Dunder(name))


def _log_failure(family, name, exc, extension):
    from .failures import of_users

    kind, exc = family.rstrip("s"), of_users(exc)
    if extension is not None:
        label, lacking = extension[1], extensions.lacking(exc)
        if lacking is not None:
            text = "Salt extension %s: %s %s needs %s, which Brine does not have: %s"
            logger(__name__).warning(text, label, kind, name, lacking, exc)
            return
        if not isinstance(exc, ImportError):
            text = "Salt extension %s: %s %s cannot be loaded: %s: %s"
            logger(__name__).error(text, label, kind, name, type(exc).__name__, exc)
            return
    if isinstance(exc, ImportError):
        logger(__name__).debug("Failed to import %s %s:", kind, name, exc_info=exc)
        return
    logger(__name__).error("Failed to import %s %s, this is due most likely to a syntax error:", kind, name, exc_info=exc)


def describe(path, family, extension=None):
    """What the host needs to know of a module: its name, its functions, or why it does not serve."""
    problem = extensions.problem(*extension) if extension else None
    if problem is not None:
        name = os.path.basename(path).partition(".")[0]
        return {"path": path, "file": name, "name": name, "functions": {}, "reason": problem, "doc": None}
    entry = load(path, family, extension)
    facts = {"path": path, "file": entry.name, "name": entry.name, "functions": {}, "reason": None, "doc": None}
    module = entry.module
    if module is None:
        facts["reason"] = "" if entry.failure is None else _import_reason(entry.failure)
        return facts
    facts["doc"] = module.__doc__
    _settle_dependencies(module)
    disabled = _proxy_reason(module, family)
    served, reason = (None, disabled) if disabled else _virtual(module, entry)
    facts["name"] = served or getattr(module, "__virtualname__", entry.name)
    facts["aliases"] = list(getattr(module, "__virtual_aliases__", ()))
    facts["reason"] = reason
    facts["functions"] = {name: _function_facts(module, attr, name) for name, attr in public(module).items()}
    if served and not _initialise(module):
        facts["reason"] = "__init__ failed"
    return facts


def _proxy_reason(module, family):
    """Why a module does not serve on a proxy minion of this type."""
    opts = current().document("opts") if family in ("grains", "proxy") else {}
    kind = opts.get("proxy")
    if not isinstance(kind, dict) or not kind.get("proxytype"):
        return None
    enabled = getattr(module, "__proxyenabled__", ())
    if kind["proxytype"] in enabled or "*" in enabled:
        return None
    return "it does not name {!r} in __proxyenabled__".format(kind["proxytype"])


def _import_reason(exc):
    return "{}: {}".format(type(exc).__name__, exc) if not isinstance(exc, ImportError) else str(exc)


def _virtual(module, entry):
    """The name a module serves under, or why it does not."""
    if not isinstance(getattr(module, "__virtual__", None), _Function):
        return entry.name, None
    name = getattr(module, "__virtualname__", entry.name)
    try:
        verdict = module.__virtual__()
    except (Exception, SystemExit) as exc:  # users' code may raise anything
        text = "Exception raised when processing __virtual__ function for {}. Module will not be loaded: {}"
        text = text.format(module.__name__, exc)
        from .failures import of_users

        logger(__name__).error(text, exc_info=of_users(exc))
        return None, text
    reason = None
    if isinstance(verdict, tuple):
        verdict, reason = verdict[0], verdict[1] if len(verdict) > 1 else None
    if verdict is True:
        return name, None
    if not verdict:
        return None, "" if reason is None else str(reason)
    return str(verdict), None


def _initialise(module):
    """Runs `__init__`; false when it fails."""
    begin = module.__dict__.get("__init__")
    if isinstance(begin, _Function):
        try:
            begin(module.__opts__)
        except TypeError as exc:
            logger(__name__).error("__init__ of %s takes no options: %s", module.__name__, exc)
        except (Exception, SystemExit) as exc:  # users' code may raise anything
            logger(__name__).error("__init__ of %s failed:", module.__name__, exc_info=exc)
            return False
    return True


def _settle_dependencies(module):
    """Takes away what `@depends` says cannot run here, or puts its substitute in the place."""
    for name, value in list(vars(module).items()):
        settle = getattr(value, "__settle__", None)
        if settle is None:
            continue
        chosen = settle(module)
        if chosen is None:
            delattr(module, name)
        else:
            setattr(module, name, chosen)


def public(module, prefix="salt.loaded."):
    """Attribute names of the functions, by the name they are called."""
    aliases = getattr(module, "__func_alias__", {})
    found = {}
    for attr in getattr(module, "__load__", None) or dir(module):
        if attr.startswith("_"):
            continue
        value = getattr(module, attr, None)
        # functions that a module imported are not its own
        if isinstance(value, _Function) and str(value.__module__).startswith(prefix):
            found[aliases.get(attr, attr)] = attr
    return found


def _function_facts(module, attr, name):
    value = getattr(module, attr)
    facts = {"attr": attr, "doc": value.__doc__ or None, "args": parameters.of(value), "called": attr}
    outputters = getattr(module, "__outputter__", None)
    if isinstance(outputters, dict) and outputters.get(name, outputters.get(attr)):
        facts["outputter"] = outputters.get(name, outputters.get(attr))
    return facts


def function(path, attr, family="modules"):
    """A function of a module, which is loaded when a new worker does not have it yet."""
    entry = _loaded.get(path)
    if entry is None:
        describe(path, family)
        entry = _loaded[path]
    if entry.module is None:
        raise entry.failure
    facts = current().facts
    for name, dunder in PLAIN.items():
        if name in facts:
            setattr(entry.module, dunder, facts[name])
    return getattr(entry.module, attr)


def utility(name, call):
    """A module of users' own `_utils`, loaded when it is first used."""
    for folder in call.facts.get("utils") or ():
        for path in (os.path.join(folder, name + ".py"), os.path.join(folder, name)):
            if files().is_file(path) or files().is_file(os.path.join(path, "__init__.py")):
                return load(path, "utils").module
    return None


def utility_names(call):
    names = []
    for folder in call.facts.get("utils") or ():
        for file in files().names(folder):
            stem, _, ending = file.rpartition(".")
            module = load(os.path.join(folder, file), "utils").module if ending == "py" else None
            names.extend("{}.{}".format(stem, fun) for fun in public(module, "") if module is not None)
    return names
