"""
The pipe to the host. Frames are four bytes of length and a message; either side asks, and answers name the number of
what they answer. Every call from the host runs in a thread of its own, so that one that blocks blocks only itself.
Threads and locks are Python's low-level ones: `threading` and `queue` are more to load than all of this.
"""

import _thread
import os
import struct

from . import wire

# from the host
CALL, REPLY, FAIL, DOCUMENT, PATCH, DROP, CANCEL = range(7)
# to the host, besides REPLY and FAIL
ASK, LOG = 0, 3

IDLE_SECONDS = 30


class Slot:
    """Where one thread waits for one message of another."""

    def __init__(self):
        self._full = _thread.allocate_lock()
        self._full.acquire()
        self._item = None

    def put(self, item):
        self._item = item
        self._full.release()

    def take(self, seconds=-1):
        """What was put; None when nothing came in time."""
        if not self._full.acquire(True, seconds):
            return None
        item, self._item = self._item, None
        return item


class Cancelled(BaseException):
    """Raised in the thread of a call that the host gave up."""


class Running:
    """
    A call and its thread. It is given up by an exception that may come between any two steps of users' code, but not while
    the thread is `inside` here, where half a message could stay unwritten: there it is told by the slot it waits at.
    """

    def __init__(self):
        self.ident = _thread.get_ident()
        # the number of the process before Python 3.8, which is the number of its first thread
        self.native = getattr(_thread, "get_native_id", os.getpid)()
        self.inside = False
        self.cancelled = False
        self.slot = None


class Channel:
    def __init__(self, read_fd, write_fd, serve):
        self._in = os.fdopen(read_fd, "rb", buffering=1 << 16)
        self._out = write_fd
        self._serve = serve
        self._lock = _thread.allocate_lock()
        self._writing = _thread.allocate_lock()
        self._last = 0
        self._waiting = {}
        self._idle = []
        self.threads = {}
        self.documents = {}
        self.dropped = lambda number: None
        self._is_fork = False
        if hasattr(os, "register_at_fork"):  # since Python 3.7
            os.register_at_fork(after_in_child=self._forked)

    def _forked(self):
        """A process that a module forked has no part in the pipe: two writers would cut each other's messages in two."""
        self._is_fork = True
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, self._in.fileno(), False)
        os.dup2(nothing, self._out, False)
        # threads that are not in this process may hold the others
        self._lock, self._writing = _thread.allocate_lock(), _thread.allocate_lock()

    def _send_from_fork(self, message):
        if message[0] == LOG:
            os.write(2, "[{}] {}\n".format(message[2], message[3]).encode("utf-8", "replace"))
        elif message[0] == ASK:
            raise RuntimeError("a process that a module forked cannot use __salt__ and the like")
        else:
            # the call is the parent's to answer
            os._exit(0)

    def send(self, message):
        """Writes one message; what cannot be written raises before anything was."""
        if self._is_fork:
            self._send_from_fork(message)
            return
        body = wire.pack(message)
        data = memoryview(struct.pack(">I", len(body)) + body)
        with self._writing:
            while data:
                data = data[os.write(self._out, data) :]

    def _receive(self):
        head = self._in.read(4)
        if len(head) < 4:
            return None
        (size,) = struct.unpack(">I", head)
        body = self._in.read(size)
        return wire.unpack(body) if len(body) == size else None

    def ask(self, call, method, payload):
        """Asks the host on behalf of a call, and waits for what it says."""
        slot = Slot()
        running = self.threads.get(call)
        if running is None or running.ident != _thread.get_ident():
            # a thread that a module started itself
            running = Running()
        with self._lock:
            self._last += 1
            number = self._last
            self._waiting[number] = running.slot = slot
            running.inside = True
        try:
            self.send([ASK, number, call, method, payload])
            kind, value = slot.take()
        finally:
            with self._lock:
                self._waiting.pop(number, None)
                running.slot, running.inside = None, False
        if kind == REPLY:
            return value
        raise Cancelled if kind == CANCEL else HostFailure(value)

    def run(self):
        """Serves until the host closes its end."""
        while True:
            message = self._receive()
            if message is None:
                return
            kind, number = message[0], message[1]
            if kind == CALL:
                self._begin(message)
            elif kind in (REPLY, FAIL):
                with self._lock:
                    waiting = self._waiting.pop(number, None)
                    if waiting is not None:
                        waiting.put((kind, message[2]))
            elif kind == DOCUMENT:
                self.documents[number] = message[2]
            elif kind == PATCH:
                self._patch(self.documents[number], message[2], message[3])
            elif kind == DROP:
                self.documents.pop(number, None)
                self.dropped(number)
            elif kind == CANCEL:
                from . import cancelling

                cancelling.cancel(self, number)

    @staticmethod
    def _patch(document, changed, gone):
        document.update(changed)
        for key in gone:
            document.pop(key, None)

    def _begin(self, message):
        with self._lock:
            slot = self._idle.pop() if self._idle else None
        if slot is None:
            slot = Slot()
            _thread.start_new_thread(self._labour, (slot,))
        slot.put(message)

    def _labour(self, slot):
        """Takes calls until there has been none for a while."""
        while True:
            message = slot.take(IDLE_SECONDS)
            if message is None:
                with self._lock:
                    if slot in self._idle:
                        self._idle.remove(slot)
                        return
                # a call is on its way already
                message = slot.take()
            _, number, method, payload = message
            running = self.threads[number] = Running()
            try:
                self._serve(number, method, payload)
            except Cancelled:
                self.finish(number)
            if running.cancelled:
                # another exception may be on its way to this thread
                return
            with self._lock:
                self._idle.append(slot)

    def finish(self, number):
        """Says that users' code of a call is done; false when it was given up before. Nothing strikes it from here on."""
        with self._lock:
            running = self.threads.pop(number, None)
        return running is not None and not running.cancelled

    def give_up(self, number, strike):
        """Ends the wait of a call that asks, or strikes it in users' code; false when it is over."""
        with self._lock:
            running = self.threads.get(number)
            if running is None:
                return False
            running.cancelled = True
            waiting = running.slot
            if not running.inside:
                strike(running)
            elif waiting is not None and waiting in self._waiting.values():
                running.slot = None
                self._waiting = {other: slot for other, slot in self._waiting.items() if slot is not waiting}
                waiting.put((CANCEL, None))
        return True


class HostFailure(Exception):
    """What the host says when a call from here failed; turned into the exception it stands for."""

    def __init__(self, details):
        super().__init__(details.get("message", ""))
        self.details = details
