"""Options as programs read them; the host reads the files and fills in what they leave out."""

import copy
import logging

from salt import _host

DEFAULT_HASH_TYPE = "sha256"


def _options(kind, path, given):
    opts = _host.ask("config", kind, path)
    opts.update({key: value for key, value in given.items() if value is not None})
    return opts


def client_config(path, env_var="SALT_CLIENT_CONFIG", defaults=None):
    return _options("client", _resolved(path, env_var), {})


def master_config(path, env_var="SALT_MASTER_CONFIG", defaults=None, exit_on_config_errors=False):
    return _options("master", _resolved(path, env_var), {})


def minion_config(path, env_var="SALT_MINION_CONFIG", defaults=None, cache_minion_id=False, ignore_config_errors=True,
                  minion_id=None, role="minion"):  # fmt: skip
    return _options("minion", _resolved(path, env_var), {"id": minion_id})


def _resolved(path, env_var):
    import os

    return os.environ.get(env_var) or path


def _providers(opts):
    """All (alias, driver, settings) of the files of salt-cloud."""
    for alias, drivers in (opts.get("providers") or {}).items():
        for driver, settings in drivers.items():
            yield alias, driver, settings


def is_provider_configured(opts, provider, required_keys=(), log_message=True, aliases=()):
    """The settings of the first provider that is meant and complete; False without one."""
    wanted_alias, _, wanted_driver = str(provider).rpartition(":")
    for alias, driver, settings in _providers(opts):
        if wanted_alias and (alias, driver) != (wanted_alias, wanted_driver):
            continue
        if not wanted_alias and driver != wanted_driver and driver not in aliases:
            continue
        missing = [key for key in required_keys if settings.get(key) is None]
        if not missing:
            return settings
        if log_message:
            text = "The provider %s:%s lacks the setting %s"
            logging.getLogger(__name__).warning(text, alias, driver, ", ".join(missing))
    return False


def is_profile_configured(opts, provider, profile_name, vm_=None):
    """True: the host has checked the profile, and a driver asks for what it needs."""
    return True


def check_driver_dependencies(driver, dependencies):
    """Whether all libraries of a driver are there; the log names those that are not."""
    missing = [name for name, found in dependencies.items() if not found]
    for name in missing:
        logging.getLogger(__name__).warning("The driver %s needs %s, which is not installed", driver, name)
    return not missing


def _settings_of(vm_, opts):
    """Where a setting of a machine is looked for, the last first: its profile, its provider, the machine itself."""
    profile = (opts.get("profiles") or {}).get(vm_.get("profile"))
    if profile:
        yield profile
    alias, _, engine = str(vm_.get("driver") or vm_.get("provider") or "").partition(":")
    drivers = (opts.get("providers") or {}).get(alias) or {}
    found = drivers.get(engine) if engine else next(iter(drivers.values()), None)
    if found:
        yield found
    yield vm_


def get_cloud_config_value(name, vm_, opts, default=None, search_global=True):
    """A setting of a machine; what the machine says counts more than its provider, its profile and all of them."""
    value = default
    if search_global and opts.get(name) is not None:
        value = copy.deepcopy(opts[name])
    for settings in _settings_of(vm_, opts) if vm_ else ():
        if name not in settings:
            continue
        found = copy.deepcopy(settings[name])
        value = {**value, **found} if isinstance(value, dict) and isinstance(found, dict) else found
    return value


def get_id(opts, cache_minion_id=False):
    return opts.get("id"), False
