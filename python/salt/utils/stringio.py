"""Text in place of a file."""

import io

StringIO = readable_types = writable_types = io.StringIO


def is_stringio(obj):
    return isinstance(obj, io.StringIO)


def is_readable(obj):
    return is_stringio(obj) and obj.readable()


def is_writable(obj):
    return is_stringio(obj) and obj.writable()
