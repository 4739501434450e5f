"""Names that functions see for a while."""

import contextlib


@contextlib.contextmanager
def func_globals_inject(func, **overrides):
    names = func.__globals__
    before = {key: names[key] for key in overrides if key in names}
    names.update(overrides)
    try:
        yield
    finally:
        for key in overrides:
            if key in before:
                names[key] = before[key]
            else:
                del names[key]
