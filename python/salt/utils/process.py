"""Processes."""

import contextlib
import multiprocessing
import os
import signal
import threading


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
    # calls of the host run beside the main thread, which alone has signals
    if threading.current_thread() is not threading.main_thread():
        signals = ()
    before = {number: signal.getsignal(number) for number in signals}
    for number in signals:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def set_pidfile(pidfile, user):
    """Writes the number of this process, for a user."""
    import pwd

    os.makedirs(os.path.dirname(pidfile), exist_ok=True)
    with open(pidfile, "w", encoding="utf-8") as handle:
        handle.write(str(os.getpid()))
    facts = pwd.getpwnam(user)
    os.chown(pidfile, facts.pw_uid, facts.pw_gid)


def check_pidfile(pidfile):
    return os.path.isfile(pidfile)


def get_pidfile(pidfile):
    try:
        with open(pidfile, encoding="utf-8") as handle:
            return int(handle.read())
    except (OSError, ValueError):
        return -1


class Process(multiprocessing.Process):
    """A process of its own, which leaves quietly."""


SignalHandlingProcess = Process


class SubprocessList:
    def __init__(self, processes=None, lock=None):
        self.processes = processes or []

    @property
    def count(self):
        return len(self.processes)

    def add(self, proc):
        self.processes.append(proc)

    def cleanup(self):
        self.processes = [proc for proc in self.processes if proc.is_alive()]


class ThreadPool:
    """Calls that wait for one of a few threads."""

    def __init__(self, num_threads=None, queue_size=0):
        import concurrent.futures

        self._pool = concurrent.futures.ThreadPoolExecutor(num_threads)

    def fire_async(self, func, args=None, kwargs=None):
        self._pool.submit(func, *(args or ()), **(kwargs or {}))
        return True
