"""Dicts and lists."""

import collections.abc
import copy
import fnmatch
import functools
import re

from . import dictupdate, stringutils


class CaseInsensitiveDict(collections.abc.MutableMapping):
    """Keys are found whatever their case."""

    def __init__(self, init=None, **kwargs):
        self._items = {}
        self.update(init or {}, **kwargs)

    @staticmethod
    def _key(key):
        return key.lower() if isinstance(key, str) else key

    def __len__(self):
        return len(self._items)

    def __setitem__(self, key, value):
        self._items[self._key(key)] = (key, value)

    def __delitem__(self, key):
        del self._items[self._key(key)]

    def __getitem__(self, key):
        return self._items[self._key(key)][1]

    def __iter__(self):
        return (key for key, _ in self._items.values())

    def __repr__(self):
        return repr(dict(self.items()))

    def copy(self):
        return CaseInsensitiveDict(self.items())


def is_true(value=None):
    if isinstance(value, str):
        try:
            return float(value) > 0
        except ValueError:
            return value.lower() == "true"
    if isinstance(value, (int, float)):
        return value > 0
    return bool(value)


def is_list(value):
    return isinstance(value, list)


def is_iter(thing, ignore=(str,)):
    return not isinstance(thing, ignore) and hasattr(thing, "__iter__")


def is_dictlist(data):
    return isinstance(data, list) and bool(data) and all(isinstance(item, dict) and len(item) == 1 for item in data)


def repack_dictlist(data, strict=False, recurse=False, key_cb=None, val_cb=None):
    if isinstance(data, str):
        from . import yaml

        data = yaml.safe_load(data)
    if not isinstance(data, list):
        return {}
    key_cb = key_cb or (lambda key: key)
    val_cb = val_cb or (lambda key, value: value)
    result = {}
    for item in data or []:
        if isinstance(item, dict) and len(item) == 1:
            ((key, value),) = item.items()
            if recurse and is_dictlist(value):
                value = repack_dictlist(value, recurse=recurse)
            result[key_cb(key)] = val_cb(key, value)
        elif isinstance(item, (str, int, float)):
            result[key_cb(item)] = None
        elif strict:
            return {}
    return result


def compare_dicts(old=None, new=None):
    result = {}
    for key in {**(new or {}), **(old or {})}:
        if key not in old:
            result[key] = {"old": "", "new": new[key]}
        elif key not in new:
            result[key] = {"new": "", "old": old[key]}
        elif new[key] != old[key]:
            result[key] = {"old": old[key], "new": new[key]}
    return result


def compare_lists(old=None, new=None):
    result = {}
    added, gone = [x for x in new if x not in old], [x for x in old if x not in new]
    if added:
        result["new"] = added
    if gone:
        result["old"] = gone
    return result


def traverse_dict(data, key, default=None, delimiter=":"):
    for word in _words(key, delimiter):
        try:
            data = data[word]
        except (KeyError, IndexError, TypeError):
            return default
    return data


def _words(key, delimiter):
    return key if isinstance(key, list) else str(key).split(delimiter)


def traverse_dict_and_list(data, key, default=None, delimiter=":"):
    for word in _words(key, delimiter):
        if isinstance(data, list):
            try:
                data = data[int(word)]
                continue
            except (ValueError, IndexError):
                found = [item[word] for item in data if isinstance(item, dict) and word in item]
                if not found:
                    return default
                data = found[0]
                continue
        try:
            data = data[word]
        except (KeyError, TypeError):
            try:
                data = data[int(word)]
            except (KeyError, TypeError, ValueError):
                return default
    return data


def subdict_match(data, expr, delimiter=":", regex_match=False, exact_match=False):
    words = str(expr).split(delimiter)
    for count in range(1, len(words)):
        found = traverse_dict_and_list(data, delimiter.join(words[:count]), {}, delimiter)
        if found == {}:
            continue
        wanted = delimiter.join(words[count:])
        if wanted == "*" or _matches(found, wanted, regex_match, exact_match):
            return True
    return False


