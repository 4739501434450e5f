"""Mounted file systems, and what blkid prints about devices."""

import logging
import os
import shlex
import stat
import subprocess

from salt.exceptions import CommandExecutionError

log = logging.getLogger(__name__)


def _verify_run(out, cmd=None):
    """Raise if a command failed and said why; `out` is the return of cmd.run_all."""
    if not out.get("retcode") or not out["stderr"]:
        return
    log.debug("Command %r ended with %s: %s", cmd, out["retcode"], out["stderr"])
    raise CommandExecutionError(out["stderr"])


def _get_mounts(fs_type=None):
    """Return the mounts of each device, of one type of file system or of all."""
    mounts = {}
    with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as table:
        for line in table:
            device, mount_point, kind, options = line.split(" ")[:4]
            if fs_type and kind != fs_type:
                continue
            entry = {"mount_point": mount_point, "options": options.split(",")}
            if not fs_type:
                entry["type"] = kind
            mounts.setdefault(device, []).append(entry)
    return mounts


def _with_mounts(devices, fs_type):
    for device, mounts in (_get_mounts(fs_type) if fs_type else {}).items():
        if devices.get(device):
            devices[device]["mounts"] = mounts
    return devices


def _blkid_output(out, fs_type=None):
    """Return the devices in the output of `blkid -o export`."""
    devices = {}
    for block in out.split("\n\n"):
        facts = dict(line.split("=", 1) for line in block.strip().split("\n") if line.strip())
        device = {name.lower(): value for name, value in facts.items()}
        if not device or (fs_type and device.get("type") != fs_type):
            continue
        if fs_type:
            del device["type"]
        devices[device.pop("devname")] = device
    return _with_mounts(devices, fs_type)


def _blkid(fs_type=None):
    """Return the devices that blkid finds."""
    done = subprocess.run(["blkid", "-o", "full"], capture_output=True, text=True, check=False)
    devices = {}
    for line in done.stdout.splitlines():
        name, _, rest = line.partition(":")
        if rest:
            pairs = (word.split("=", 1) for word in shlex.split(rest) if "=" in word)
            devices[name] = {key.lower(): value for key, value in pairs}
    return _with_mounts(devices, fs_type)


def _is_device(path):
    """Return whether a path is a block device."""
    try:
        return stat.S_ISBLK(os.stat(path).st_mode)
    except FileNotFoundError:
        return False
