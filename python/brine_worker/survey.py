"""
What the text of a module tells without running it: the names it may serve under, its functions, and the first thing in it, or in
users' own files that it imports, that touches the machine the module is about.
"""

import ast
import os

from . import portable
from .sources import files

_known = {}


class _Uses(ast.NodeVisitor):
    """What a file uses, in its order: pairs of line and dotted name, and users' own files that it imports."""

    def __init__(self, path, utils):
        self._beside = os.path.dirname(path)
        self._utils = utils
        self._bound = {}
        self.own = []
        self.needs = []

    def look(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    self._import(node, alias.name, [(alias.asname or top, alias.name if alias.asname else top)])
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node)
        self.visit(tree)
        self.needs.sort()

    def _import_from(self, node):
        if node.level > 0:
            folder = self._beside
            for _ in range(node.level - 1):
                folder = os.path.dirname(folder)
            for name in [node.module] if node.module else [alias.name for alias in node.names]:
                self._add_own(node, name, self._file(folder, name))
            return
        bound = [(alias.asname or alias.name, "{}.{}".format(node.module, alias.name)) for alias in node.names]
        self._import(node, node.module, [pair for pair in bound if pair[0] != "*"])
        if any(alias.name == "*" for alias in node.names) and portable.is_known(node.module):
            self._judge(node, node.module)

    def _import(self, node, module, bound):
        if portable.is_known(module):
            self._bound.update(bound)
            return
        found = (self._file(folder, module) for folder in [self._beside, *self._utils])
        self._add_own(node, module, next((path for path in found if path), None))

    def _add_own(self, node, module, path):
        if path is None:
            self.needs.append((node.lineno, "imports {}".format(module)))
        else:
            self.own.append((node.lineno, module, path))

    @staticmethod
    def _file(folder, module):
        stem = os.path.join(folder, *module.split("."))
        top = os.path.join(folder, module.partition(".")[0])
        wanted = (stem + ".py", stem + "/__init__.py", top + ".py", top + "/__init__.py")
        return next((path for path in wanted if files().is_file(path)), None)

    def _judge(self, node, name):
        if not portable.is_portable(name):
            self.needs.append((node.lineno, "uses {}".format(name)))

    def visit_Attribute(self, node):
        words = []
        inner = node
        while isinstance(inner, ast.Attribute):
            words.append(inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name):
            self.generic_visit(node)
        elif inner.id in self._bound:
            self._judge(node, ".".join([self._bound[inner.id]] + words[::-1]))
        else:
            self.visit(inner)

    def visit_Name(self, node):
        if node.id in self._bound and isinstance(node.ctx, ast.Load):
            self._judge(node, self._bound[node.id])
        elif node.id in portable.BUILTINS:
            self.needs.append((node.lineno, "uses {}".format(node.id)))
        elif node.id == "__utils__":
            self._utility(node, None)

    def visit_Subscript(self, node):
        name = _text(node.slice)
        if isinstance(node.value, ast.Name) and node.value.id == "__utils__" and name is not None:
            self._utility(node, name)
            return
        self.generic_visit(node)

    def _utility(self, node, name):
        """`__utils__['module.function']`, or all of users' own where the text does not say which."""
        for folder in self._utils:
            stems = [name.partition(".")[0]] if name else [file.rpartition(".")[0] for file in files().names(folder)]
            found = [(stem, self._file(folder, stem)) for stem in stems if stem]
            self.own.extend((node.lineno, stem, path) for stem, path in found if path)
            if name and found[0][1]:
                return
        if name:
            self._judge(node, "salt.utils." + name)


def _text(node):
    """The text that an expression is; None when it is another one."""
    if type(node).__name__ == "Index":  # before Python 3.9
        node = node.value
    value = node.value if hasattr(node, "value") else getattr(node, "s", None)
    return value if isinstance(value, str) else None


def _tree(path):
    """The tree of a file, None when it cannot be read as Python; kept until the file changes."""
    stamp = files().stamp(path)
    known = _known.get(path)
    if known is None or known[0] != stamp:
        try:
            tree = ast.parse(files().read(path), path)
        except (SyntaxError, ValueError):
            tree = None
        known = _known[path] = (stamp, tree)
    return known[1]


def _need(path, utils, seen):
    """The first thing in a file, or in the files it imports, that needs the machine."""
    tree = _tree(path)
    seen.add(path)
    if tree is None:
        return None
    uses = _Uses(path, utils)
    uses.look(tree)
    for line, what in uses.needs:
        return "{} in line {}".format(what, line)
    for _line, module, own in uses.own:
        need = None if own in seen else _need(own, utils, seen)
        if need is not None:
            return "imports {}, which {}".format(module, need)
    return None


def _statements(body):
    """The statements of a module, those under conditions included."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers"):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from _statements(getattr(node, part, None) or ())


def _constant(node):
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None


class _Listing:
    """Names that a module sets, as far as its text tells."""

    def __init__(self, tree):
        self.constants = {}
        # a dict for its order
        self.functions = {}
        self.served = []
        for node in _statements(tree.body):
            if isinstance(node, ast.FunctionDef):
                self.functions[node.name] = True
                if node.name == "__virtual__":
                    returned = [_text(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Return) and inner.value]
                    self.served += [name for name in returned if name]
            elif isinstance(node, ast.ImportFrom) and not (node.module and portable.is_known(node.module)):
                self.functions.update((alias.asname or alias.name, True) for alias in node.names if alias.name != "*")
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._assign(target.id, node.value)

    def _assign(self, name, value):
        self.constants[name] = _constant(value)
        is_function = isinstance(value, (ast.Lambda, ast.Call)) or getattr(value, "id", None) in self.functions
        if is_function and not name.startswith("_") and name != "log":
            self.functions[name] = True

    def public(self):
        aliases = self.constants.get("__func_alias__")
        aliases = aliases if isinstance(aliases, dict) else {}
        chosen = self.constants.get("__load__") or self.functions
        return [str(aliases.get(name, name)) for name in chosen if not name.startswith("_")]


def of(path, utils):
    """What the host needs to know to decide where a module runs, and to list it without running it."""
    file = os.path.join(path, "__init__.py") if files().is_folder(path) else path
    stem = os.path.basename(path)
    stem = stem if file != path else stem.rpartition(".")[0]
    facts = {"path": path, "file": stem, "need": _need(file, utils, set()), "names": [stem], "functions": []}
    tree = _tree(file)
    if tree is None or facts["need"] is None:
        return facts
    listing = _Listing(tree)
    constants = listing.constants
    names = [constants.get("__virtualname__") or stem, *listing.served, *(constants.get("__virtual_aliases__") or ())]
    facts["names"] = list(dict.fromkeys(str(name) for name in names))
    facts["functions"] = listing.public()
    return facts