def _matches(found, wanted, regex_match, exact_match):
    if isinstance(found, dict):
        return wanted in found
    if isinstance(found, (list, tuple)):
        return any(_matches(item, wanted, regex_match, exact_match) for item in found)
    text = str(found).lower()
    if regex_match:
        return re.match(wanted.lower(), text) is not None
    return text == wanted.lower() if exact_match else fnmatch.fnmatch(text, wanted.lower())


def exactly_n(items, n=1):
    return sum(1 for item in items if item) == n


def exactly_one(items):
    return exactly_n(items)


def filter_by(lookup_dict, lookup, traverse, merge=None, default="default", base=None):
    result = None
    value = traverse_dict_and_list(traverse, lookup, None)
    values = value if isinstance(value, list) else [value]
    for key in values:
        for pattern in lookup_dict:
            if fnmatch.fnmatch(str(key), str(pattern)):
                result = lookup_dict[pattern]
                break
        if result is not None:
            break
    if result is None:
        result = lookup_dict.get(default)
    if base and base in lookup_dict:
        merged = copy.deepcopy(lookup_dict[base])
        result = merged if result is None else dictupdate.update(merged, copy.deepcopy(result))
    if merge:
        result = copy.deepcopy(merge) if result is None else dictupdate.update(copy.deepcopy(result), merge)
    return result


def filter_falsey(data, recurse_depth=None, ignore_types=()):
    def kept(value):
        return type(value) in ignore_types or value

    deeper = functools.partial(filter_falsey, recurse_depth=recurse_depth and recurse_depth - 1, ignore_types=ignore_types)
    if recurse_depth:
        data = (
            type(data)((k, deeper(v) if isinstance(v, (dict, list)) else v) for k, v in data.items())
            if isinstance(data, dict)
            else [deeper(v) if isinstance(v, (dict, list)) else v for v in data]
        )
    if isinstance(data, dict):
        return type(data)((key, value) for key, value in data.items() if kept(value))
    return [value for value in data if kept(value)]


def _converted(data, convert, keep, preserve_dict_class, preserve_tuples):
    again = functools.partial(
        _converted, convert=convert, keep=keep, preserve_dict_class=preserve_dict_class, preserve_tuples=preserve_tuples
    )
    if isinstance(data, collections.abc.Mapping):
        items = [(again(key), again(value)) for key, value in data.items()]
        return type(data)(items) if preserve_dict_class else dict(items)
    if isinstance(data, list):
        return [again(item) for item in data]
    if isinstance(data, tuple):
        items = [again(item) for item in data]
        return tuple(items) if preserve_tuples else items
    try:
        return convert(data)
    except TypeError:
        return data
    except UnicodeError:
        if keep:
            return data
        raise


def decode(data, encoding=None, errors="strict", keep=False, normalize=False, preserve_dict_class=False,
           preserve_tuples=False, to_str=False):  # fmt: skip
    def convert(value):
        return stringutils.to_str(value, encoding, errors, normalize)

    return _converted(data, convert, keep, preserve_dict_class, preserve_tuples)


def encode(data, encoding=None, errors="strict", keep=False, preserve_dict_class=False, preserve_tuples=False):
    def convert(value):
        return value if value is None else stringutils.to_bytes(value, encoding, errors)

    return _converted(data, convert, keep, preserve_dict_class, preserve_tuples)


decode_dict = decode_list = decode
encode_dict = encode_list = encode


def stringify(data):
    return [item if isinstance(item, str) else str(item) for item in data]


def sorted_ignorecase(to_sort):
    return sorted(to_sort, key=lambda item: item.lower())


def simple_types_filter(data):
    if data is None or isinstance(data, (str, int, float, bool)):
        return data
    if isinstance(data, (list, tuple, set, frozenset)):
        return [simple_types_filter(item) for item in data]
    if isinstance(data, dict):
        return {key if isinstance(key, (str, int, float, bool)) else repr(key): simple_types_filter(value)
                for key, value in data.items()}  # fmt: skip
    return repr(data)


