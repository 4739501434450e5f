"""The release of Salt whose behaviour this is."""

__saltstack_version__ = __version__ = "3008.2"
__version_info__ = (3008, 2)


def versions_information(*_, **__):
    import platform

    return {"Salt Version": {"Salt": __version__}, "Python Version": {"Python": platform.python_version()}}


class SaltStackVersion:
    def __init__(self, major, minor=0, *_):
        self.info = (int(major), int(minor or 0))

    @classmethod
    def parse(cls, text):
        parts = [part for part in str(text).lstrip("v").split(".") if part.isdigit()]
        return cls(*(parts or [0]))

    @classmethod
    def from_name(cls, name):
        return cls(3008)

    def __lt__(self, other):
        return self.info < other.info

    def __le__(self, other):
        return self.info <= other.info

    def __eq__(self, other):
        return self.info == other.info

    def __hash__(self):
        return hash(self.info)
