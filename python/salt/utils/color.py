"""The colours of outputters, as escape sequences by name."""

_HUES = ("BLACK", "RED", "GREEN", "YELLOW", "BLUE", "MAGENTA", "CYAN")
_CODES = {name: "0;{}".format(30 + index) for index, name in enumerate(_HUES)}
_CODES.update({"LIGHT_" + name: "0;1;{}".format(30 + index) for index, name in enumerate(_HUES) if name != "BLACK"})
_CODES.update({"DARK_GRAY": "0;1;30", "LIGHT_GRAY": "0;37", "WHITE": "0;1;37", "DEFAULT_COLOR": "0;39", "ENDC": "0;0"})


def get_colors(use=True, theme=None):
    """All of them; with False empty texts, and with a name that one in place of every other."""
    colours = {name: "\x1b[{}m".format(code) if use else "" for name, code in _CODES.items()}
    if isinstance(use, str) and use in colours:
        colours = {name: colours["ENDC" if name == "ENDC" else use] for name in colours}
    return colours
