"""Text in colours, by the names of their parts."""

_PARTS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_CODES = {name: 30 + index for index, name in enumerate(_PARTS)}
_CODES.update({"bg_" + name: 40 + index for index, name in enumerate(_PARTS)})
_CODES.update({"reset": 0, "bold": 1, "faint": 2, "underline": 4, "blink": 5, "reverse": 7, "default": 39})


class TextFormat:
    def __init__(self, *attrs, **kwargs):
        codes = [str(_CODES[attr.lower()]) for attr in attrs]
        self.sequence = "\x1b[{}m".format(";".join((["0"] if kwargs.get("reset", True) else []) + codes))

    def __call__(self, text, reset=True):
        return "{}{}{}".format(self.sequence, text, "\x1b[0m" if reset else "")

    def __str__(self):
        return self.sequence

    __repr__ = __str__

    def __add__(self, other):
        return str(self) + str(other)

    def __radd__(self, other):
        return str(other) + str(self)
