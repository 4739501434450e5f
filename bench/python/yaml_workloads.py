"""PyYAML's side of the yaml bench: its pure Python loader and dumper, and those on libyaml."""

import yaml

WORKLOADS = {
    "load pure": lambda text: lambda: yaml.load(text, Loader=yaml.SafeLoader),
    "load C": lambda text: lambda: yaml.load(text, Loader=yaml.CSafeLoader),
    "dump pure": lambda text: dumping(text, yaml.SafeDumper),
    "dump C": lambda text: dumping(text, yaml.CSafeDumper),
}


def dumping(text, dumper):
    data = yaml.load(text, Loader=yaml.CSafeLoader)
    return lambda: yaml.dump(data, Dumper=dumper, default_flow_style=False, allow_unicode=True)


def prepare(name, payload):
    work = WORKLOADS[name](payload)

    def run():
        work()

    return run
