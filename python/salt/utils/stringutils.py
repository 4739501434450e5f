"""Texts and bytes."""

import difflib
import fnmatch
import re
import shlex
import string as _string
import unicodedata


def to_bytes(s, encoding=None, errors="strict"):
    if s is None or isinstance(s, bytes):
        return s
    if isinstance(s, bytearray):
        return bytes(s)
    if isinstance(s, str):
        return s.encode(encoding or "utf-8", errors)
    raise TypeError("expected str, bytes, or bytearray not {}".format(type(s)))


def to_str(s, encoding=None, errors="strict", normalize=False):
    if isinstance(s, (bytes, bytearray)):
        s = bytes(s).decode(encoding or "utf-8", errors)
    elif not isinstance(s, str):
        raise TypeError("expected str, bytes, or bytearray not {}".format(type(s)))
    return unicodedata.normalize("NFC", s) if normalize else s


def to_unicode(s, encoding=None, errors="strict", normalize=False):
    return to_str(s, encoding, errors, normalize)


def to_num(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def to_none(text):
    return text if str(text).strip() else None


def is_quoted(value):
    quoted = isinstance(value, str) and len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[0] if quoted else ""


def dequote(value):
    return value[1:-1] if is_quoted(value) else value


def is_hex(value):
    try:
        int(value, 16)
    except (TypeError, ValueError):
        return False
    return True


def is_binary(data):
    if not data or not isinstance(data, (str, bytes)):
        return False
    data = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    if b"\0" in data:
        return True
    textual = bytes(range(32, 127)) + b"\n\r\t\f\b"
    odd = len(data.translate(None, textual))
    return odd / len(data) > 0.30


def random(size=32):
    import random as chance

    return "".join(chance.choice(_string.ascii_letters + _string.digits) for _ in range(size))


def contains_whitespace(text):
    return any(character.isspace() for character in text)


def human_to_bytes(size, default_unit="B", handle_metric=False):
    match = re.match(r"^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$", str(size))
    if not match:
        return 0
    unit = (match.group(2) or default_unit).lower()
    base = 1000 if handle_metric and unit.endswith("b") and "i" not in unit else 1024
    power = "bkmgtpezy".find(unit[0]) if unit else 0
    return int(float(match.group(1)) * base**power) if power >= 0 else 0


def build_whitespace_split_regex(text):
    words = [re.escape(word) for word in shlex.split(text)]
    return r"(?m)^(?:[\s]+)?" + r"(?:[\s]+)?".join(words) + r"(?:[\s]+)?$"


def expr_match(line, expr):
    """Whether the expression, as a glob or a regular expression, matches the whole text."""
    if line == expr:
        return True
    if fnmatch.fnmatch(line, expr):
        return True
    try:
        return re.match(r"\A{}\Z".format(expr), line) is not None
    except re.error:
        return False


def check_whitelist_blacklist(value, whitelist=None, blacklist=None):
    whitelist = [whitelist] if isinstance(whitelist, str) else whitelist or []
    blacklist = [blacklist] if isinstance(blacklist, str) else blacklist or []
    if any(expr_match(value, expr) for expr in blacklist):
        return False
    return not whitelist or any(expr_match(value, expr) for expr in whitelist)


def check_include_exclude(path_str, include_pat=None, exclude_pat=None):
    def matches(pattern):
        if pattern.startswith("E@"):
            return re.search(pattern[2:], path_str) is not None
        return fnmatch.fnmatch(path_str, pattern)

    if include_pat and not matches(include_pat):
        return False
    return not (exclude_pat and matches(exclude_pat))


def print_cli(msg, retries=10, step=0.01):
    print(msg)


def get_context(template, line, num_lines=5, marker=None):
    lines = template.splitlines()
    first, last = max(0, line - num_lines - 1), line + num_lines
    shown = [text + (marker or "") * (number == line - 1) for number, text in enumerate(lines)][first:last]
    return "---\n{}\n---".format("\n".join(["[...]"] * (first > 0) + shown + ["[...]"] * (last < len(lines))))


def get_diff(a, b, *args, **kwargs):
    as_lines = [x.splitlines(True) if isinstance(x, str) else x for x in (a, b)]
    return "".join(difflib.unified_diff(*as_lines, *args, **kwargs))


def camel_to_snake_case(camel_input):
    text = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", camel_input)
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", text).lower()


def snake_to_camel_case(snake_input, uppercamel=False):
    first, *rest = snake_input.split("_")
    return (first.capitalize() if uppercamel else first) + "".join(word.capitalize() for word in rest)
