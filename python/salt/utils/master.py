"""What the master knows of minions."""

from salt import _host


class MasterPillarUtil:
    def __init__(self, tgt="", tgt_type="glob", saltenv=None, use_cached_grains=True, use_cached_pillar=True,
                 grains_fallback=True, pillar_fallback=True, opts=None):  # fmt: skip
        self.tgt, self.tgt_type = tgt, tgt_type

    def _asked(self, what):
        return _host.ask("call", "runner", "cache." + what, [self.tgt], {"tgt_type": self.tgt_type})

    def get_minion_grains(self):
        return self._asked("grains")

    def get_minion_pillar(self):
        return self._asked("pillar")

    def get_cached_mine_data(self):
        return self._asked("mine")
