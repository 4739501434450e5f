"""The words of requisites, as state files that are Python know them."""

_PLAIN = ("listen", "onchanges", "onfail", "require", "watch", "use", "prereq")
REQUISITES = frozenset(word + ending for word in _PLAIN for ending in ("", "_in", "_any") if word + ending != "use_any")
