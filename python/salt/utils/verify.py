"""Names and paths that may be trusted."""

import os

from . import files as _files


def clean_path(root, path, subdir=False, realpath=True):
    """The path when it lies below the root, or an empty text."""
    straight = os.path.realpath if realpath else os.path.normpath
    if not os.path.isabs(root):
        return ""
    root = straight(root)
    path = straight(path if os.path.isabs(path) else os.path.join(root, path))
    if subdir:
        return path if os.path.commonpath((path, root)) == root else ""
    return path if os.path.dirname(path) == root else ""


def clean_join(root, *paths, subdir=False, realpath=True):
    from salt.exceptions import SaltValidationError

    path = os.path.join(root, *paths)
    if not clean_path(root, path, subdir, realpath):
        raise SaltValidationError("Invalid path: {!r}".format(path))
    return path


def valid_id(opts, id_):
    try:
        return not any(mark in id_ for mark in ("/", "\\", "\0")) and bool(clean_path(opts["pki_dir"], id_))
    except (AttributeError, KeyError, TypeError, UnicodeDecodeError):
        return False


def safe_py_code(code):
    """Whether a text has none of the words by which Python reaches further."""
    words = ("import", ";", "subprocess", "eval", "open", "file", "exec", "input")
    return not any(code.count(word) for word in words)


def verify_env(dirs, user, permissive=False, pki_dir="", skip_extra=False, root_dir="", sensitive_dirs=None):
    for folder in dirs:
        if folder:
            os.makedirs(folder, exist_ok=True)


def verify_files(files, user):
    for path in files:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with _files.fopen(path, "a"):
            pass
    return True
