"""A file read in pieces that overlap nowhere, the last ones kept."""

from salt.exceptions import SaltException


class InvalidFileMode(SaltException):
    """The file was to be opened for something else than reading."""


class BufferedReader:
    def __init__(self, path, max_in_mem=256 * 1024, chunk_size=32 * 1024, mode="r"):
        if "a" in mode or "w" in mode:
            raise InvalidFileMode("Cannot open file in write or append mode")
        self._file = open(path, mode, encoding=None if "b" in mode else "utf-8")
        self._most, self._piece = max_in_mem, chunk_size
        self._buffered = "" if "b" not in mode else b""

    @property
    def buffered(self):
        return self._buffered

    def __iter__(self):
        return self

    def __next__(self):
        piece = self._file.read(self._piece)
        if not piece:
            raise StopIteration
        kept = self._buffered[-(self._most - self._piece) :] if self._most > self._piece else self._buffered[:0]
        self._buffered = kept + piece
        return self._buffered

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def close(self):
        self._file.close()
