"""Files and texts rendered as SLS files are."""

from salt import _host


def compile_template(template, renderers=None, default="yaml", blacklist=None, whitelist=None, saltenv="base", sls="",
                     input_data="", context=None, **kwargs):  # fmt: skip
    if template == ":string:":
        text = input_data
    else:
        with open(template, encoding="utf-8") as handle:
            text = handle.read()
    return _host.ask("render", default, text, dict(context or {}), None if template == ":string:" else template)


