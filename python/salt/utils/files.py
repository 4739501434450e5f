"""Files."""

import codecs
import contextlib
import errno
import os
import re
import shutil
import stat
import tempfile
import time

from salt.exceptions import CommandExecutionError, FileLockError

from . import stringutils

REMOTE_PROTOS = ("http", "https", "ftp", "swift", "s3")
VALID_PROTOS = ("salt", "file", *REMOTE_PROTOS)
TEMPFILE_PREFIX = "__salt.tmp."
HASHES = {"sha512": 128, "sha384": 96, "sha256": 64, "sha224": 56, "sha1": 40, "md5": 32}
HASHES_REVMAP = {size: name for name, size in HASHES.items()}


def fopen(*args, **kwargs):
    mode = kwargs.get("mode", args[1] if len(args) > 1 else "r")
    if "b" not in mode:
        kwargs.setdefault("encoding", "utf-8")
        kwargs.setdefault("newline", "")
    return open(*args, **kwargs)


@contextlib.contextmanager
def flopen(*args, **kwargs):
    import fcntl

    with fopen(*args, **kwargs) as handle:
        fcntl.flock(handle.fileno(), fcntl.LOCK_SH)
        yield handle


@contextlib.contextmanager
def fpopen(*args, **kwargs):
    uid, gid, mode = kwargs.pop("uid", -1), kwargs.pop("gid", -1), kwargs.pop("mode", None)
    with fopen(*args, **kwargs) as handle:
        os.chown(args[0], -1 if uid is None else uid, -1 if gid is None else gid)
        if mode is not None:
            os.chmod(args[0], mode)
        yield handle


@contextlib.contextmanager
def set_umask(mask):
    if mask is None:
        yield
        return
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextlib.contextmanager
def wait_lock(path, lock_fn=None, timeout=5, sleep=0.1, time_start=None):
    lock = lock_fn or path + ".w"
    begun = time_start or time.time()
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if time.time() - begun > timeout:
                raise FileLockError("Timed out waiting for " + lock, time_start=begun) from None
            time.sleep(sleep)
    try:
        yield
    finally:
        remove(lock)


def mkstemp(*args, **kwargs):
    close = kwargs.pop("close_fd", True)
    kwargs.setdefault("prefix", TEMPFILE_PREFIX)
    handle, path = tempfile.mkstemp(*args, **kwargs)
    if not close:
        return handle, path
    os.close(handle)
    return path


def rename(src, dst):
    os.replace(src, dst)


def copyfile(source, dest, backup_mode="", cachedir=""):
    if not os.path.isfile(source):
        raise OSError("[Errno 2] No such file or directory: {}".format(source))
    temporary = mkstemp(dir=os.path.dirname(dest))
    shutil.copyfile(source, temporary)
    if os.path.exists(dest):
        shutil.copystat(dest, temporary)
    os.replace(temporary, dest)


def recursive_copy(source, dest):
    shutil.copytree(source, dest, dirs_exist_ok=True)


def remove(path):
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)


def rm_rf(path):
    if os.path.islink(path) or not os.path.isdir(path):
        os.remove(path)
    else:
        shutil.rmtree(path)


def safe_walk(top, topdown=True, onerror=None, followlinks=True, _seen=None):
    seen = set()
    for root, dirs, files in os.walk(top, topdown, onerror, followlinks):
        facts = os.stat(root)
        if (facts.st_dev, facts.st_ino) in seen:
            dirs[:] = []
            continue
        seen.add((facts.st_dev, facts.st_ino))
        yield root, dirs, files


def list_files(directory):
    found = {directory}
    for root, dirs, files in safe_walk(directory):
        found.update(os.path.join(root, name) for name in (*dirs, *files))
    return list(found)


def is_binary(path):
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as handle:
        return stringutils.is_binary(handle.read(2048))


def is_text(path, blocksize=512):
    with open(path, "rb") as handle:
        block = handle.read(blocksize)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(block)
    except UnicodeDecodeError:
        return False
    return b"\0" not in block


is_bin_file = is_binary
istextfile = is_text


def is_empty(filename):
    try:
        return os.stat(filename).st_size == 0
    except OSError:
        return False


def is_fifo(path):
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def is_fcntl_available(check_sunos=False):
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return False
    return True


def normalize_mode(mode):
    if mode is None:
        return None
    text = str(mode).replace("0o", "0").strip("\"'")
    return "0" + text.lstrip("0") if text.strip("0") else "0"


def human_size_to_bytes(human_size):
    match = re.match(r"(?i)^(\d+)\s*([kmgtpe]?)", str(human_size))
    if not match:
        raise ValueError("Size must be all digits, with an optional unit type (K, M, G, T, P, E, Z, Y)")
    return int(match.group(1)) * 1024 ** " kmgtpe".index(match.group(2).lower() or " ")


def process_read_exception(exc, path, ignore=None):
    ignored = [ignore] if isinstance(ignore, int) else ignore or []
    if exc.errno in ignored:
        return
    if exc.errno == errno.ENOENT:
        raise CommandExecutionError("{} does not exist".format(path))
    if exc.errno == errno.EACCES:
        raise CommandExecutionError("Permission denied reading from {}".format(path))
    raise CommandExecutionError("Error {} encountered reading from {}: {}".format(exc.errno, path, exc.strerror))


safe_rm = remove


def get_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
