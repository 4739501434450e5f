"""A minion's pillar."""

from salt import _host


class _Pillar:
    def __init__(self, saltenv, pillarenv):
        self._kwargs = {"saltenv": saltenv, "pillarenv": pillarenv}

    def compile_pillar(self, ext=True):
        wanted = {key: value for key, value in self._kwargs.items() if value is not None}
        return _host.ask("call", "function", "pillar.items", [], wanted)


def get_pillar(opts, grains, minion_id=None, saltenv=None, ext=None, funcs=None, pillar_override=None, pillarenv=None, **_):
    return _Pillar(saltenv, pillarenv)
