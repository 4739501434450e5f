"""
Asks one entry point of a Salt extension for its folders: `extension_folders.py NAME MODULE ATTRIBUTE`. Writes the
folders as JSON to file descriptor 3. Runs in a separate process, because importing an extension runs its code.
"""

import importlib
import json
import os
import sys
import types

# the kinds whose option of further folders is not the kind's name with `_dirs`
_OLD_NAMES = {
    "module_dirs": "modules", "returner_dirs": "returners", "runner_dirs": "runners", "render_dirs": "renderers",
    "grain_dirs": "grains", "top_dirs": "tops", "queue_dirs": "queues", "cloud_dirs": "clouds", "executor_dirs": "executors",
    "outputter_dirs": "output",
}  # fmt: skip


def folders(name, module, attribute):
    found = importlib.import_module(module)
    for word in attribute.split(".") if attribute else ():
        found = getattr(found, word)
    if isinstance(found, types.ModuleType):
        return _of_package(found)
    if not isinstance(found, types.FunctionType):
        raise ValueError("Don't know how to load a salt extension from {}".format(found))
    value = found()
    if isinstance(value, dict):
        for kind, paths in value.items():
            if isinstance(paths, str):
                raise ValueError("The callable must return an iterable of strings. A single string is not supported.")
        return {str(kind): [str(path) for path in paths] for kind, paths in value.items()}
    # the form of older extensions: the name of the entry point is that of an option
    kind = _OLD_NAMES.get(name, name[: -len("_dirs")] if name.endswith("_dirs") else name)
    return {kind: [str(path) for path in value]}


def _of_package(package):
    kinds = {}
    for root in getattr(package, "__path__", ()):
        for kind in sorted(os.listdir(root)):
            if os.path.isdir(os.path.join(root, kind)) and not kind.startswith("_"):
                kinds.setdefault(kind, []).append(os.path.join(root, kind))
    return kinds


def main():
    try:
        told = {"folders": folders(*sys.argv[1:4])}
    except (Exception, SystemExit) as exc:  # an extension may raise anything
        told = {"error": "{}: {}".format(type(exc).__name__, exc)}
    with os.fdopen(3, "wb") as answer:
        answer.write(json.dumps(told).encode())
    os._exit(0)


if __name__ == "__main__":
    main()
