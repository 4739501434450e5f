"""The keys of minions, as the master's own functions manage them."""

from salt import _host


def get_key(opts):
    return Key(opts)


class Key:
    ACC, PEND, REJ, DEN = "minions", "minions_pre", "minions_rejected", "minions_denied"

    def __init__(self, opts, io_loop=None):
        self.opts = opts

    @staticmethod
    def _wheel(name, *args):
        return _host.ask("call", "wheel", "key." + name, list(args), {})

    def list_keys(self):
        return self._wheel("list_all")

    all_keys = list_keys

    def list_status(self, match):
        return self._wheel("list", match)

    def name_match(self, match, full=False):
        return self._wheel("name_match", match)

    def accept(self, match=None, match_dict=None, include_rejected=False, include_denied=False):
        return self._wheel("accept", match)

    def delete_key(self, match=None, match_dict=None, preserve_minions=None, revoke_auth=False):
        return self._wheel("delete", match)

    def reject(self, match=None, match_dict=None, include_accepted=False, include_denied=False):
        return self._wheel("reject", match)

    def finger(self, match, hash_type=None):
        return self._wheel("finger", match)
