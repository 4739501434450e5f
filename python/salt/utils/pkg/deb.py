"""Lines of apt's sources."""

import re


def combine_comments(comments):
    lines = comments if isinstance(comments, list) else [comments]
    return " ".join(str(line).strip() for line in lines)


def strip_uri(repo):
    """Without the slashes at the end of the address."""
    words = repo.split()
    return " ".join(word.rstrip("/") if re.match(r"\w+:/", word) else word for word in words)


def string_to_bool(s):
    return str(s).lower() in ("1", "true", "yes", "on")
