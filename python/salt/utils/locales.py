"""Locales."""

import sys


def get_encodings():
    return [sys.getdefaultencoding()]


def split_locale(loc):
    rest, _, modifier = loc.partition("@")
    rest, _, codeset = rest.partition(".")
    language, _, territory = rest.partition("_")
    charmap = codeset.partition(" ")[2]
    return {"language": language, "territory": territory, "codeset": codeset.partition(" ")[0], "charmap": charmap,
            "modifier": modifier}  # fmt: skip


def join_locale(comps):
    text = comps["language"]
    for mark, part in (("_", "territory"), (".", "codeset"), ("@", "modifier"), (" ", "charmap")):
        text += mark + comps[part] if comps.get(part) else ""
    return text


def normalize_locale(loc):
    parts = split_locale(loc)
    parts["territory"] = parts["territory"].upper()
    parts["codeset"] = parts["codeset"].lower().replace("-", "")
    parts["charmap"] = ""
    return join_locale(parts)