def recursive_diff(old, new, ignore_keys=None, ignore_order=False, ignore_missing_keys=False):
    """What differs, with `old` and `new` of each part."""
    ignore_keys = ignore_keys or []
    if isinstance(old, collections.abc.Mapping) and isinstance(new, collections.abc.Mapping):
        before, after = {}, {}
        for key in [*old, *(key for key in new if key not in old)]:
            if key in ignore_keys:
                continue
            if key in old and key in new:
                part = recursive_diff(old[key], new[key], ignore_keys, ignore_order, ignore_missing_keys)
                if part:
                    before[key], after[key] = part["old"], part["new"]
            elif key in new:
                after[key] = new[key]
            elif not ignore_missing_keys:
                before[key] = old[key]
        return {name: part for name, part in (("old", before), ("new", after)) if part} and {"old": before, "new": after}
    if old == new:
        return {}
    if isinstance(old, set) and isinstance(new, set):
        return {"old": old - new, "new": new - old}
    if is_list(old) and is_list(new):
        return _list_diff(old, new, ignore_order)
    return {"old": old, "new": new}


def _list_diff(old, new, ignore_order):
    """The items that differ, place by place or wherever they stand."""
    if ignore_order:
        gone, came = [item for item in old if item not in new], [item for item in new if item not in old]
    else:
        shared = range(min(len(old), len(new)))
        gone = [item for at, item in enumerate(old) if at not in shared or item != new[at]]
        came = [item for at, item in enumerate(new) if at not in shared or item != old[at]]
    return {"old": gone, "new": came} if gone or came else {}


def get_value(obj, path, default=None):
    value = traverse_dict_and_list(obj, path, default)
    return [{"value": value}]


def json_query(data, expr):
    import jmespath

    return jmespath.search(expr, data)


def flatten(data, levels=None, preserve_nulls=False, _ids=None):
    seen = _ids or frozenset()
    if id(data) in seen:
        raise RecursionError("Reference cycle detected. Check input list.")
    seen |= {id(data)}
    flat = []
    for item in data:
        if isinstance(item, (list, tuple)):
            deeper = None if levels is None else levels - 1
            flat.extend([item] if levels is not None and levels < 1 else flatten(item, deeper, preserve_nulls, seen))
        elif preserve_nulls or item not in (None, "None", "null"):
            flat.append(item)
    return flat


def to_entries(data):
    from salt.exceptions import SaltException

    if isinstance(data, dict):
        return [{"key": key, "value": value} for key, value in data.items()]
    if isinstance(data, list):
        return [{"key": index, "value": value} for index, value in enumerate(data)]
    raise SaltException("Input data must be a dict or list")


def from_entries(entries):
    pairs = (CaseInsensitiveDict(entry) for entry in entries)
    return {pair.get("key", pair.get("name")): pair.get("value") for pair in pairs}


def substr_in_list(string_to_search_for, list_to_search):
    return any(string_to_search_for in item for item in list_to_search)


def mysql_to_dict(data, key):
    """The rows of a table that `mysql` prints, by one of their columns."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in data if line and not line.startswith("+")]
    if not rows:
        return {}
    found = [dict(zip(rows[0], map(stringutils.to_num, row))) for row in rows[1:]]
    return {row[key]: row for row in found}


def _seeded(seed):
    import random

    return random.Random(seed)


def sample(value, size, seed=None):
    return _seeded(seed).sample(value, size)


def shuffle(value, seed=None):
    return sample(value, len(value), seed)


def to_lowercase(data, preserve_dict_class=False):
    return _cased(data, str.lower)


def to_uppercase(data, preserve_dict_class=False):
    return _cased(data, str.upper)


def _cased(data, change):
    if isinstance(data, collections.abc.Mapping):
        return {_cased(key, change): _cased(value, change) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(_cased(item, change) for item in data)
    return change(data) if isinstance(data, str) else data


def decode_tuple(data, **kwargs):
    return tuple(decode(list(data), preserve_tuples=True, **kwargs))


def encode_tuple(data, **kwargs):
    return tuple(encode(list(data), preserve_tuples=True, **kwargs))
