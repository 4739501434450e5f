"""Wheel functions from Python."""

from salt import _host


class WheelClient:
    def __init__(self, opts=None, context=None):
        self.opts = opts or {}
        self._conf = self.opts.get("conf_file", "/etc/salt/master")

    def cmd(self, fun, arg=None, pub_data=None, kwarg=None, print_event=True, full_return=False):
        return _host.ask("wheel", self._conf, fun, list(arg or []), dict(kwarg or {}))

    def call_func(self, fun, **kwargs):
        return self.cmd(fun, kwarg=kwargs)

    def cmd_sync(self, low, timeout=None, full_return=False):
        return self.cmd(low["fun"], low.get("arg"), kwarg=low.get("kwarg"))


class Wheel(WheelClient):
    pass
