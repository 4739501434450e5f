"""
What a real Salt loads of the extensions that are installed for the Python that runs this: JSON of kind, folder, and the functions or
the reasons of its modules. Each folder gets a loader of its own, so that built-in modules do not count.
"""

import json
import logging
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

import salt.config  # noqa: E402
import salt.loader  # noqa: E402
from salt.loader.lazy import LazyLoader  # noqa: E402

# words of dotted names that are not the kind's own
TAGS = {"modules": "module", "returners": "returner", "tops": "top", "renderers": "render", "executors": "executor"}


def main(conf, folders):
    opts = salt.config.minion_config(conf)
    opts["grains"] = salt.loader.grains(opts)
    utils = salt.loader.utils(opts)
    functions = salt.loader.minion_mods(opts, utils=utils)
    found = []
    for kind, folder in folders:
        pack = {"__salt__": functions, "__utils__": utils, "__context__": {}, "__proxy__": {}, "__states__": {},
                "__runner__": {}, "__opts__": opts, "__active_provider_name__": ""}  # fmt: skip
        if kind == "modules":
            pack["__proxy__"] = {}
        loader = LazyLoader([folder], opts, tag=TAGS.get(kind, kind), pack=pack, virtual_funcs=[])
        loader._load_all()
        missing = {name: str(reason) for name, reason in loader.missing_modules.items()}
        found.append({"kind": kind, "folder": folder, "functions": sorted(loader._dict), "missing": missing})
    json.dump(found, sys.stdout)


main(sys.argv[1], json.load(sys.stdin))
