"""
The pipe to the host. Frames are four bytes of length and a message; either side asks, and answers name the number of
what they answer. Every call from the host runs in a thread of its own, so that one that blocks blocks only itself.
"""

import ctypes
import os
import queue
import struct
import threading

from . import wire

# from the host
CALL, REPLY, FAIL, DOCUMENT, PATCH, DROP, CANCEL = range(7)
# to the host, besides REPLY and FAIL
ASK, LOG = 0, 3

IDLE_SECONDS = 30


class Cancelled(BaseException):
    """Raised in the thread of a call that the host gave up."""


class Channel:
    def __init__(self, read_fd, write_fd, serve):
        self._in = os.fdopen(read_fd, "rb", buffering=1 << 16)
        self._out = write_fd
        self._serve = serve
        self._lock = threading.Lock()
        self._last = 0
        self._waiting = {}
        self._threads = {}
        self._idle_count = 0
        self._work = queue.SimpleQueue()
        self.documents = {}
        self.dropped = lambda number: None

    def send(self, message):
        """Writes one message; what cannot be written raises before anything was."""
        body = wire.pack(message)
        data = memoryview(struct.pack(">I", len(body)) + body)
        with self._lock:
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
        answer = queue.SimpleQueue()
        with self._lock:
            self._last += 1
            number = self._last
            self._waiting[number] = answer
        try:
            self.send([ASK, number, call, method, payload])
            kind, value = answer.get()
        finally:
            self._waiting.pop(number, None)
        if kind == REPLY:
            return value
        raise HostFailure(value)

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
                waiting = self._waiting.get(number)
                if waiting is not None:
                    waiting.put((kind, message[2]))
            elif kind == DOCUMENT:
                self.documents[number] = message[2]
            elif kind == PATCH:
                document = self.documents[number]
                document.update(message[2])
                for key in message[3]:
                    document.pop(key, None)
            elif kind == DROP:
                self.documents.pop(number, None)
                self.dropped(number)
            elif kind == CANCEL:
                self._cancel(number)

    def _begin(self, message):
        with self._lock:
            fresh = self._idle_count == 0
            if not fresh:
                self._idle_count -= 1
        self._work.put(message)
        if fresh:
            threading.Thread(target=self._labour, name="call", daemon=True).start()

    def _labour(self):
        """Takes calls until there has been none for a while."""
        while True:
            try:
                message = self._work.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._idle_count == 0:
                        continue
                    self._idle_count -= 1
                return
            _, number, method, payload = message
            self._threads[number] = threading.get_ident()
            try:
                self._serve(number, method, payload)
            except Cancelled:
                pass
            finally:
                self._threads.pop(number, None)
            with self._lock:
                self._idle_count += 1

    def is_running(self, number):
        return number in self._threads

    def _cancel(self, number):
        ident = self._threads.get(number)
        if ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(Cancelled))


class HostFailure(Exception):
    """What the host says when a call from here failed; turned into the exception it stands for."""

    def __init__(self, details):
        super().__init__(details.get("message", ""))
        self.details = details
