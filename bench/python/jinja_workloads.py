"""Jinja2's side of the jinja bench.

The environment is what Salt gives its templates: strict undefined, `do`, loop controls. Salt's own tags come from
Salt when SALT_TREE names a checkout; otherwise from the small extension below, which loads YAML with PyYAML's C
loader and so is, if anything, quicker than Salt's.
"""

import fnmatch
import os
import sys

import jinja2
import jinja2.ext
import jinja2.nodes
import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlTags(jinja2.ext.Extension):
    tags = {"import_yaml", "load_yaml"}

    def parse(self, parser):
        token = next(parser.stream)
        if token.value == "import_yaml":
            path = parser.parse_expression()
            parser.stream.expect("name:as")
            target = parser.parse_assign_target(name_only=True)
            value = self.call_method("load_file", [path], lineno=token.lineno)
            return jinja2.nodes.Assign(target, value, lineno=token.lineno)
        parser.stream.expect("name:as")
        target = parser.parse_assign_target(name_only=True)
        body = parser.parse_statements(("name:endload",), drop_needle=True)
        text = jinja2.nodes.Name(target.name, "load", lineno=token.lineno)
        return [
            jinja2.nodes.AssignBlock(target, None, body, lineno=token.lineno),
            jinja2.nodes.Assign(target, self.call_method("load_text", [text]), lineno=token.lineno),
        ]

    def load_file(self, path):
        return self.load_text(self.environment.loader.get_source(self.environment, path)[0])

    def load_text(self, text):
        return yaml.load(str(text), Loader=LOADER)


def merged(base, other):
    out = dict(base)
    for key, value in other.items():
        both = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = merged(out[key], value) if both else value
    return out


def functions(grains, pillar):
    def filter_by(lookup, grain="os_family", merge=None, default="default"):
        found = next((lookup[key] for key in lookup if fnmatch.fnmatchcase(str(grains.get(grain)), key)), None)
        if found is None:
            found = lookup.get(default)
        return merged(found or {}, merge or {})

    def config_get(key, default=""):
        return pillar.get(key, grains.get(key, default))

    return {"grains.filter_by": filter_by, "config.get": config_get}


def salts_extension():
    tree = os.environ.get("SALT_TREE")
    if not tree:
        return YamlTags
    sys.path.insert(0, tree)
    from salt.utils.jinja import SerializerExtension

    return SerializerExtension


def environment(files):
    extensions = ["jinja2.ext.do", "jinja2.ext.loopcontrols", salts_extension()]
    loader = jinja2.DictLoader(files)
    env = jinja2.Environment(undefined=jinja2.StrictUndefined, extensions=extensions, loader=loader)
    env.policies["json.dumps_kwargs"] = {"sort_keys": False}  # Salt's tojson keeps the order of keys
    return env


def prepare(name, payload):
    env = environment(payload.get("files", {}))
    source = payload["template"]
    if name == "compile":
        return lambda: env.compile(source, "bench", "bench") and None
    context = dict(payload["context"])
    if name == "compile-and-render":
        return lambda: env.from_string(source).render(context)
    if "pillar" in payload:
        context["salt"] = functions(payload["grains"], payload["pillar"])
    template = env.from_string(source)
    return lambda: template.render(context)
