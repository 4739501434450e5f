"""Runner functions from Python."""

from salt import _host


class RunnerClient:
    def __init__(self, opts, context=None):
        self.opts = opts
        self._conf = opts.get("conf_file", "/etc/salt/master")

    def cmd(self, fun, arg=None, pub_data=None, kwarg=None, print_event=True, full_return=False):
        return _host.ask("runner", self._conf, fun, list(arg or []), dict(kwarg or {}))

    def cmd_sync(self, low, timeout=None, full_return=False):
        return self.cmd(low["fun"], low.get("arg"), kwarg=low.get("kwarg"))

    def cmd_async(self, low):
        return {"return": self.cmd_sync(low)}


class Runner(RunnerClient):
    pass
