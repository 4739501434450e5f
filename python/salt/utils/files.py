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


HASHES = {"sha512": 128, "sha384": 96, "sha256": 64, "sha224": 56, "sha1": 40, "md5": 32}
HASHES_REVMAP = {length: name for name, length in HASHES.items()}
LOCAL_PROTOS = ("", "file")
REMOTE_PROTOS = ("http", "https", "ftp", "swift", "s3")
VALID_PROTOS = ("salt", "file") + REMOTE_PROTOS
TEMPFILE_PREFIX = "__salt.tmp."
_TAR_ENDINGS = ("tar", "tar.gz", "tgz", "tar.bz2", "tbz2", "tbz", "tar.xz", "txz", "tar.lzma", "tlz")


def guess_archive_type(name):
    name = name.lower()
    if name.endswith(tuple("." + ending for ending in _TAR_ENDINGS)):
        return "tar"
    return next((ending for ending in ("zip", "rar") if name.endswith("." + ending)), None)


def safe_filename_leaf(file_basename):
    """A name without what some file systems do not take."""
    import urllib.parse

    return re.sub(r'[\\:/*?"<>|]', lambda found: urllib.parse.quote(found.group(), safe=""), file_basename)


def safe_filepath(file_path_name, dir_sep=None):
    mark = dir_sep or os.sep
    return mark.join(safe_filename_leaf(part) for part in file_path_name.split(mark))


def st_mode_to_octal(mode):
    return oct(mode)[-4:] if isinstance(mode, int) else ""


def backup_minion(path, bkroot):
    """A copy below the root, with the time in its name and the owner and mode of the file."""
    now = time.time()
    stamp = time.strftime("%a_%b_%d_%H:%M:%S_{}_%Y".format(str(int(now * 1000000))[-6:]), time.localtime(now))
    copy = os.path.join(bkroot, os.path.dirname(path)[1:], "{}_{}".format(os.path.basename(path), stamp))
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    shutil.copyfile(path, copy)
    facts = os.stat(path)
    os.chown(copy, facts.st_uid, facts.st_gid)
    os.chmod(copy, facts.st_mode)


def case_insensitive_filesystem(path=None):
    with tempfile.NamedTemporaryFile(prefix="TmP", dir=path) as handle:
        return os.path.exists(handle.name.lower())


def get_encoding(path):
    """By the mark at the beginning of a file, or by what its bytes can be."""
    with open(path, "rb") as handle:
        data = handle.read()
    marks = (("utf_32_le", codecs.BOM_UTF32_LE), ("utf_32_be", codecs.BOM_UTF32_BE), ("utf_8_sig", codecs.BOM_UTF8),
             ("utf_16_le", codecs.BOM_UTF16_LE), ("utf_16_be", codecs.BOM_UTF16_BE))  # fmt: skip
    for name, mark in marks:
        if data.startswith(mark):
            return name.replace("_", "-")
    for name in ("ascii", "utf-8"):
        try:
            data.decode(name)
            return name
        except UnicodeDecodeError:
            continue
    raise CommandExecutionError("Could not detect file encoding")
