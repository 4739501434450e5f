"""The file server, as modules ask it."""

from salt import _host


def get_file_client(opts, pillar=False):
    return Client(opts)


class Client:
    def __init__(self, opts):
        self.opts = opts

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def _cp(self, name, *args, **kwargs):
        return _host.ask("call", "function", "cp." + name, list(args), kwargs)

    def cache_file(self, path, saltenv="base", cachedir=None, source_hash=None, verify_ssl=True, use_etag=False):
        return self._cp("cache_file", path, saltenv)

    def cache_files(self, paths, saltenv="base", cachedir=None):
        return self._cp("cache_files", paths, saltenv)

    def cache_dir(self, path, saltenv="base", include_empty=False, include_pat=None, exclude_pat=None, cachedir=None):
        return self._cp("cache_dir", path, saltenv, include_empty, include_pat, exclude_pat)

    def get_file(self, path, dest="", makedirs=False, saltenv="base", gzip=None, cachedir=None):
        return self._cp("get_file", path, dest, saltenv=saltenv, makedirs=makedirs)

    def get_url(self, url, dest, makedirs=False, saltenv="base", no_cache=False, cachedir=None, **_):
        return self._cp("get_url", url, dest, saltenv=saltenv, makedirs=makedirs)

    def file_list(self, saltenv="base", prefix=""):
        return self._cp("list_master", saltenv, prefix)

    def is_cached(self, path, saltenv="base", cachedir=None):
        return self._cp("is_cached", path, saltenv)

    def hash_file(self, path, saltenv="base"):
        return self._cp("hash_file", path, saltenv)

    def envs(self):
        return self._cp("envs")

    def destroy(self):
        pass
