"""What differs between two lists of dicts that have a key in common."""

from .dictdiffer import recursive_diff


def list_diff(list_a, list_b, key):
    return ListDictDiffer(list_a, list_b, key)


class ListDictDiffer:
    def __init__(self, current_list, next_list, key):
        self._key = key
        self._old = {item[key]: item for item in current_list}
        self._new = {item[key]: item for item in next_list}
        both = [name for name in self._old if name in self._new]
        self._changes = {name: recursive_diff(self._old[name], self._new[name]) for name in both}

    @property
    def added(self):
        return [item for name, item in self._new.items() if name not in self._old]

    @property
    def removed(self):
        return [item for name, item in self._old.items() if name not in self._new]

    @property
    def intersect(self):
        return [{self._key: name, "old": self._old[name], "new": self._new[name]} for name in self._changes]

    def remove_diff(self, diff_key=None, diff_list="intersect"):
        for name, pair in ((name, (self._old.get(name), self._new.get(name))) for name in list(self._changes)):
            for item in pair:
                item.pop(diff_key, None)
            self._changes[name] = recursive_diff(*pair)

    @property
    def diffs(self):
        found = [{name: diff.diffs} for name, diff in self._changes.items() if diff.diffs]
        found += [{item[self._key]: recursive_diff({}, item).diffs} for item in self.added]
        found += [{item[self._key]: recursive_diff(item, {}, ignore_missing_keys=False).diffs} for item in self.removed]
        return found

    @property
    def new_values(self):
        return self._keyed("new_values") + self.added

    @property
    def old_values(self):
        return self._keyed("old_values") + self.removed

    def _keyed(self, which):
        values = ((name, getattr(diff, which)) for name, diff in self._changes.items())
        return [{**found, self._key: name} for name, found in values if found]
