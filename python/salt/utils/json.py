"""JSON; texts that are bytes are read as UTF-8."""

import json

from . import data as _data
from . import stringutils

JSONDecodeError = json.JSONDecodeError


def loads(s, **kwargs):
    kwargs.pop("encoding", None)
    return json.loads(stringutils.to_str(s) if isinstance(s, (bytes, bytearray)) else s, **kwargs)


def load(fp, **kwargs):
    return loads(fp.read(), **kwargs)


def dumps(obj, **kwargs):
    kwargs.setdefault("ensure_ascii", False)
    kwargs.pop("_json_module", None)
    return json.dumps(_data.decode(obj, keep=True, preserve_dict_class=True), default=_plain, **kwargs)


def dump(obj, fp, **kwargs):
    fp.write(dumps(obj, **kwargs))


def _plain(value):
    plain = getattr(value, "__brine_plain__", None)
    if plain is None:
        raise TypeError("Object of type {} is not JSON serializable".format(type(value).__name__))
    return plain()


def find_json(s):
    """The JSON that some text has in it."""
    lines = s.splitlines()
    for first, line in enumerate(lines):
        if not line.lstrip().startswith(("{", "[")):
            continue
        for last in range(len(lines), first, -1):
            try:
                return json.loads("\n".join(lines[first:last]))
            except ValueError:
                continue
    raise ValueError("no JSON was found")
