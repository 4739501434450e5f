"""Addresses of files."""

from urllib.parse import urlsplit, urlunsplit


def parse(url):
    if not url.startswith("salt://"):
        return url, None
    path, _, query = url[len("salt://") :].partition("?")
    saltenv = dict(part.partition("=")[::2] for part in query.split("&")).get("saltenv") if query else None
    return path.lstrip("/"), saltenv


def create(path, saltenv=None):
    return "salt://" + path.replace("\\", "/") + ("?saltenv=" + saltenv if saltenv else "")


def is_escaped(url):
    return parse(url)[0].startswith("|") if url.startswith("salt://") else url.startswith("|")


def escape(url):
    return url if is_escaped(url) else ("salt://|" + url[7:] if url.startswith("salt://") else "|" + url)


def unescape(url):
    return url.replace("|", "", 1) if is_escaped(url) else url


def add_env(url, saltenv):
    return create(parse(url)[0], saltenv) if url.startswith("salt://") else url


def split_env(url):
    if not url.startswith("salt://"):
        return url, None
    path, saltenv = parse(url)
    return create(path), saltenv


def validate(url, protos):
    return not protos or urlsplit(url).scheme in protos


def strip_proto(url):
    return url.partition("://")[2] or url


def add_http_basic_auth(url, user=None, password=None, https_only=False):
    if user is None and password is None:
        return url
    parts = urlsplit(url)
    if https_only and parts.scheme != "https":
        raise ValueError("Basic Auth only supported for HTTPS")
    credentials = ":".join(word for word in (user, password) if word is not None)
    return urlunsplit(parts._replace(netloc=credentials + "@" + parts.netloc.rpartition("@")[2]))


def redact_http_basic_auth(output):
    import re

    return re.sub(r"(https?)://.*@", r"\1://<redacted>@", output) if "://" in str(output) else output
