"""YAML as Salt reads and writes it: the host's own, so that it means the same in Python as in an SLS file."""

from salt import _host


class YAMLError(Exception):
    pass


def load(stream, Loader=None):  # noqa: N803, the name is Salt's
    text = stream.read() if hasattr(stream, "read") else stream
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("utf-8")
    try:
        return _host.ask("yaml", text)
    except Exception as exc:
        raise YAMLError(str(exc)) from None


def safe_load(stream, Loader=None):  # noqa: N803
    return load(stream)


def dump(data, stream=None, **kwargs):
    return _written(data, stream, kwargs)


def safe_dump(data, stream=None, **kwargs):
    return _written(data, stream, kwargs)


def _written(data, stream, kwargs):
    kwargs = {key: value for key, value in kwargs.items() if isinstance(value, (bool, int, str))}
    text = _host.ask("yaml_dump", data, kwargs)
    if stream is None:
        return text
    stream.write(text)
    return None


class SaltYamlSafeLoader:
    """A name for the one way in which the host reads."""


class SafeOrderedDumper:
    """A name for the way in which the host writes."""


OrderedDumper = IndentedSafeOrderedDumper = SafeOrderedDumper


def get_dumper(dumper_name):
    """The dumper of a name; the host writes in one way for all of them."""
    return {
        "OrderedDumper": OrderedDumper,
        "SafeOrderedDumper": SafeOrderedDumper,
        "IndentedSafeOrderedDumper": IndentedSafeOrderedDumper,
    }.get(dumper_name)
