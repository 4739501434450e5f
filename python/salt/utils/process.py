"""Processes."""

import contextlib
import os
import signal


def os_is_running(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def appendproctitle(name):
    return None


def notify_systemd():
    return False


def clean_proc(proc, wait_for_kill=10):
    proc.terminate()
    proc.join(wait_for_kill)
    if proc.is_alive():
        os.kill(proc.pid, signal.SIGKILL)


@contextlib.contextmanager
def default_signals(*signals):
    before = {number: signal.getsignal(number) for number in signals}
    for number in signals:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
