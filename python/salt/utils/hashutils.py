"""Digests and encodings."""

import base64
import hashlib
import hmac
import random

from . import stringutils


def _bytes(value):
    return stringutils.to_bytes(value)


def base64_b64encode(instr):
    return base64.b64encode(_bytes(instr)).decode()


def base64_b64decode(instr):
    decoded = base64.b64decode(_bytes(instr))
    try:
        return decoded.decode()
    except UnicodeDecodeError:
        return decoded


def base64_encodestring(instr):
    return base64.encodebytes(_bytes(instr)).decode()


def base64_decodestring(instr):
    decoded = base64.decodebytes(_bytes(instr))
    try:
        return decoded.decode()
    except UnicodeDecodeError:
        return decoded


def md5_digest(instr):
    return hashlib.md5(_bytes(instr)).hexdigest()


def sha1_digest(instr):
    return hashlib.sha1(_bytes(instr)).hexdigest()


def sha256_digest(instr):
    return hashlib.sha256(_bytes(instr)).hexdigest()


def sha512_digest(instr):
    return hashlib.sha512(_bytes(instr)).hexdigest()


def hmac_signature(string, shared_secret, challenge_hmac):
    made = hmac.new(_bytes(shared_secret), _bytes(string), hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(made), _bytes(challenge_hmac))


def hmac_compute(string, shared_secret):
    return hmac.new(_bytes(shared_secret), _bytes(string), hashlib.sha256).hexdigest()


def random_hash(size=9999999999, hash_type="sha256"):
    return hashlib.new(hash_type, _bytes(str(random.SystemRandom().randint(0, size)))).hexdigest()


def get_hash(path, form="sha256", chunk_size=65536):
    digest = hashlib.new(form)
    with open(path, "rb") as handle:
        for chunk in iter(lambda: handle.read(chunk_size), b""):
            digest.update(chunk)
    return digest.hexdigest()


class DigestCollector:
    """Digest over several files and texts."""

    def __init__(self, form="sha256", buff=0x10000):
        self._digest = hashlib.new(form)
        self._size = buff

    def add(self, path):
        with open(path, "rb") as handle:
            for chunk in iter(lambda: handle.read(self._size), b""):
                self._digest.update(chunk)

    def digest(self):
        return self._digest.hexdigest()

    def add_data(self, data):
        self._digest.update(_bytes(data))


