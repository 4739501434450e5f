"""Passwords."""

import secrets
import string

from salt import _host


def secure_password(length=20, use_random=True, chars=None, lowercase=True, uppercase=True, digits=True,
                    punctuation=True, whitespace=False, printable=False):  # fmt: skip
    if chars is None:
        wanted = ((lowercase, string.ascii_lowercase), (uppercase, string.ascii_uppercase), (digits, string.digits),
                  (punctuation, string.punctuation), (whitespace, " "))  # fmt: skip
        chars = string.printable if printable else "".join(text for use, text in wanted if use)
    return "".join(secrets.choice(chars) for _ in range(length))


def gen_hash(crypt_salt=None, password=None, algorithm=None):
    return _host.ask("call", "function", "shadow.gen_password", [password], {"crypt_salt": crypt_salt, "algorithm": algorithm or "sha512"})
