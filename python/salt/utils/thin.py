"""Salt's own code as an archive for other machines, which Brine does not make."""

from salt.exceptions import CommandExecutionError


def gen_thin(cachedir, *_, **__):
    raise CommandExecutionError("Brine makes no archive of Salt; run salt-ssh against the machine, or a minion on it")


gen_min = gen_thin
