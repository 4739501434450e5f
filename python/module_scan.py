"""
Looks at Python modules without running them: `module_scan.py scan` reads paths as JSON lines from standard input and writes for each
what it imports that is not here, or its syntax error. `module_scan.py import FILE` imports one file, with limits on time, memory and
files. Both run in a process of their own.
"""

import ast
import importlib
import importlib.util
import json
import os
import resource
import sys

_MOST_BYTES = 2 << 20
_GUARDS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException", "AttributeError"}


def _limit(seconds, megabytes):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class _Imports(ast.NodeVisitor):
    """Gathers imports, and whether a failing one is caught."""

    def __init__(self):
        self.found = []
        self._guards = 0

    def visit_Try(self, node):
        guarded = any(_catches(handler) for handler in node.handlers)
        self._guards += guarded
        # what a handler imports stands in for what is missing
        for child in [*node.body, *node.handlers, *node.orelse]:
            self.visit(child)
        self._guards -= guarded
        for child in node.finalbody:
            self.visit(child)

    def visit_If(self, node):
        # imports for type checkers are never made
        if "TYPE_CHECKING" in ast.dump(node.test):
            node.body = []
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        # made when the function is called, if ever
        self._guards += 1
        self.generic_visit(node)
        self._guards -= 1

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Import(self, node):
        for alias in node.names:
            self.found.append((alias.name, None, node.lineno, self._guards > 0))

    def visit_ImportFrom(self, node):
        if node.level:
            return
        for alias in node.names:
            self.found.append((node.module, alias.name, node.lineno, self._guards > 0))


def _catches(handler):
    if handler.type is None:
        return True
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(name, ast.Name) and name.id in _GUARDS for name in names)


def _missing_of_salt(module, name, own):
    """What of `salt` an import would not find here, or None."""
    words = module.split(".")
    if words[:2] == ["salt", "utils"] and len(words) > 2 and words[2] in own:
        return None
    try:
        found = importlib.import_module(module)
    except ImportError:
        return module
    except Exception as error:  # of our own package: a part that needs the host
        return "{} ({})".format(module, error)
    if name is None or name == "*" or hasattr(found, name):
        return None
    try:
        importlib.import_module("{}.{}".format(module, name))
        return None
    except ImportError:
        return "{}.{}".format(module, name)


def _is_there(package):
    try:
        return package in sys.builtin_module_names or importlib.util.find_spec(package) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _scan(path, own):
    with open(path, "rb") as file:
        source = file.read(_MOST_BYTES + 1)
    if len(source) > _MOST_BYTES:
        return {"file": path, "problem": "the file is too large"}
    try:
        tree = ast.parse(source, path)
    except SyntaxError as error:
        text = (error.text or "").strip()
        return {"file": path, "syntax": error.msg, "line": error.lineno or 1, "python2": _is_python2(error, text)}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"file": path, "syntax": str(error) or type(error).__name__, "line": 1, "python2": False}
    imports = _Imports()
    imports.visit(tree)
    siblings = {name.split(".")[0] for name in os.listdir(os.path.dirname(path))}
    missing = []
    for module, name, line, guarded in imports.found:
        top = module.split(".")[0]
        if top == "salt":
            lacking = _missing_of_salt(module, name, own)
            kind = "salt"
        else:
            lacking = None if _is_there(top) or top in siblings else top
            kind = "package"
        if lacking is not None:
            missing.append({"kind": kind, "name": lacking, "line": line, "guarded": guarded})
    return {"file": path, "missing": missing}


def _is_python2(error, text):
    words = ("print ", "exec ", "raise ", "except ")
    return text.startswith(words) or "print" in error.msg or "ur'" in text or "<>" in text or "`" in text


def _scan_all():
    _limit(120, 2048)
    own = None
    for line in sys.stdin:
        told = json.loads(line)
        if own is None:
            own = set(told)
            continue
        try:
            answer = _scan(told, own)
        except OSError as error:
            answer = {"file": told, "problem": error.strerror or str(error)}
        except RecursionError:
            answer = {"file": told, "problem": "the code is nested too deeply"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _import(path):
    _limit(20, 2048)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    out = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    answer = {"file": path}
    spec = importlib.util.spec_from_file_location("doctor_" + os.path.basename(path).split(".")[0], path)
    module = importlib.util.module_from_spec(spec)
    for name in ("salt", "opts", "grains", "pillar", "context", "utils", "proxy", "states", "runner", "ret", "events"):
        setattr(module, "__{}__".format(name), {})
    sys.dont_write_bytecode = True
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # also SystemExit
        answer["error"] = "{}: {}".format(type(error).__name__, error)
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == path:
                answer["line"] = trace.tb_lineno
            if trace.tb_frame.f_globals.get("__name__") == "salt._host":
                # the module asks Brine while it is imported, and none is there
                answer["problem"] = "the module asks its minion for something while it is imported"
            trace = trace.tb_next
    os.write(out, json.dumps(answer).encode()[:65536])


if __name__ == "__main__":
    if sys.argv[1] == "scan":
        _scan_all()
    else:
        _import(sys.argv[2])
