"""Options of returners."""

import logging

log = logging.getLogger(__name__)


def get_returner_options(virtualname=None, ret=None, attrs=None, **kwargs):
    """The options of a returner: from `ret_config` and `ret_kwargs` of a job, else from the configuration."""
    ret = ret or {}
    attrs = attrs or {}
    opts, options = kwargs.get("__opts__") or {}, kwargs.get("__salt__") or {}
    lookup = options["config.option"] if hasattr(options, "__contains__") and "config.option" in options else None
    defaults = kwargs.get("defaults") or {}
    profile_attr, profile_attrs = kwargs.get("profile_attr"), kwargs.get("profile_attrs") or {}
    found = {}
    for name, option in attrs.items():
        value = None
        prefix = ".".join(word for word in (ret.get("ret_config") or "", virtualname) if word)
        for key in (".".join(filter(None, (prefix, option))), "{}.{}".format(virtualname, option)):
            value = lookup(key) if lookup else opts.get(key)
            if value not in ("", None, {}):
                break
        if value in ("", None, {}):
            value = defaults.get(option, defaults.get(name))
        found[name] = value
    profile = profile_attr and found.get(profile_attr)
    if profile and lookup:
        found.update({name: value for name, value in (lookup(profile) or {}).items() if name in profile_attrs})
    found.update({name: value for name, value in (ret.get("ret_kwargs") or {}).items() if name in attrs})
    return found
