"""Decorators of functions in modules."""

import functools
import inspect
import logging
import time

from salt.exceptions import SaltInvocationError

from .. import data as _data

log = logging.getLogger(__name__)


class Depends:
    """
    A function that is there only when what it depends on is: names in its module, functions of `__salt__`, or truths.
    The loader settles that once the module has been read.
    """

    def __init__(self, *dependencies, **kwargs):
        self.dependencies = dependencies
        self.fallback = kwargs.get("fallback_function")
        self.retcode = kwargs.get("retcode", kwargs.get("ret_code"))
        self.nonzero = kwargs.get("nonzero_retcode", False)

    def __call__(self, function):
        @functools.wraps(function)
        def depending(*args, **kwargs):
            return function(*args, **kwargs)

        depending.__settle__ = lambda module: function if self._holds(module) else self.fallback
        return depending

    def _holds(self, module):
        return all(self._is_met(dependency, module) for dependency in self.dependencies)

    def _is_met(self, dependency, module):
        if isinstance(dependency, bool):
            return dependency
        if callable(dependency):
            return bool(dependency())
        if "." in str(dependency):
            return dependency in module.__salt__
        return hasattr(module, str(dependency))


depends = Depends


def timing(function):
    @functools.wraps(function)
    def timed(*args, **kwargs):
        begun = time.time()
        result = function(*args, **kwargs)
        log.profile("Function %s took %.20f seconds to execute", function.__name__, time.time() - begun)
        return result

    return timed


def memoize(func):
    """Keeps answers for arguments that came before, as long as the worker lives."""
    known = {}

    @functools.wraps(func)
    def remembered(*args, **kwargs):
        key = (tuple(map(str, args)), tuple(sorted((name, str(value)) for name, value in kwargs.items())))
        if key not in known:
            known[key] = func(*args, **kwargs)
        return known[key]

    return remembered


def is_deprecated(globals, version, with_successor=None):
    def decorate(function):
        @functools.wraps(function)
        def warned(*args, **kwargs):
            hint = ' Use "{}" instead.'.format(with_successor) if with_successor else ""
            log.warning('The function "%s" is deprecated and will expire in version "%s".%s', function.__name__, version, hint)
            return function(*args, **kwargs)

        return warned

    return decorate


def with_deprecated(globals, version, with_name=None, policy=1):
    return lambda function: function


with_deprecated.OPT_IN, with_deprecated.OPT_OUT = 1, 2


def ignores_kwargs(*kwarg_names):
    def decorate(function):
        @functools.wraps(function)
        def cleaned(*args, **kwargs):
            return function(*args, **{key: value for key, value in kwargs.items() if key not in kwarg_names})

        return cleaned

    return decorate


def ensure_unicode_args(function):
    @functools.wraps(function)
    def decoded(*args, **kwargs):
        return function(*_data.decode(list(args), keep=True), **_data.decode(kwargs, keep=True))

    return decoded


def _given(function, args, kwargs):
    bound = inspect.signature(function).bind_partial(*args, **kwargs).arguments
    return {name for name, value in bound.items() if value is not None}


def allow_one_of(*allowed_args):
    def decorate(function):
        @functools.wraps(function)
        def checked(*args, **kwargs):
            named = [name for name in allowed_args if name in _given(function, args, kwargs)]
            if len(named) > 1:
                raise SaltInvocationError("Only of the following is allowed: {}".format(", ".join(allowed_args)))
            return function(*args, **kwargs)

        return checked

    return decorate


def require_one_of(*required_args):
    def decorate(function):
        @functools.wraps(function)
        def checked(*args, **kwargs):
            named = [name for name in required_args if name in _given(function, args, kwargs)]
            words = ", ".join(required_args)
            if not named:
                raise SaltInvocationError("One of the following must be provided: {}".format(words))
            if len(named) > 1:
                raise SaltInvocationError("Only one of the following is allowed: {}".format(words))
            return function(*args, **kwargs)

        return checked

    return decorate


def identical_signature_wrapper(original_function, wrapped_function):
    return functools.wraps(original_function)(wrapped_function)
