"""Grains modules: every function of every file is asked, and sees what is known so far when it wants to."""

import inspect
import logging

from . import modules

log = logging.getLogger(__name__)


def collect(paths, known):
    parts = []
    so_far = dict(known)
    for path in paths:
        facts = modules.describe(path, "grains")
        if facts["reason"] is not None:
            continue
        for name, details in facts["functions"].items():
            part = _ask("{}.{}".format(facts["name"], name), modules.function(path, details["attr"], "grains"), so_far)
            if isinstance(part, dict):
                parts.append(part)
                so_far.update(part)
    return parts


def _ask(name, function, so_far):
    wanted = {"grains": so_far, "proxy": None}
    try:
        parameters = inspect.signature(function).parameters
        return function(**{key: value for key, value in wanted.items() if key in parameters})
    except Exception as exc:  # one module's mistake must not cost the grains of the others
        log.critical("Failed to load grains defined in grain file %s in function %s, error:", name, function, exc_info=exc)
        return None
