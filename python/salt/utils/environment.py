"""Environment variables for modules."""


def get_module_environment(env=None, function=None):
    settings = ((env or {}).get("__opts__") or {}).get("system-environment") or {}
    return {str(key): str(value) for key, value in (settings.get("environment") or {}).items()}
