"""
Log handlers of users and extensions: `setup_handlers` gives handlers of Python's `logging`, which get the lines of the host's log. They
are set up once in each process.
"""

import logging

from . import modules

# handlers with the names of their modules, by the files that they come from
_handlers = {}


def emit(paths, installed, records):
    """Hands records to all handlers; what went wrong in which of them."""
    problems = {}
    known = tuple(paths)
    if known not in _handlers:
        _handlers[known] = list(_set_up(paths, installed, problems))
    made = [_record(*record) for record in records]
    for name, handler in _handlers[known]:
        try:
            for record in made:
                if record.levelno >= handler.level:
                    handler.handle(record)
            handler.flush()
        except BaseException as exc:  # users' code may raise anything
            problems[name] = "{}: {}".format(type(exc).__name__, exc)
    return problems


def _record(levelno, name, text, jid, created, process):
    return logging.makeLogRecord(
        {
            "name": name,
            "msg": text,
            "levelno": levelno,
            "levelname": logging.getLevelName(levelno),
            "created": created,
            "msecs": created % 1 * 1000,
            "process": process,
            "jid": jid,
            "pathname": "",
            "filename": "",
            "module": name.rpartition(".")[2],
            "funcName": "",
            "exc_info_on_loglevel": None,
        }
    )


def _set_up(paths, installed, problems):
    for path in paths:
        facts = modules.describe(path, "log_handlers", (installed or {}).get(path))
        name = facts["name"]
        setup = facts["functions"].get("setup_handlers")
        if facts["reason"] is not None or setup is None:
            problems[name] = facts["reason"] or ("it does not serve here" if setup else "it has no function setup_handlers")
            continue
        before = logging.root.handlers[:]
        try:
            given = modules.function(path, setup["attr"], "log_handlers")()
            given = list(given) if hasattr(given, "__iter__") else [given]
        except BaseException as exc:  # users' code may raise anything
            problems[name] = "{}: {}".format(type(exc).__name__, exc)
            continue
        # lines of this process reach the host, and from there the handlers
        added = [handler for handler in logging.root.handlers if handler not in before]
        for handler in added:
            logging.root.removeHandler(handler)
        for handler in dict.fromkeys(added + [handler for handler in given if isinstance(handler, logging.Handler)]):
            _raise_errors(handler)
            yield name, handler


def _raise_errors(handler):
    """Lets `handle` raise what `emit` catches, so that the host hears of it instead of the standard error."""

    def handle_error(_record):
        raise

    handler.handleError = handle_error
