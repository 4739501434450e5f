"""Templates, rendered by the host."""

from salt import _host


def _rendered(renderer, text, context, path):
    return _host.ask("render", renderer, text, dict(context or {}), path)


def render_jinja_tmpl(tmplstr, context, tmplpath=None):
    plain = {key: value for key, value in context.items() if key not in ("salt", "opts", "grains", "pillar", "proxy")}
    return _rendered("jinja", tmplstr, plain, tmplpath)


def JINJA(sfn, string=False, from_str=False, to_str=False, context=None, **kwargs):  # noqa: N802, the name is Salt's
    if from_str:
        text = sfn
    else:
        with open(sfn, encoding="utf-8") as handle:
            text = handle.read()
    data = _rendered("jinja", text, {**kwargs, **(context or {})}, None if from_str else sfn)
    return {"result": True, "data": data}


TEMPLATE_REGISTRY = {"jinja": JINJA}
SLS_ENCODING = "utf-8"
TEMPLATE_DIRNAME = __file__.rpartition("/")[0]
