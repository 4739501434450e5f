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
