"""Configurations of beacons."""


def list_to_dict(config):
    whole = {}
    for part in config:
        whole.update(part)
    return whole


def remove_hidden_options(config, whitelist):
    """Without the parts that have a name with an underscore first, but for those that are wanted."""
    config[:] = [part for part in config if not any(key.startswith("_") and key not in whitelist for key in part)]
    return config
