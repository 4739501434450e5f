"""The event bus of a master or minion on this machine: its sockets, the tags, and who listens."""

import collections
import datetime
import fnmatch
import hashlib
import os
import re
import socket
import struct
import time

from salt import payload

# parts that scripts use after importing this one alone
from . import jid, stringutils  # noqa: F401

TAGEND = "\n\n"
TAGPARTER = "/"
SALT = "salt"
# words for prefixes
TAGS = {
    "auth": "auth", "job": "job", "key": "key", "minion": "minion", "syndic": "syndic", "run": "run",
    "wheel": "wheel", "cloud": "cloud", "fileserver": "fileserver", "queue": "queue",
}  # fmt: skip


def tagify(suffix="", prefix="", base=SALT):
    """Words joined to a tag: `tagify('new', 'job')` is `salt/job/new`."""
    words = [base, TAGS.get(prefix, prefix)]
    words += list(suffix) if isinstance(suffix, (list, tuple)) else [suffix]
    return TAGPARTER.join(str(word) for word in words if word)


class SaltEvent:
    """Reads events as they come, and fires others."""

    def __init__(self, node, sock_dir=None, opts=None, listen=True, io_loop=None, keep_loop=False, raise_errors=False,
                 **_):  # fmt: skip
        self.node = node
        self.opts = opts or {}
        self.sock_dir = sock_dir or self.opts.get("sock_dir")
        self.raise_errors = raise_errors
        self.pending_tags = []
        self._waiting = collections.deque()
        self._socket = None
        self._data = b""
        if listen:
            self.connect_pub()

    def _paths(self):
        if self.node == "master":
            return "master_event_pub.ipc", "master_event_pull.ipc"
        form = self.opts.get("hash_type", "sha256")
        digest = hashlib.new(form, self.opts.get("id", "").encode()).hexdigest()[:10]
        return "minion_event_{}_pub.ipc".format(digest), "minion_event_{}_pull.ipc".format(digest)

    def _connect(self, name):
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.connect(os.path.join(self.sock_dir, name))
        return made

    def connect_pub(self, timeout=None):
        if self._socket is None:
            try:
                self._socket = self._connect(self._paths()[0])
            except OSError:
                if self.raise_errors:
                    raise
                return False
        return True

    @property
    def cpub(self):
        return self._socket is not None

    def connect_pull(self, timeout=1):
        return True

    def close_pub(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def close_pull(self):
        pass

    def destroy(self):
        self.close_pub()

    close = destroy

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.destroy()

    @staticmethod
    def unpack(raw):
        tag, _, data = raw.partition(TAGEND.encode())
        return tag.decode(), payload.loads(data)

    @staticmethod
    def pack(tag, data, max_size=None):
        return tag.encode() + TAGEND.encode() + payload.dumps(data, use_bin_type=True)

    def _bodies(self):
        """Takes whole frames off what has been read: a stream of maps, or lengths and maps."""
        while self._data:
            if self._data[0] == 0x82:
                reader = payload.unpacker(self._data)
                try:
                    frame = reader.value()
                except (IndexError, struct.error):
                    return
                self._data = self._data[reader.at :]
            else:
                if len(self._data) < 4 or len(self._data) < 4 + struct.unpack(">I", self._data[:4])[0]:
                    return
                size = struct.unpack(">I", self._data[:4])[0]
                frame = payload.loads(self._data[4 : 4 + size])
                self._data = self._data[4 + size :]
            body = frame["body"]
            yield body if isinstance(body, bytes) else body.encode("utf-8", "surrogateescape")

    def _read(self, until):
        """Waits for more; false when nothing came in time."""
        if self._socket is None and not self.connect_pub():
            return False
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            left = 0.0
        self._socket.settimeout(left if left is None or left > 0 else 1e-6)
        try:
            chunk = self._socket.recv(1 << 16)
        except (socket.timeout, BlockingIOError):
            return False
        if not chunk:
            self.close_pub()
            if self.raise_errors:
                raise RuntimeError("The event bus was closed")
            return False
        self._data += chunk
        for body in self._bodies():
            tag, data = self.unpack(body)
            self._waiting.append({"data": data, "tag": tag})
        return True

    @staticmethod
    def _matcher(kind):
        return {
            None: lambda tag, want: tag.startswith(want),
            "startswith": lambda tag, want: tag.startswith(want),
            "endswith": lambda tag, want: tag.endswith(want),
            "find": lambda tag, want: want in tag,
            "regex": lambda tag, want: re.search(want, tag) is not None,
            "fnmatch": fnmatch.fnmatchcase,
        }[kind]

    def _taken(self, tag, matches):
        for index, event in enumerate(self._waiting):
            if not tag or matches(event["tag"], tag):
                del self._waiting[index]
                return event
        self._waiting.clear()
        return None

    def get_event(self, wait=5, tag="", full=False, match_type=None, no_block=False, auto_reconnect=False):
        matches = self._matcher(match_type)
        seconds = 0 if no_block else wait
        until = None if not no_block and seconds == 0 else time.monotonic() + seconds
        while True:
            event = self._taken(tag, matches)
            if event is not None:
                return event if full else event["data"]
            gone = self._socket is None
            if not self._read(until):
                if gone and (until is None or time.monotonic() < until):
                    time.sleep(0.1)
                    continue
                return None

    def get_event_noblock(self):
        return self.get_event(full=True, no_block=True)

    def get_event_block(self):
        return self.get_event(wait=0, full=True)

    def iter_events(self, tag="", full=False, match_type=None, auto_reconnect=False):
        while True:
            event = self.get_event(tag=tag, full=full, match_type=match_type, auto_reconnect=auto_reconnect)
            if event is not None:
                yield event

    def subscribe(self, tag=None, match_type=None):
        self.pending_tags.append([tag, match_type])

    def unsubscribe(self, tag, match_type=None):
        if [tag, match_type] in self.pending_tags:
            self.pending_tags.remove([tag, match_type])

    def fire_event(self, data, tag, timeout=1000):
        if not str(tag):
            raise ValueError("Empty tag.")
        if not isinstance(data, dict):
            raise ValueError("Dict object expected, not '{}'.".format(data))
        data["_stamp"] = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None).isoformat()
        frame = payload.dumps({"head": {}, "body": self.pack(tag, data)}, use_bin_type=True)
        with self._connect(self._paths()[1]) as made:
            made.sendall(struct.pack(">I", len(frame)) + frame)
        return True

    def fire_master(self, data, tag, timeout=1000):
        return self.fire_event({"tag": tag, "data": data, "events": None, "pretag": None}, "fire_master", timeout)


