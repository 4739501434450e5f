"""Fingerprints of keys."""

import hashlib
import os

from .files import fopen


def pem_finger(path=None, key=None, sum_type="sha256"):
    """Pairs of digits of the hash over a key; of a file without its first and last line."""
    if not key:
        if not os.path.isfile(path):
            return ""
        with fopen(path, "rb") as handle:
            lines = [line for line in handle.readlines() if line.strip()]
        key = b"".join(lines[1:-1]).replace(b"\r\n", b"\n")
    digits = getattr(hashlib, sum_type)(key if isinstance(key, bytes) else key.encode()).hexdigest()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))
