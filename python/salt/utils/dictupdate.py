"""Laying dicts over each other."""

import collections.abc
import copy
import logging

log = logging.getLogger(__name__)


def update(dest, upd, recursive_update=True, merge_lists=False):
    """Changes `dest`: what `upd` has comes over it, deep where both have dicts."""
    if not isinstance(dest, collections.abc.Mapping) or not isinstance(upd, collections.abc.Mapping):
        raise TypeError("Cannot update using non-dict types in dictupdate.update()")
    for key, value in upd.items():
        present = dest.get(key)
        both = isinstance(present, collections.abc.Mapping) and isinstance(value, collections.abc.Mapping)
        if recursive_update and both:
            dest[key] = update(present, value, merge_lists=merge_lists)
        elif recursive_update and merge_lists and isinstance(present, list) and isinstance(value, list):
            dest[key] = present + [item for item in value if item not in present]
        else:
            dest[key] = value
    return dest


def merge_list(obj_a, obj_b):
    result = {}
    for part in (obj_a, obj_b):
        for key, value in part.items():
            result.setdefault(key, []).append(value)
    return result


def merge_recurse(obj_a, obj_b, merge_lists=False):
    return update(copy.deepcopy(obj_a), obj_b, merge_lists=merge_lists)


def merge_overwrite(obj_a, obj_b, merge_lists=False):
    result = copy.deepcopy(obj_a)
    result.update(obj_b)
    return result


def merge_aggregate(obj_a, obj_b):
    return merge_recurse(obj_a, obj_b, merge_lists=True)


def merge(obj_a, obj_b, strategy="smart", renderer="yaml", merge_lists=False):
    if strategy == "none":
        return copy.deepcopy(obj_a)
    if strategy == "list":
        return merge_list(obj_a, obj_b)
    if strategy == "overwrite":
        return merge_overwrite(obj_a, obj_b, merge_lists)
    if strategy == "aggregate":
        return merge_aggregate(obj_a, obj_b)
    if strategy not in ("smart", "recurse"):
        log.warning("Unknown merging strategy '%s', fallback to recurse", strategy)
    return merge_recurse(obj_a, obj_b, merge_lists)


def _parent(in_dict, keys, delimiter, ordered_dict):
    words = keys.split(delimiter)
    at = in_dict
    for word in words[:-1]:
        at = at.setdefault(word, {})
    return at, words[-1]


def ensure_dict_key(in_dict, keys, delimiter=":", ordered_dict=False):
    at, last = _parent(in_dict, keys, delimiter, ordered_dict)
    at.setdefault(last, {})
    return in_dict


def set_dict_key_value(in_dict, keys, value, delimiter=":", ordered_dict=False):
    at, last = _parent(in_dict, keys, delimiter, ordered_dict)
    at[last] = value
    return in_dict


def update_dict_key_value(in_dict, keys, value, delimiter=":", ordered_dict=False):
    at, last = _parent(in_dict, keys, delimiter, ordered_dict)
    at.setdefault(last, {}).update(value)
    return in_dict


def append_dict_key_value(in_dict, keys, value, delimiter=":", ordered_dict=False):
    at, last = _parent(in_dict, keys, delimiter, ordered_dict)
    at.setdefault(last, []).append(value)
    return in_dict


def extend_dict_key_value(in_dict, keys, value, delimiter=":", ordered_dict=False):
    at, last = _parent(in_dict, keys, delimiter, ordered_dict)
    at.setdefault(last, []).extend(value)
    return in_dict
