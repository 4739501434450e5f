"""Helpers of file servers."""

import fnmatch
import os
import re


def is_file_ignored(opts, fname):
    """Whether the options leave a file out."""
    patterns = opts.get("file_ignore_regex") or ()
    if any(re.search(pattern, fname) for pattern in patterns):
        return True
    return any(fnmatch.fnmatch(fname, glob) for glob in opts.get("file_ignore_glob") or ())


def generate_mtime_map(opts, path_map):
    """The times of all files below folders, which are given by environment."""
    times = {}
    for roots in path_map.values():
        for root in roots:
            for folder, _, names in os.walk(root):
                for path in (os.path.join(folder, name) for name in names):
                    if os.path.isfile(path) and not is_file_ignored(opts, path):
                        times[path] = os.path.getmtime(path)
    return times


def diff_mtime_map(map1, map2):
    return map1 != map2
