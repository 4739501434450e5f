"""
Python files that are in memory only, for a worker on another machine: the code of the worker and users' modules. Folders of these
files can be on the search path like folders of the disk.
"""

import os
import sys

# absolute: `site` makes other entries of the search path so
ROOT = "/<brine>"


class Files:
    """The files by path, with the questions that `sources` answers."""

    def __init__(self):
        self._texts = {}
        self._stamps = {}
        self._folders = {}
        self._changes = 0

    def change(self, changed, gone):
        """Takes new contents, and forgets files."""
        self._changes += 1
        for path, text in changed.items():
            self._texts[path], self._stamps[path] = text, self._changes
        for path in gone:
            self._texts.pop(path, None)
        self._folders = {}
        for path in self._texts:
            while "/" in path:
                path, _, name = path.rpartition("/")
                self._folders.setdefault(path, set()).add(name)
        sys.path_importer_cache.clear()

    def is_file(self, path):
        return path in self._texts

    def is_folder(self, path):
        return path in self._folders

    def names(self, path):
        return sorted(self._folders.get(path, ()))

    def read(self, path):
        text = self._texts[path]
        return text if isinstance(text, bytes) else text.encode("utf-8")

    def stamp(self, path):
        return self._stamps[path]

    def loader(self, name, path):
        return _Loader(self, path)


class _Loader:
    def __init__(self, files, path):
        self._files, self.path = files, path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(self._files.read(self.path), self.path, "exec", dont_inherit=True), module.__dict__)

    def get_source(self, _name):
        """For the lines that a traceback shows."""
        return self._files.read(self.path).decode("utf-8", "replace")

    def get_filename(self, _name):
        return self.path


class _Finder:
    """Finds the modules of one folder."""

    def __init__(self, files, folder):
        self._files, self._folder = files, folder

    def find_spec(self, name, target=None):
        stem = "{}/{}".format(self._folder, name.rpartition(".")[2])
        for path, is_package in ((stem + "/__init__.py", True), (stem + ".py", False)):
            if self._files.is_file(path):
                return self._spec(name, path, is_package)
        return None

    def _spec(self, name, path, is_package):
        spec = type(sys.__spec__)(name, self._files.loader(name, path), origin=path, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations[:] = [path.rpartition("/")[0]]
        return spec

    def invalidate_caches(self):
        pass


def install(own):
    """Makes the worker's own code importable; its paths are below `ROOT`."""
    files = Files()
    files.change({"{}/{}".format(ROOT, path): text for path, text in own.items()}, ())

    def hook(folder):
        if not files.is_folder(folder):
            raise ImportError("not in memory", path=folder)
        return _Finder(files, folder)

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()
    sys.path.insert(0, ROOT)
    return files


def start(own):
    """Serves over standard input and output; what modules print goes to standard error."""
    files = install(own)
    to_read, to_write = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)

    from brine_worker import search_path, sources

    sources.use(files)
    search_path.install()

    from brine_worker.main import main

    main(to_read, to_write)
