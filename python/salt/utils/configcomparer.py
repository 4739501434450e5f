"""A configuration brought to what it should be, and what was changed for it."""


def compare_and_update_config(config, update_config, changes, namespace=""):
    """What is kept of `update_config` with `config` laid over it; `changes` gets what that changed, by place."""
    if isinstance(config, dict):
        if not update_config:
            if config:
                changes[namespace] = {"new": config, "old": update_config}
            return config
        if not isinstance(update_config, dict):
            changes[namespace] = {"new": config, "old": update_config}
            return config
        for key, value in config.items():
            place = "{}.{}".format(namespace, key) if namespace else key
            update_config[key] = compare_and_update_config(value, update_config.get(key), changes, place)
        return update_config
    if isinstance(config, list):
        if not update_config or not isinstance(update_config, list):
            if config:
                changes[namespace] = {"new": config, "old": update_config}
            return config
        for index in range(max(len(config), len(update_config))):
            place = "{}[{}]".format(namespace, index)
            if index >= len(config):
                changes[place] = {"new": None, "old": update_config[index]}
            elif index >= len(update_config):
                changes[place] = {"new": config[index], "old": None}
            else:
                compare_and_update_config(config[index], update_config[index], changes, place)
        return config
    if config != update_config:
        changes[namespace] = {"new": config, "old": update_config}
    return config
