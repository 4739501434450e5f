"""Scalars as YAML writes them."""

from . import yaml as _yaml

_WIDEST = (1 << 31) - 1


def _styled(text, style):
    return _yaml.safe_dump(str(text), default_style=style, width=_WIDEST, allow_unicode=False).rstrip("\n")


def yaml_dquote(text):
    return _styled(text, '"')


def yaml_squote(text):
    return _styled(text, "'")


def yaml_encode(data):
    if isinstance(data, (dict, list, tuple, set)):
        raise TypeError("yaml_encode() only works with YAML scalar data; failed for {}".format(type(data)))
    if isinstance(data, str):
        return yaml_dquote(data)
    text = _yaml.safe_dump(data).rstrip("\n")
    return text[:-4] if text.endswith("\n...") else text
