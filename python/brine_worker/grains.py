"""Grains modules: every function of every file is asked, and sees what is known so far when it wants to."""

from . import calls, modules, parameters
from .failures import of_users
from .host_log import logger


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
    wanted = {"grains": so_far, "proxy": calls.Dunder("__proxy__") if "proxy" in calls.current().facts else None}
    try:
        names = {parameter[0] for parameter in parameters.of(function)}
        return function(**{key: value for key, value in wanted.items() if key in names})
    except Exception as exc:  # one module's mistake must not cost the grains of the others
        text = "Failed to load grains defined in grain file %s in function %s, error:"
        logger(__name__).critical(text, name, function, exc_info=of_users(exc))
        return None
