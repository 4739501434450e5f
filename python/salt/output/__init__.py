"""Showing data as the programs do."""

from salt import _host

# what of the options outputters look at
_OPTIONS = ("color", "color_theme", "output", "output_indent", "state_output", "state_verbose", "state_tabular")


def out_format(data, out="nested", opts=None, **kwargs):
    shown = {key: opts[key] for key in _OPTIONS if key in opts} if opts else None
    return _host.ask("output", data, out or "nested", shown)


string_format = html_format = out_format


def display_output(data, out=None, opts=None, **kwargs):
    print(out_format(data, out))


def get_printout(out, opts=None, **kwargs):
    return lambda data: out_format(data, out)
