"""
`salt.modules.cmdmod` and the like as modules: their functions are the host's. Modules import them to call a function
before `__salt__` is there.
"""

import importlib.abc
import importlib.util
import sys
import types

from salt import _host

# modules whose file is not called like their functions
_NAMES = {"cmdmod": "cmd", "sysmod": "sys", "aptpkg": "pkg", "yumpkg": "pkg", "systemd_service": "service",
          "useradd": "user", "groupadd": "group", "dpkg_lowpkg": "lowpkg", "rpm_lowpkg": "lowpkg", "linux_shadow": "shadow",
          "linux_sysctl": "sysctl", "mdadm_raid": "raid", "virtualenv_mod": "virtualenv"}  # fmt: skip
_FAMILIES = {"modules": "function", "states": "state", "runners": "runner", "returners": "returner", "wheel": "wheel"}
# functions of which Salt has a quiet or raw form beside the public one
_PRIVATE = {"_run_quiet": "run", "_run_all_quiet": "run_all", "_run": "run_all"}


class _Family(types.ModuleType):
    def __init__(self, name, family, module):
        super().__init__(name)
        self.__family__, self.__module_name__ = family, module

    def __getattr__(self, name):
        fun = _PRIVATE.get(name, name)
        if fun.startswith("_"):
            raise AttributeError(name)
        full = "{}.{}".format(self.__module_name__, fun.rstrip("_"))
        family = self.__family__

        def call(*args, **kwargs):
            return _host.ask("call", family, full, list(args), kwargs)

        call.__name__ = name
        return call


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path=None, target=None):
        words = fullname.split(".")
        if len(words) not in (2, 3) or words[0] != "salt" or words[1] not in _FAMILIES:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=len(words) == 2)

    def create_module(self, spec):
        words = spec.name.split(".")
        if len(words) == 2:
            return types.ModuleType(spec.name)
        return _Family(spec.name, _FAMILIES[words[1]], _NAMES.get(words[2], words[2].rstrip("_")))

    def exec_module(self, module):
        pass


sys.meta_path.append(_Finder())
