"""Keys of SSH."""

import re

from salt.exceptions import CommandExecutionError

from .files import fopen, process_read_exception


def key_is_encrypted(key):
    """Whether a private key in a file asks for a passphrase."""
    try:
        with fopen(key, "r", encoding="utf-8") as handle:
            text = handle.read()
    except OSError as exc:
        process_read_exception(exc, key)
    if not re.search(r"BEGIN (?:\w+\s)*PRIVATE KEY", text):
        raise CommandExecutionError("{} is not a private key".format(key))
    return "ENCRYPTED" in text
