"""What runners take from the master's inside: the client that finds minions."""

import salt.client


class RemoteFuncs:
    def __init__(self, opts):
        self.opts = opts
        self.local = salt.client.LocalClient(mopts=opts)
