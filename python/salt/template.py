"""Files and texts rendered as SLS files are."""

from salt import _host


class Renderers(dict):
    """Renderers by name; each takes a text and gives what it means."""

    def __missing__(self, name):
        def render(data, saltenv="base", sls="", **kwargs):
            text = data.read() if hasattr(data, "read") else data
            return _host.ask("render", name, text, dict(kwargs.get("context") or {}), None)

        return render

    def __contains__(self, name):
        return isinstance(name, str)


def compile_template(template, renderers=None, default="yaml", blacklist=None, whitelist=None, saltenv="base", sls="",
                     input_data="", context=None, **kwargs):  # fmt: skip
    if template == ":string:":
        text = input_data
    else:
        with open(template, encoding="utf-8") as handle:
            text = handle.read()
    return _host.ask("render", default, text, dict(context or {}), None if template == ":string:" else template)


