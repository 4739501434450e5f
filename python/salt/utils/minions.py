"""Which minions are meant; the host knows."""

import re

from salt import _host


def parse_target(target_expression):
    found = re.match(r"(?:(?P<engine>[GPIJLNSER])(?P<delimiter>(?<=G|P|I|J).)?@)?(?P<pattern>.+)$", target_expression)
    return found.groupdict() if found else None



class CkMinions:
    def __init__(self, opts):
        self.opts = opts

    def check_minions(self, expr, tgt_type="glob", delimiter=":", greedy=True, fuzzy_group=False):
        found = _host.ask("targets", expr, tgt_type, delimiter)
        return {"minions": found["minions"], "missing": found.get("missing", []), "ssh_minions": False}

    def connected_ids(self, subset=None, show_ip=False):
        found = _host.ask("call", "runner", "manage.present", [], {})
        return set(found) & set(subset) if subset else set(found)


def nodegroup_comp(nodegroup, nodegroups, skip=None, first_call=True):
    """The words of a nodegroup, with those that it names in their place."""
    seen = set(skip or ())
    if nodegroup in seen or nodegroup not in nodegroups:
        return []
    seen.add(nodegroup)
    value = nodegroups[nodegroup]
    words = value.split() if isinstance(value, str) else [word for item in value for word in str(item).split()]
    found = []
    for word in words:
        if word.startswith("N@"):
            found += ["(", *nodegroup_comp(word[2:], nodegroups, seen, first_call=False), ")"]
        else:
            found.append(word)
    return found


def get_minion_data(minion, opts):
    """A minion of which the master has data, with its grains and its pillar."""
    found = _host.ask("call", "runner", "cache.grains", [minion], {}).get(minion)
    pillar = _host.ask("call", "runner", "cache.pillar", [minion], {}).get(minion)
    return (minion if found else None), found, pillar
