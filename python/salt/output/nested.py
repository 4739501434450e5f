"""Data shown in indented lines."""

from . import out_format


class NestDisplay:
    def __init__(self, retcode=0):
        self.retcode = retcode

    def display(self, ret, indent=0, prefix="", out=()):
        lines = out_format(ret, "nested").splitlines()
        return [*out, *(" " * indent + prefix + line for line in lines)]


def output(ret, **kwargs):
    return out_format(ret, "nested")
