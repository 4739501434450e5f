"""Compressed data and files."""

import gzip
import io

GzipFile = gzip.GzipFile


def open(filename, mode="rb", compresslevel=9):
    return gzip.GzipFile(filename, mode, compresslevel)


def open_fileobj(fileobj, mode="rb", compresslevel=9):
    return gzip.GzipFile(filename="", mode=mode, fileobj=fileobj, compresslevel=compresslevel)


def compress(data, compresslevel=9):
    buffer = io.BytesIO()
    with open_fileobj(buffer, "wb", compresslevel) as handle:
        handle.write(data)
    return buffer.getvalue()


def uncompress(data):
    return gzip.decompress(data)


def compress_file(fh_, compresslevel=9, chunk_size=1048576):
    """Compressed pieces of a file; they are gzip streams one behind the other."""
    for piece in iter(lambda: fh_.read(chunk_size), b""):
        yield compress(piece, compresslevel)
