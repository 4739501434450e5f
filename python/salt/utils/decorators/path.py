"""Functions that need a program."""

import functools

from salt.exceptions import CommandNotFoundError

from ..path import which as _which


def which(exe):
    def decorate(function):
        @functools.wraps(function)
        def checked(*args, **kwargs):
            if _which(exe) is None:
                raise CommandNotFoundError("The '{}' binary was not found in $PATH.".format(exe))
            return function(*args, **kwargs)

        return checked

    return decorate


def which_bin(exes):
    def decorate(function):
        @functools.wraps(function)
        def checked(*args, **kwargs):
            if not any(map(_which, exes)):
                raise CommandNotFoundError("None of provided binaries({}) was found in $PATH.".format(exes))
            return function(*args, **kwargs)

        return checked

    return decorate
