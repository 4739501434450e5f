"""A minion beside the master, for code that wants functions there."""

from brine_worker.functions import Functions


class MasterMinion:
    def __init__(self, opts, returners=True, states=True, rend=True, matcher=True, whitelist=None, ignore_config_errors=True):
        self.opts = opts
        self.functions = Functions("function")
        self.states = Functions("state")
        self.returners = Functions("returner")

    def gen_modules(self, initial_load=False):
        self.functions = Functions("function")


SMinion = MasterMinion
