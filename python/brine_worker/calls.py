"""
What the running call sees. Modules are loaded once and serve every minion and every run of this process, so their
dunders are stand-ins that lead to the data of the call that runs in the thread asking.
"""

import _thread
from _collections_abc import MutableMapping

_local = _thread._local()
_latest = None


class NoCall(RuntimeError):
    """A dunder was used where no call is running."""


class Call:
    """One call from the host, and the names it gives to module dunders."""

    def __init__(self, channel, number, facts):
        self.channel = channel
        self.number = number
        self.facts = facts
        self.values = {}
        self.touched = {}

    def ask(self, method, *payload):
        from .failures import raised

        return raised(self.channel.ask, self.number, method, list(payload))

    def document(self, name):
        """A dict of the host, which sends it when it is first asked for."""
        number = self.facts[name]
        documents = self.channel.documents
        if number not in documents:
            self.ask("document", number)
        return documents[number]

    def __enter__(self):
        global _latest
        self.before = getattr(_local, "call", None)
        _local.call = _latest = self
        return self

    def __exit__(self, *_):
        _local.call = self.before


def current():
    """The call of this thread; a thread that a module started itself sees the latest one."""
    call = getattr(_local, "call", None) or _latest
    if call is None:
        raise NoCall("no call from the host is running")
    return call


class Dunder(MutableMapping):
    """A module's view of one of the names below, in whichever call uses it."""

    def __init__(self, name):
        self._name = name

    def value(self):
        call = current()
        if self._name not in call.values:
            call.values[self._name] = SOURCES[self._name](call)
        return call.values[self._name]

    def __brine_plain__(self):
        return dict(self.value())

    def __getitem__(self, key):
        return self.value()[key]

    def __setitem__(self, key, item):
        self.value()[key] = item

    def __delitem__(self, key):
        del self.value()[key]

    def __contains__(self, key):
        return key in self.value()

    def __iter__(self):
        return iter(self.value())

    def __len__(self):
        return len(self.value())

    def __bool__(self):
        return bool(self.value())

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.value(), name)

    def get(self, key, default=None):
        return self.value().get(key, default)

    def __eq__(self, other):
        return self.value() == (other.value() if isinstance(other, Dunder) else other)

    __hash__ = None

    def __repr__(self):
        return repr(self.value())

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        import copy

        return copy.deepcopy(dict(self.value()), memo)

    def copy(self):
        value = self.value()
        return value.copy() if hasattr(value, "copy") else dict(value)

    def __or__(self, other):
        return dict(self.value()) | dict(other)


# how a call makes the value of a name; filled by the modules that know
SOURCES = {}


def source(name):
    def register(make):
        SOURCES[name] = make
        return make

    return register


class Memory(dict):
    """`__context__`: kept between calls. The host sees what can leave Python, and knows what its own functions put there."""

    def __init__(self):
        super().__init__()
        self.shared = set()

    def _look(self, key):
        if dict.__contains__(self, key):
            return True
        answer = current().ask("memory", key)
        if answer is None:
            return False
        dict.__setitem__(self, key, answer[0])
        self.shared.add(key)
        return True

    def __contains__(self, key):
        return self._look(key)

    def __getitem__(self, key):
        if not self._look(key):
            raise KeyError(key)
        return dict.__getitem__(self, key)

    def get(self, key, default=None):
        return dict.__getitem__(self, key) if self._look(key) else default

    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value)
        current().touched[key] = True

    def __delitem__(self, key):
        dict.__delitem__(self, key)
        current().touched[key] = False

    def pop(self, key, *default):
        if not self._look(key):
            if default:
                return default[0]
            raise KeyError(key)
        value = dict.__getitem__(self, key)
        del self[key]
        return value

    def setdefault(self, key, default=None):
        if not self._look(key):
            self[key] = default
        return dict.__getitem__(self, key)

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value


_memories = {}


@source("__context__")
def _context(call):
    memory = _memories.setdefault(call.facts["memory"], Memory())
    if not call.facts.get("retcode", True):
        dict.pop(memory, "retcode", None)
    return memory


def forget_memory(number):
    _memories.pop(number, None)


@source("__opts__")
def _opts(call):
    opts = dict(call.document("opts"))
    opts["grains"] = call.document("grains")
    opts["pillar"] = call.document("pillar")
    opts.update(call.facts.get("opts_over") or {})
    if call.facts.get("proxymodule") and "proxy" in call.facts:
        opts["proxymodule"] = Dunder("__proxy__")
    return opts


@source("__grains__")
def _grains(call):
    return call.document("grains")


@source("__pillar__")
def _pillar(call):
    return call.document("pillar")
