"""Clients in Python: jobs for minions, and functions of the minion on this machine."""

import salt.config
from salt import _host
from salt.exceptions import EauthAuthenticationError, SaltClientError, SaltInvocationError  # noqa: F401


def get_local_client(c_path="/etc/salt/master", mopts=None, **_):
    return LocalClient(c_path, mopts)


class LocalClient:
    """Publishes jobs as the user who runs this."""

    def __init__(self, c_path="/etc/salt/master", mopts=None, skip_perm_errors=False, io_loop=None, keep_loop=False,
                 auto_reconnect=False, listen=False):  # fmt: skip
        self.opts = mopts if mopts is not None else salt.config.client_config(c_path)
        self._conf = self.opts.get("conf_file", c_path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def destroy(self):
        pass

    def _ask(self, how, tgt, fun, arg, timeout, tgt_type, ret, jid, kwarg, further):
        arguments = list(arg) if isinstance(arg, (list, tuple)) else [arg]
        if kwarg:
            arguments.append({"__kwarg__": True, **kwarg})
        request = {
            "tgt": tgt, "fun": fun, "arg": arguments, "timeout": timeout, "tgt_type": tgt_type, "ret": ret, "jid": jid,
            "further": further,
        }  # fmt: skip
        return _host.ask("local", self._conf, how, request)

    def cmd(self, tgt, fun, arg=(), timeout=None, tgt_type="glob", ret="", jid="", full_return=False, kwarg=None, **kwargs):
        found = self._ask("cmd", tgt, fun, arg, timeout, tgt_type, ret, jid, kwarg, kwargs)
        return found if full_return else {minion: data.get("ret") for minion, data in found.items()}

    def cmd_iter(self, tgt, fun, arg=(), timeout=None, tgt_type="glob", ret="", kwarg=None, **kwargs):
        for minion, data in self._ask("cmd", tgt, fun, arg, timeout, tgt_type, ret, "", kwarg, kwargs).items():
            yield {minion: data}

    cmd_iter_no_block = cmd_iter

    def cmd_cli(self, tgt, fun, arg=(), timeout=None, tgt_type="glob", ret="", verbose=False, kwarg=None, progress=False,
                **kwargs):  # fmt: skip
        return self.cmd_iter(tgt, fun, arg, timeout, tgt_type, ret, kwarg, **kwargs)

    def cmd_async(self, tgt, fun, arg=(), tgt_type="glob", ret="", jid="", kwarg=None, **kwargs):
        published = self._ask("publish", tgt, fun, arg, None, tgt_type, ret, jid, kwarg, kwargs)
        return published.get("jid", 0)

    def run_job(self, tgt, fun, arg=(), tgt_type="glob", ret="", timeout=None, jid="", kwarg=None, listen=False, **kwargs):
        return self._ask("publish", tgt, fun, arg, timeout, tgt_type, ret, jid, kwarg, kwargs)

    def cmd_subset(self, tgt, fun, arg=(), tgt_type="glob", ret="", kwarg=None, subset=3, cli=False, progress=False,
                   full_return=False, **kwargs):  # fmt: skip
        import random

        minions = list(self.cmd(tgt, "test.ping", tgt_type=tgt_type))
        chosen = random.sample(minions, min(subset, len(minions)))
        return self.cmd(chosen, fun, arg, tgt_type="list", ret=ret, kwarg=kwarg, full_return=full_return, **kwargs)

    def cmd_batch(self, tgt, fun, arg=(), tgt_type="glob", ret="", kwarg=None, batch="10%", **kwargs):
        minions = sorted(self.cmd(tgt, "test.ping", tgt_type=tgt_type))
        text = str(batch)
        size = int(float(text[:-1]) / 100 * len(minions)) if text.endswith("%") else int(text)
        size = max(1, size)
        for start in range(0, len(minions), size):
            part = minions[start : start + size]
            for minion, data in self.cmd(part, fun, arg, tgt_type="list", ret=ret, kwarg=kwarg, **kwargs).items():
                yield {minion: data}

    def get_cache_returns(self, jid):
        found = _host.ask("runner", self._conf, "jobs.lookup_jid", [jid], {})
        return {minion: {"ret": value} for minion, value in found.items()}

    def gather_minions(self, tgt, expr_form):
        return _host.ask("targets", tgt, expr_form, ":")["minions"]


class Caller:
    """Functions of a minion on this machine, as salt-call runs them."""

    def __init__(self, c_path="/etc/salt/minion", mopts=None):
        self.opts = mopts if mopts is not None else salt.config.minion_config(c_path)
        self._conf = self.opts.get("conf_file", c_path)

    def cmd(self, fun, *args, **kwargs):
        return _host.ask("caller", self._conf, dict(file_client=self.opts.get("file_client")), fun, list(args), kwargs)

    function = cmd


class SSHClient:
    def __init__(self, *_, **__):
        raise SaltClientError("Agentless minions are reached with the salt-ssh program")
