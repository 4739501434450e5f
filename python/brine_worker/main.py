"""
The worker's life: reads calls from one descriptor and writes to another. What modules print, and what they log, are lines of the
host's log.
"""

import io
import os
import sys

from . import calls, functions as _functions, host_log, modules, sources, wire  # noqa: F401, the dunders register themselves
from .channel import FAIL, LOG, REPLY, Cancelled, Channel

METHODS = {}


def method(function):
    METHODS[function.__name__] = function
    return function


@method
def load(_call, family, paths, installed=None):
    """What the modules of these files are; `installed` has the extensions that some of them are part of."""
    return [modules.describe(path, family, (installed or {}).get(path)) for path in paths]


@method
def extension(_call, package, label):
    """Imports the package of an extension."""
    from . import extensions

    extensions.problem(package, label)


@method
def call(running, family, path, attr, args, kwargs):
    """Calls a function of a module."""
    return gathered(modules.function(path, attr, family)(*args, **kwargs), running)


@method
def with_options(running, family, path, attr):
    """Calls a function with the options as its one argument."""
    return gathered(modules.function(path, attr, family)(calls.Dunder("__opts__").value()), running)


@method
def execute(running, path, attr, data, name, args, kwargs):
    """Calls an executor, which gets the function itself."""
    from .functions import Functions

    opts = calls.Dunder("__opts__").value()
    function = modules.function(path, attr, "executors")
    return gathered(function(opts, data, Functions("function")[name], args, kwargs), running)


@method
def thorium(running, path, attr, args, kwargs):
    """Calls a state of Thorium, and gives the register as it left it too."""
    value = gathered(modules.function(path, attr, "thorium")(*args, **kwargs))
    return [value, running.facts["reg"]]


@method
def log_records(_call, paths, installed, records):
    """Hands lines of the host's log to log handlers."""
    from . import log_handlers

    return log_handlers.emit(paths, installed, records)


@method
def grains(_call, paths, known):
    """All that functions of grains modules give, each with what is known so far."""
    from . import grains as collecting

    return collecting.collect(paths, known)


@method
def render(_call, renderer, text, path, variables, arguments):
    """What a Python file means."""
    from . import renderers

    return gathered(renderers.RENDERERS[renderer](text, path, variables, arguments))


@method
def files(_call, changed, gone):
    """Takes users' files on a machine that does not have them."""
    sources.files().change(changed, gone)


@method
def survey(_call, paths, utils):
    """What the text of modules tells of them, and what in it needs the machine that they are about."""
    from . import survey as looking

    return [looking.of(path, utils) for path in paths]


@method
def alive(_call):
    """Shows that Python code of other calls can run."""


def gathered(value, running=None):
    """A function that yields gives all of it: dicts laid together, else a list. Who waits for it hears of each."""
    if not isinstance(value, wire.generator):
        return value
    tells = running is not None and running.facts.get("progress")
    result = {}
    for index, item in enumerate(value):
        if isinstance(item, dict) and isinstance(result, dict):
            result.update(item)
        else:
            result = result or []
            result.append(item)
        if tells:
            running.ask("progress", index, item)
    return result


def changes(running):
    """What the call wrote into `__context__` and can leave Python: keys with a value, and keys that went."""
    if not running.touched:
        return None
    memory = running.values["__context__"]
    kept, gone = {}, []
    for key, stays in running.touched.items():
        if not stays:
            gone.append(key)
            continue
        try:
            wire.pack([key, dict.__getitem__(memory, key)])
        except Exception:  # connections and the like stay here
            continue
        kept[key] = dict.__getitem__(memory, key)
    return [kept, gone]


class Worker:
    def __init__(self, to_read, to_write):
        self.channel = Channel(to_read, to_write, self.serve)
        self.channel.dropped = calls.forget_memory

    def serve(self, number, name, payload):
        running = calls.Call(self.channel, number, payload[0])
        written = None
        try:
            with running:
                value = METHODS[name](running, *payload[1:])
                written = changes(running)
            message = [REPLY, number, value, written]
        except Cancelled:
            raise
        except BaseException as exc:  # sys.exit() of a module must not end the worker
            from .failures import describe

            message = [FAIL, number, describe(exc), None]
        if self.channel.finish(number):
            self.answer(message)

    def answer(self, message):
        _, number, value, _ = message
        try:
            self.channel.send(message)
        except Exception as exc:  # whatever a conversion raised
            where = "{}: {}".format(*wire.find_unserializable(value, exc))
            details = {"type": "Unserializable", "message": where, "trace": "", "bases": []}
            self.channel.send([FAIL, number, details, None])


def limit_memory(megabytes):
    import resource

    size = megabytes << 20
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def main(to_read=3, to_write=4):
    level, megabytes, upstream_too = (int(word) for word in sys.argv[1:4])
    os.set_inheritable(to_read, False)
    os.set_inheritable(to_write, False)
    if megabytes > 0:
        limit_memory(megabytes)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        setattr(sys, name, io.TextIOWrapper(stream.buffer, encoding="utf-8", errors="replace", line_buffering=True))
    sys.argv = ["salt"]
    worker = Worker(to_read, to_write)
    host_log.install(lambda number, name, text: worker.channel.send([LOG, number, name, text]), level)
    if upstream_too:
        from . import upstream as beside

        beside.prefer()
    try:
        worker.channel.run()
    finally:
        sys.stdout.flush()
        # threads of calls that never end must not keep the process
        os._exit(0)
