"""The functions there are, where a module asks for them by itself."""

from brine_worker.functions import Functions, Utils


def minion_mods(opts, context=None, utils=None, whitelist=None, initial_load=False, loaded_base_name=None, notify=False,
                static_modules=None, proxy=None, file_client=None):  # fmt: skip
    return Functions("function")


raw_mod = minion_mods


def states(opts, functions=None, utils=None, serializers=None, whitelist=None, proxy=None, context=None, **_):
    return Functions("state")


def runner(opts, utils=None, context=None, whitelist=None):
    return Functions("runner")


def returners(opts, functions=None, whitelist=None, context=None, proxy=None):
    return Functions("returner")


def wheels(opts, whitelist=None, context=None):
    return Functions("wheel")


def utils(opts, whitelist=None, context=None, proxy=None, file_client=None, pack_self=None):
    return Utils()


def grains(opts, force_refresh=False, proxy=None, context=None):
    return opts.get("grains") or {}


def serializers(opts, loaded_base_name=None):
    return Functions("serializer")


def render(opts, functions, states=None, proxy=None, context=None, file_client=None):
    """Renderers by name; each takes a text and gives what it means."""
    import salt.template

    return salt.template.Renderers()
