"""Defaults and codes."""

DEFAULT_TARGET_DELIM = ":"


class _Constant:
    """A value of its own, for arguments that nobody gave."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "<Constant.{}>".format(self.name)


NOT_SET = _Constant("NOT_SET")
