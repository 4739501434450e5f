"""Tags of a minion's own events."""

MINION_PILLAR_REFRESH_COMPLETE = "/salt/minion/minion_pillar_refresh_complete"
MINION_MOD_REFRESH_COMPLETE = "/salt/minion/minion_mod_refresh_complete"
