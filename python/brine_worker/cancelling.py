"""
Ends a call that was given up: an exception in its thread, again and again should the module catch it, and an end to the
programs that the thread started. A thread that waits inside the system notices when that wait is over; nothing of the
module runs after that. A module that catches the exception and goes on for long ends the worker.
"""

import _thread
import ctypes
import os
import signal
import sys
import time

from .channel import Cancelled
from .host_log import logger

FIRST_WAIT, LONGEST_WAIT = 0.02, 0.25
# how often a thread may be seen elsewhere than before, which says that it goes on
MOST_STEPS = 8


def _strike(running):
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(running.ident), ctypes.py_object(Cancelled))
    for child in _children("/proc/self/task/{}/children".format(running.native)):
        _end(child)


def _children(path):
    try:
        with open(path, encoding="ascii") as listing:
            return [int(word) for word in listing.read().split()]
    except OSError:  # the thread has ended, or this is no Linux
        return []


def _end(process):
    """A program and what it started."""
    descendants = _children("/proc/{0}/task/{0}/children".format(process))
    try:
        os.kill(process, signal.SIGKILL)
    except OSError:  # it has ended by itself
        pass
    for child in descendants:
        _end(child)


def _place(running):
    """Where a thread is: it has not moved as long as this stays the same."""
    frame = sys._current_frames().get(running.ident)
    return None if frame is None else (id(frame), frame.f_lasti)


def _persist(channel, number):
    running = channel.threads.get(number)
    wait, place, steps = FIRST_WAIT, None, 0
    while running is not None and channel.give_up(number, _strike):
        before, place = place, _place(running)
        steps += place != before
        if steps > MOST_STEPS:
            logger(__name__).warning("A call catches what should end it; the Python worker is started anew")
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(wait)
        wait = min(wait * 2, LONGEST_WAIT)


def cancel(channel, number):
    _thread.start_new_thread(_persist, (channel, number))
