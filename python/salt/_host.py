"""
Asks the host: the daemon or program that runs this worker, or, in a script of its own, a program of Brine started for
it. What users' Python needs beyond Python itself (options, YAML, functions, publishing) is there and nowhere else.
"""

import atexit
import os
import shutil
import struct
import subprocess
import threading

from brine_worker import wire
from brine_worker.calls import NoCall, current
from brine_worker.channel import ASK, REPLY, HostFailure
from brine_worker.failures import raised


# what a worker's host has no answer to; a program of its own has
_APART = {"config", "local", "runner", "wheel", "caller"}


def ask(method, *params):
    """What the host answers; its failures are raised as the exceptions they stand for."""
    if method not in _APART:
        try:
            call = current()
        except NoCall:
            call = None
        if call is not None:
            return call.ask(method, *params)
    return raised(_program().ask, method, list(params))


class _Program:
    """A program of Brine that answers over its standard streams."""

    def __init__(self):
        self._lock = threading.Lock()
        self._last = 0
        self._process = subprocess.Popen(_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.close)

    def close(self):
        self._process.stdin.close()
        self._process.wait()

    def ask(self, method, params):
        with self._lock:
            self._last += 1
            body = wire.pack([ASK, self._last, 0, method, params])
            self._process.stdin.write(struct.pack(">I", len(body)) + body)
            self._process.stdin.flush()
            head = self._process.stdout.read(4)
            if len(head) < 4:
                raise RuntimeError("The program of Brine ended before it answered")
            answer = wire.unpack(self._process.stdout.read(struct.unpack(">I", head)[0]))
        if answer[0] == REPLY:
            return answer[2]
        raise HostFailure(answer[2])


_running = None


def _program():
    global _running
    if _running is None:
        _running = _Program()
    return _running


def _command():
    """Beside this folder once it is built, in the sources, or on the search path."""
    above = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    built = os.path.join(above, "brine.js")
    source = os.path.join(above, "src", "cli", "brine.ts")
    if os.path.isfile(built):
        return ["node", built, "python-host"]
    if os.path.isfile(source):
        return ["node", "--import", "tsx", source, "python-host"]
    found = shutil.which("brine")
    if found is None:
        raise RuntimeError("No program of Brine was found: neither beside this package nor on the search path")
    return [found, "python-host"]
