"""Bundles of states for machines without a minion, which Brine does not make."""

from salt.exceptions import CommandExecutionError

_WHY = "Brine makes no bundles of states; run salt-ssh against the machine, or a minion on it"


def lowstate_file_refs(chunks, extras=""):
    raise CommandExecutionError(_WHY)


def prep_trans_tar(file_client, chunks, file_refs, pillar=None, id_=None, roster_grains=None):
    raise CommandExecutionError(_WHY)
