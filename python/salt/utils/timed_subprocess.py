"""Commands that may take only so long."""

import shlex
import subprocess

from salt.exceptions import TimedProcTimeoutError


class TimedProc:
    def __init__(self, args, **kwargs):
        self.command = args
        self.timeout = kwargs.pop("timeout", None)
        self.stdin = kwargs.pop("stdin", None)
        kwargs.pop("with_communicate", None)
        if isinstance(args, str) and not kwargs.get("shell"):
            args = shlex.split(args)
        if self.stdin is not None:
            self.stdin = self.stdin if isinstance(self.stdin, bytes) else str(self.stdin).encode()
            kwargs["stdin"] = subprocess.PIPE
        kwargs.setdefault("stdout", subprocess.PIPE)
        self.process = subprocess.Popen(args, **kwargs)

    def run(self):
        try:
            self.stdout, self.stderr = self.process.communicate(input=self.stdin, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise TimedProcTimeoutError("{} : Timed out after {} seconds".format(self.command, self.timeout)) from None
        return self.process.returncode
