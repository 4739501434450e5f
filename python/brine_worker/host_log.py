"""
Records of `logging` become lines of the host's log, whose levels are Salt's. What needs `logging` loads it; it is set up
then, so that a module that logs nothing does not wait for it.
"""

import sys


class _Watch:
    """Among the finders of modules: sets `logging` up when something imports it."""

    def __init__(self, write, level):
        self._write, self._level = write, level

    def find_spec(self, name, path=None, target=None):
        if name != "logging":
            return None
        sys.meta_path.remove(self)
        import importlib.machinery

        spec = importlib.machinery.PathFinder.find_spec(name)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            _set_up(module, self._write, self._level)

        spec.loader.exec_module = exec_module
        return spec


def install(write, level):
    sys.meta_path.insert(0, _Watch(write, level))


def logger(name):
    import logging

    return logging.getLogger(name)


def _set_up(logging, write, level):
    class Handler(logging.Handler):
        def emit(self, record):
            try:
                text = record.getMessage()
                if record.exc_info:
                    text += "\n" + logging.Formatter().formatException(record.exc_info)
                write(record.levelno, record.name, text)
            except Exception:
                self.handleError(record)

    root = logging.getLogger()
    root.addHandler(Handler())
    root.setLevel(level)
    for name, number in (("TRACE", 5), ("GARBAGE", 1), ("PROFILE", 15)):
        logging.addLevelName(number, name)
        setattr(logging.Logger, name.lower(), _method(number))


def _method(number):
    """A level of Salt's as a method of loggers."""

    def write(self, text, *args, **kwargs):
        if self.isEnabledFor(number):
            self._log(number, text, args, **kwargs)

    return write
