"""Functions over functions."""

import types


def namespaced_function(function, global_dict, defaults=None, preserve_context=None):
    made = types.FunctionType(function.__code__, global_dict, function.__name__, defaults or function.__defaults__)
    made.__dict__.update(function.__dict__)
    made.__doc__ = function.__doc__
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def alias_function(fun, name, doc=None):
    made = types.FunctionType(fun.__code__, fun.__globals__, name, fun.__defaults__, fun.__closure__)
    made.__dict__.update(fun.__dict__)
    made.__kwdefaults__ = fun.__kwdefaults__
    made.__doc__ = doc or "\nThis function is an alias of ``{}``.\n{}".format(fun.__name__, fun.__doc__ or "")
    return made


def call_function(salt_function, *args, **kwargs):
    given = dict(kwargs)
    for item in args:
        if isinstance(item, dict):
            given.update(item)
    return salt_function(*[item for item in args if not isinstance(item, dict)], **given)
