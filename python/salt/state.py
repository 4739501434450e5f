"""Words of the state engine."""

from brine_worker.requisites import REQUISITES

STATE_REQUISITE_KEYWORDS = REQUISITES
STATE_RUNTIME_KEYWORDS = frozenset(
    "fun state check_cmd failhard onlyif unless creates retry order parallel prereq prereq_in prerequired reload_modules"
    " reload_grains reload_pillar runas runas_password fire_event saltenv umask use use_in __env__ __id__ __sls__"
    " __pub_user __pub_arg __pub_jid __pub_fun __pub_tgt __pub_ret __pub_pid __pub_tgt_type".split()
)
STATE_INTERNAL_KEYWORDS = STATE_REQUISITE_KEYWORDS | STATE_RUNTIME_KEYWORDS


class HighState:
    """States are compiled by the host; functions of `state.*` run them."""

    def __init__(self, *_, **__):
        from salt.exceptions import CommandExecutionError

        raise CommandExecutionError("States cannot be compiled in Python; call __salt__['state.apply'] or the like instead")


State = BaseHighState = HighState
