"""Signatures with the keys of minions and masters: RSA with PKCS #1 v1.5."""

import os
import subprocess

# the variable that hands a passphrase to openssl, where no other user sees it
_PASSPHRASE = "BRINE_KEY_PASSPHRASE"

PKCS1v15_SHA1, PKCS1v15_SHA224 = "PKCS1v15-SHA1", "PKCS1v15-SHA224"


def _digest(algorithm):
    kind, _, digest = algorithm.rpartition("-")
    if kind != "PKCS1v15":
        raise ValueError("Unknown signature algorithm: {}".format(algorithm))
    return digest.lower()


def _bytes(text):
    return text.encode() if isinstance(text, str) else bytes(text)


def _openssl(*words, message, hand=None, passphrase=None):
    """Runs openssl; `hand` is given by a descriptor, whose path is the last word."""
    reading, writing = os.pipe()
    try:
        os.write(writing, hand or b"")
        os.close(writing)
        more = ["/dev/fd/{}".format(reading)] if hand is not None else []
        command = ["openssl", "dgst", *words, *more]
        env = {**os.environ, _PASSPHRASE: passphrase or ""}
        return subprocess.run(command, input=message, capture_output=True, pass_fds=[reading], env=env, check=False)
    finally:
        os.close(reading)


def sign_message(privkey_path, message, passphrase=None, algorithm=PKCS1v15_SHA1):
    """The signature of a text by the private key of a file."""
    words = ["-" + _digest(algorithm), "-sign", str(privkey_path), "-passin", "env:" + _PASSPHRASE]
    answer = _openssl(*words, message=_bytes(message), passphrase=passphrase)
    if answer.returncode != 0:
        raise ValueError("Signing with {} failed: {}".format(privkey_path, answer.stderr.decode(errors="replace").strip()))
    return answer.stdout


def verify_signature(pubkey_path, message, signature, algorithm=PKCS1v15_SHA1):
    """Whether the key of a file made a signature."""
    words = ["-" + _digest(algorithm), "-verify", str(pubkey_path), "-signature"]
    return _openssl(*words, message=_bytes(message), hand=_bytes(signature)).returncode == 0
