"""Arguments of functions."""

import collections
import inspect
import re
import shlex

from salt.exceptions import SaltInvocationError

KWARG_REGEX = re.compile(r"^([^\d\W][\w.-]*)=(?!=)(.*)$", re.UNICODE)


def clean_kwargs(**kwargs):
    """Without what the job itself brings along."""
    return {key: value for key, value in kwargs.items() if not key.startswith("__")}


def invalid_kwargs(invalid_kwargs, raise_exc=True):
    if not invalid_kwargs:
        return ""
    names = ", ".join("{}={}".format(key, value) for key, value in invalid_kwargs.items())
    text = "The following keyword arguments are not valid: " + names
    if raise_exc:
        raise SaltInvocationError(text)
    return text


ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def get_function_argspec(func, is_class_method=None):
    full = inspect.getfullargspec(func)
    args = full.args[1:] if is_class_method or inspect.ismethod(func) else full.args
    given = full.kwonlydefaults or {}
    # parameters that only a keyword gives stand behind the others
    args = [*args, *full.kwonlyargs]
    defaults = (*(full.defaults or ()), *(given[name] for name in full.kwonlyargs if name in given))
    return ArgSpec(args, full.varargs, full.varkw, defaults or None)


_getargspec = get_function_argspec


def arg_lookup(fun, aspec=None):
    spec = aspec or get_function_argspec(fun)
    defaults = spec.defaults or ()
    split = len(spec.args) - len(defaults)
    return {"args": list(spec.args[:split]), "kwargs": dict(zip(spec.args[split:], defaults))}


def shlex_split(s, **kwargs):
    return shlex.split(s, **kwargs) if isinstance(s, str) else s


def split_input(val, mapper=None):
    mapper = mapper or (lambda x: x)
    parts = val if isinstance(val, list) else str(val).split(",")
    return [mapper(part.strip() if isinstance(part, str) else part) for part in parts]


def yamlify_arg(arg):
    if not isinstance(arg, str) or not arg.strip():
        return arg
    from . import yaml

    try:
        value = yaml.safe_load(arg)
    except yaml.YAMLError:
        return arg
    plain = isinstance(value, (bool, int, float)) or value is None and arg in ("None", "null", "~")
    return value if plain or arg.startswith(("[", "{")) and isinstance(value, (list, dict)) else arg


def parse_kwarg(string_):
    found = KWARG_REGEX.match(string_)
    return found.groups() if found else (None, None)


def parse_input(args, kwargs=None, condition=True, no_parse=None):
    positional, named = [], dict(kwargs or {})
    for item in args or []:
        name, value = parse_kwarg(item) if isinstance(item, str) else (None, None)
        if name:
            named[name] = value if name in (no_parse or []) else yamlify_arg(value)
        elif isinstance(item, dict) and item.pop("__kwarg__", False):
            named.update(item)
        else:
            positional.append(yamlify_arg(item))
    return condition_input(positional, named) if condition else (positional, named)


def condition_input(args, kwargs):
    result = list(args)
    if kwargs:
        result.append({"__kwarg__": True, **kwargs})
    return result


def test_mode(**kwargs):
    from . import data

    return any(key.lower() == "test" and data.is_true(value) for key, value in kwargs.items())


def format_call(fun, data, initial_ret=None, expected_extra_kws=(), is_class_method=None):
    ret = initial_ret if initial_ret is not None else {}
    spec = get_function_argspec(fun, is_class_method)
    known = arg_lookup(fun, spec)
    ret["args"] = [data[name] for name in known["args"] if name in data]
    wanted = len(known["args"])
    if len(ret["args"]) < wanted:
        text = "{} takes at least {} argument{} ({} given)"
        raise SaltInvocationError(text.format(fun.__name__, wanted, "s" * (wanted > 1), len(ret["args"])))
    ret["kwargs"] = {name: data.get(name, default) for name, default in known["kwargs"].items()}
    extra = {key: value for key, value in data.items() if key not in spec.args and key not in expected_extra_kws}
    if spec.keywords:
        ret["kwargs"].update(extra)
    elif extra:
        name = ret.get("full", "{}.{}".format(fun.__module__, fun.__name__))
        *first, last = ("'{}'".format(key) for key in extra)
        if not first:
            raise SaltInvocationError("{} is an invalid keyword argument for '{}'".format(last, name))
        text = "{} and {} are invalid keyword arguments for '{}'"
        raise SaltInvocationError(text.format(", ".join(first), last, name))
    return ret


def parse_function(s):
    """The name, arguments and keywords of a call written as text; None for each when it is not one."""
    found = re.match(r"^\s*([\w.]+)\((.*)\)\s*$", s, re.DOTALL)
    if not found:
        return None, None, None
    args, kwargs = [], {}
    for word in _words(found.group(2)):
        name, value = parse_kwarg(word)
        if name:
            kwargs[name] = _unquoted(value)
        else:
            args.append(_unquoted(word))
    return found.group(1), args, kwargs


def _words(text):
    """What stands between commas that no bracket and no quote holds; blanks around it are gone."""
    words, depth, quote = [""], 0, None
    for character in text:
        if quote:
            quote = None if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character.isspace():
            continue
        else:
            depth += (character in "([{") - (character in ")]}")
            if character == "," and depth == 0:
                words.append("")
                continue
        words[-1] += character
    return [word for word in words if word]


def _unquoted(word):
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word


def argspec_report(functions, module=""):
    """What functions take, by their names; of one module, of some, or of one function."""
    found = {}
    for name in functions:
        if module and name != module and not name.startswith(module + "."):
            continue
        spec = get_function_argspec(functions[name])
        found[name] = {
            "args": spec.args or None,
            "defaults": spec.defaults,
            "varargs": True if spec.varargs else None,
            "kwargs": True if spec.keywords else None,
        }
    return found


def prepare_kwargs(all_kwargs, class_init_kwargs):
    own = {key: value for key, value in all_kwargs.items() if key in class_init_kwargs}
    return own, {key: value for key, value in all_kwargs.items() if key not in own}


