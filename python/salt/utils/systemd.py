"""systemd."""

import os


def booted(context=None):
    return os.path.isdir("/run/systemd/system")


def offline(context=None):
    return not booted(context)


def has_scope(context=None):
    return booted(context)


def version(context=None):
    import re
    import subprocess

    try:
        text = subprocess.check_output(["systemctl", "--version"], stderr=subprocess.DEVNULL, universal_newlines=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r"systemd (\d+)", text)
    return int(found.group(1)) if found else None