class MasterEvent(SaltEvent):
    def __init__(self, sock_dir, opts=None, listen=True, **kwargs):
        super().__init__("master", sock_dir, opts, listen=listen, **kwargs)


class LocalClientEvent(MasterEvent):
    pass


class MinionEvent(SaltEvent):
    def __init__(self, opts, listen=True, **kwargs):
        super().__init__("minion", opts.get("sock_dir"), opts, listen=listen, **kwargs)


class NamespacedEvent:
    """Fires below one tag."""

    def __init__(self, event, base, print_func=None):
        self.event, self.base, self.print_func = event, base, print_func

    def fire_event(self, data, tag):
        self.event.fire_event(data, tagify(tag, base=self.base))
        if self.print_func is not None:
            self.print_func(tag, data)

    def destroy(self):
        self.event.destroy()


def get_event(node, sock_dir=None, transport="zeromq", opts=None, listen=True, io_loop=None, keep_loop=False,
              raise_errors=False, **_):  # fmt: skip
    directory = sock_dir or (opts or {}).get("sock_dir")
    if node == "master":
        return MasterEvent(directory, opts, listen=listen, raise_errors=raise_errors)
    return SaltEvent(node, directory, opts, listen=listen, raise_errors=raise_errors)


def get_master_event(opts, sock_dir, listen=True, io_loop=None, raise_errors=False, keep_loop=False):
    return MasterEvent(sock_dir, opts, listen=listen, raise_errors=raise_errors)


def fire_args(opts, jid, tag_data, prefix=""):
    with get_event("master", opts=opts, listen=False) as bus:
        bus.fire_event(tag_data, tagify([prefix, jid, "args"], "job"))

