"""What differs between two dicts."""

import copy


class DictDiffer:
    def __init__(self, current_dict, past_dict):
        self.current_dict, self.past_dict = current_dict, past_dict
        self.set_current, self.set_past = set(current_dict), set(past_dict)
        self.intersect = self.set_current & self.set_past

    def added(self):
        return self.set_current - self.intersect

    def removed(self):
        return self.set_past - self.intersect

    def changed(self):
        return {key for key in self.intersect if self.past_dict[key] != self.current_dict[key]}

    def unchanged(self):
        return self.intersect - self.changed()


def diff(current_dict, past_dict):
    return DictDiffer(current_dict, past_dict)


def deep_diff(old, new, ignore=None):
    ignore = ignore or []
    before, after = copy.deepcopy(old), copy.deepcopy(new)
    _strip(before, after, ignore)
    return {name: part for name, part in (("old", before), ("new", after)) if part}


def _strip(old, new, ignore):
    for key in [key for key in set(old) | set(new) if key in ignore]:
        old.pop(key, None)
        new.pop(key, None)
    for key in set(old) & set(new):
        if old[key] == new[key]:
            del old[key], new[key]
        elif isinstance(old[key], dict) and isinstance(new[key], dict):
            _strip(old[key], new[key], ignore)


def recursive_diff(past_dict, current_dict, ignore_missing_keys=True):
    return RecursiveDictDiffer(past_dict, current_dict, ignore_missing_keys)


class RecursiveDictDiffer(DictDiffer):
    """Differences at every depth, with dotted names."""

    NONE_VALUE = "<_null_>"

    def __init__(self, past_dict, current_dict, ignore_missing_keys=True):
        super().__init__(current_dict, past_dict)
        self.ignore_missing_keys = ignore_missing_keys
        self.diffs = self._diffs(current_dict, past_dict)

    def _diffs(self, current, past):
        result = {}
        for key in [*past, *(key for key in current if key not in past)]:
            if key not in current:
                if not self.ignore_missing_keys:
                    result[key] = {"new": self.NONE_VALUE, "old": past[key]}
            elif key not in past:
                result[key] = {"new": current[key], "old": self.NONE_VALUE}
            elif isinstance(current[key], dict) and isinstance(past[key], dict):
                inner = self._diffs(current[key], past[key])
                if inner:
                    result[key] = inner
            elif current[key] != past[key]:
                result[key] = {"new": current[key], "old": past[key]}
        return result

    def _values(self, which):
        def walk(part):
            if set(part) == {"new", "old"} and not all(isinstance(value, dict) for value in part.values()):
                return part[which]
            found = {key: walk(value) for key, value in part.items()}
            return {key: value for key, value in found.items() if value != self.NONE_VALUE}

        return walk(self.diffs) if self.diffs else {}

    @property
    def new_values(self):
        return self._values("new")

    @property
    def old_values(self):
        return self._values("old")

    def _names(self, part, before=""):
        for key, value in part.items():
            name = before + str(key)
            if isinstance(value, dict) and set(value) == {"new", "old"}:
                yield name, value
            else:
                yield from self._names(value, name + ".")

    def changed(self, ignore=()):
        return [name for name, value in self._names(self.diffs) if self.NONE_VALUE not in (value["old"],)]

    def added(self):
        return [name for name, value in self._names(self.diffs) if value["old"] == self.NONE_VALUE]

    def removed(self):
        return [name for name, value in self._names(self.diffs) if value["new"] == self.NONE_VALUE]

    @property
    def changes_str(self):
        return "\n".join(
            "{} from {!r} to {!r}".format(name, value["old"], value["new"]) for name, value in self._names(self.diffs)
        )
