"""
External pillars of SQL databases: each row of a query becomes a path in the pillar. The first columns are keys; the last one is the
value, or, with a `depth`, the further columns are values under their own names.
"""

import abc
import logging

from salt.utils.dictupdate import update

log = logging.getLogger(__name__)

_DEFAULTS = {"query": "", "depth": 0, "as_list": False, "as_json": False, "with_lists": None, "ignore_null": False}


def _settings(query):
    """A query as it is configured (text, list or dict) with all its settings; None when it asks nothing."""
    if isinstance(query, str):
        given = {"query": query}
    elif isinstance(query, (list, tuple)):
        given = dict(zip(("query", "depth"), query))
    else:
        given = dict(query) if isinstance(query, dict) else {}
    if not given.get("query"):
        return None
    settings = {**_DEFAULTS, **given}
    if isinstance(settings["with_lists"], str):
        settings["with_lists"] = [int(number) for number in settings["with_lists"].split(",") if number]
    return settings


class SqlBaseExtPillar(metaclass=abc.ABCMeta):
    result = None
    focus = None
    field_names = None
    num_fields = 0
    depth = 0
    as_list = False
    as_json = False
    with_lists = None
    ignore_null = False

    def __init__(self):
        self.result = self.focus = {}

    @classmethod
    @abc.abstractmethod
    def _db_name(cls):
        """The name of the database in log lines."""

    @abc.abstractmethod
    def _get_cursor(self):
        """A context manager that gives a cursor of PEP 249."""

    def extract_queries(self, args, kwargs):
        """Pairs of a root and the settings of a query: those without a root first, the others by name."""
        named = [[None, query] for query in args] + [[root, kwargs[root]] for root in sorted(kwargs)]
        return [[root, settings] for root, settings in ((root, _settings(query)) for root, query in named) if settings]

    def enter_root(self, root):
        self.focus = self.result
        if root:
            self.focus = self.result[root] = {}

    def process_fields(self, field_names, depth):
        self.field_names, self.num_fields = field_names, len(field_names)
        self.depth = depth if 0 < depth < self.num_fields else self.num_fields - 1

    def process_results(self, rows):
        listed = []
        for row in rows:
            if self.as_json and self.num_fields == 1:
                update(self.focus, row[0], merge_lists=self.as_list)
            else:
                self._add_row(row, listed)
        # from the inside out, so that what lies deeper is a list already
        for place, key in reversed(listed):
            if isinstance(place[key], dict):
                place[key] = list(place[key].values())
            elif isinstance(place[key], list):
                place[key] = [place[key]]

    def _note(self, listed, column, place, key):
        """Notes what becomes a list in the end."""
        if column in (self.with_lists or ()) and not any(known is place and name == key for known, name in listed):
            listed.append((place, key))

    def _add_row(self, row, listed):
        place = self.focus
        for column, key in enumerate(row[: self.depth - 1], 1):
            self._note(listed, column, place, key)
            place = self._below(place, key)
        key = row[self.depth - 1]
        if self.depth == self.num_fields - 1:
            self._set_last(place, key, row[-1])
            return
        place.setdefault(key, {})
        self._note(listed, self.depth, place, key)
        place = place[key]
        for column in range(self.depth, self.num_fields):
            name = self.field_names[column]
            if self.as_list and name in place:
                place[name] = [*(place[name] if isinstance(place[name], list) else [place[name]]), row[column]]
            elif not self.ignore_null or row[column] is not None:
                place[name] = row[column]
            if name in place:
                self._note(listed, column + 1, place, name)

    def _below(self, place, key):
        """The dict under a key; what stands there already is kept only in lists."""
        known = place.get(key)
        if isinstance(known, dict):
            return known
        made = {}
        if isinstance(known, list):
            known.append(made)
        elif key in place and self.as_list:
            place[key] = [known, made]
        else:
            place[key] = made
        return made

    def _set_last(self, place, key, value):
        if (self.as_list and key in place) or self.depth in (self.with_lists or ()):
            known = place.get(key, [])
            place[key] = [*(known if isinstance(known, list) else [known]), value]
        elif not self.ignore_null or value is not None:
            place[key] = value

    def fetch(self, minion_id, pillar, *args, **kwargs):
        log.info("Querying %s for information for %s", self._db_name(), minion_id)
        queries = self.extract_queries(args, kwargs)
        with self._get_cursor() as cursor:
            for root, settings in queries:
                cursor.execute(settings["query"], (minion_id,))
                self.process_fields([column[0] for column in cursor.description], settings["depth"])
                self.enter_root(root)
                self.as_list, self.as_json = settings["as_list"], settings["as_json"]
                self.with_lists, self.ignore_null = settings["with_lists"] or [], settings["ignore_null"]
                self.process_results(cursor.fetchall())
        return self.result
