"""Checks of what states return, for functions that want them; the host makes its own."""

import functools

from salt.exceptions import SaltException

_KEYS = ("name", "result", "changes", "comment")


def _content_check(result):
    if not isinstance(result, dict):
        raise SaltException("Malformed state return. Data must be a dictionary type.")
    if not isinstance(result.get("changes"), dict):
        raise SaltException("'Changes' should be a dictionary.")
    missing = ", ".join(key for key in _KEYS if key not in result)
    if missing:
        raise SaltException("The following keys were not present in the state return: {}.".format(missing))
    return result


def _unify(result):
    if isinstance(result.get("comment"), list):
        result["comment"] = "\n".join(str(line) for line in result["comment"])
    if result.get("result") is not None:
        result["result"] = bool(result["result"])
    return result


_POLICIES = {"content_check": _content_check, "unify": _unify}


class OutputUnifier:
    def __init__(self, *policies):
        for policy in policies:
            if policy not in _POLICIES:
                raise SaltException("Unknown policy: {}".format(policy))
        self.policies = [_POLICIES[policy] for policy in policies]

    def _checked(self, result):
        for policy in self.policies:
            try:
                result = policy(result)
            except Exception as exc:  # a state that returns nonsense has failed
                text = "An exception occurred in this state: {}".format(exc)
                result = {"result": False, "name": "later", "changes": {}, "comment": text}
        return result

    def __call__(self, function):
        @functools.wraps(function)
        def checked(*args, **kwargs):
            result = function(*args, **kwargs)
            parts = result.get("sub_state_run", ()) if isinstance(result, dict) else ()
            result = self._checked(result)
            if parts:
                result["sub_state_run"] = [self._checked(part) for part in parts]
            return result

        return checked


StateOutput = OutputUnifier
