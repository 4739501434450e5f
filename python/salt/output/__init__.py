"""Showing data as the programs do."""

from salt import _host


def out_format(data, out="nested", opts=None, **kwargs):
    return _host.ask("output", data, out or "nested")


string_format = html_format = out_format


def display_output(data, out=None, opts=None, **kwargs):
    print(out_format(data, out))


def get_printout(out, opts=None, **kwargs):
    return lambda data: out_format(data, out)
