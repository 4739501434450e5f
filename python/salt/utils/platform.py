"""What kind of system this is."""

import platform as _platform
import sys

_SYSTEMS = {
    "is_linux": lambda: sys.platform.startswith("linux"),
    "is_windows": lambda: sys.platform.startswith("win"),
    "is_darwin": lambda: sys.platform.startswith("darwin"),
    "is_sunos": lambda: sys.platform.startswith("sunos"),
    "is_freebsd": lambda: sys.platform.startswith("freebsd"),
    "is_netbsd": lambda: sys.platform.startswith("netbsd"),
    "is_openbsd": lambda: sys.platform.startswith("openbsd"),
    "is_aix": lambda: sys.platform.startswith("aix"),
}

globals().update(_SYSTEMS)


def is_proxy():
    """Whether the call that runs is one of a proxy minion."""
    from brine_worker import calls

    try:
        return "proxyid" in calls.Dunder("__opts__").value()
    except calls.NoCall:
        return False


def is_smartos():
    return False


is_smartos_globalzone = is_smartos_zone = is_junos = is_smartos


def _release_has(word):
    try:
        with open("/etc/os-release", encoding="utf-8") as handle:
            return any(line.strip().lower() in ("id=" + word, 'id="{}"'.format(word)) for line in handle)
    except OSError:
        return False


def is_fedora():
    return _release_has("fedora")


def is_photonos():
    return _release_has("photon")


def is_aarch64():
    return _platform.machine().startswith("aarch64")


def get_machine_identifier():
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        try:
            with open(path, encoding="utf-8") as handle:
                return handle.read().strip()
        except OSError:
            continue
    return ""
