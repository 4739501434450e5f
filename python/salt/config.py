"""Options as programs read them; the host reads the files and fills in what they leave out."""

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


def is_provider_configured(opts, provider, required_keys=(), log_message=True, aliases=()):
    """False: Brine creates no cloud machines, so that no provider is configured."""
    return False


def is_profile_configured(opts, provider, profile_name, vm_=None):
    return False


def check_driver_dependencies(driver, dependencies):
    return all(dependencies.values())


def get_cloud_config_value(name, vm_, opts, default=None, search_global=True):
    """A setting of a machine, then of all."""
    for source in (vm_ or {}, opts if search_global else {}):
        if source.get(name) is not None:
            return source[name]
    return default


def get_id(opts, cache_minion_id=False):
    return opts.get("id"), False
