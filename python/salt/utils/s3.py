"""Requests to S3 and to servers that speak its protocol, signed by AWS Signature Version 4."""

import datetime
import hashlib
import hmac
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree

from salt.exceptions import CommandExecutionError
from salt.utils.xmlutil import to_dict

DEFAULT_LOCATION = "us-east-1"


def _signature(key, scope, text):
    made = ("AWS4" + key).encode()
    for word in scope.split("/"):
        made = hmac.new(made, word.encode(), hashlib.sha256).digest()
    return hmac.new(made, text.encode(), hashlib.sha256).hexdigest()


def _signed_headers(method, host, path, params, headers, payload, credentials):
    key, keyid, location = credentials
    now = datetime.datetime.now(datetime.timezone.utc)
    scope = "{:%Y%m%d}/{}/s3/aws4_request".format(now, location)
    own = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    own.update({"host": host, "x-amz-date": "{:%Y%m%dT%H%M%SZ}".format(now), "x-amz-content-sha256": payload})
    names = ";".join(sorted(own))
    asked = "&".join("{}={}".format(*pair) for pair in sorted(_quoted(params)))
    canonical = [method, path, asked, *["{}:{}".format(name, own[name]) for name in sorted(own)], "", names, payload]
    hashed = hashlib.sha256("\n".join(canonical).encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", own["x-amz-date"], scope, hashed])
    form = "AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}"
    own["authorization"] = form.format(keyid, scope, names, _signature(key, scope, text))
    return own, asked


def _quoted(params):
    return [(urllib.parse.quote(str(name), safe="-_.~"), urllib.parse.quote(str(value), safe="-_.~")) for name, value in params.items()]


def query(key, keyid, method="GET", params=None, headers=None, requesturl=None, return_url=False, bucket=None,
          service_url=None, path="", return_bin=False, action=None, local_file=None, verify_ssl=True, full_headers=False,
          kms_keyid=None, location=None, role_arn=None, chunk_size=16384, path_style=False, https_enable=True):  # fmt: skip
    """Asks a server; the answer is bytes, headers, or the children of its XML as dicts."""
    if not key or not keyid:
        raise CommandExecutionError("Requests to S3 need `key` and `keyid`")
    server = service_url or "s3.amazonaws.com"
    host = server if path_style or not bucket else "{}.{}".format(bucket, server)
    place = "/" + "/".join(part for part in (bucket if path_style else "", path.lstrip("/")) if part)
    body = b""
    if method == "PUT" and local_file:
        with open(local_file, "rb") as handle:
            body = handle.read()
    digest = hashlib.sha256(body).hexdigest()
    credentials = (key, keyid, location or DEFAULT_LOCATION)
    own, asked = _signed_headers(method, host, place, params or {}, headers or {}, digest, credentials)
    url = "{}://{}{}{}".format("https" if https_enable else "http", host, place, "?" + asked if asked else "")
    answer = _sent(urllib.request.Request(url, data=body or None, headers=own, method=method), verify_ssl)
    if local_file and method == "GET":
        return _saved(answer, local_file, chunk_size)
    if full_headers or method == "HEAD":
        return {"headers": dict(answer.headers.items())}
    content = answer.read()
    return content if return_bin else _children(content, url if return_url else None)


def _sent(request, verify_ssl):
    import ssl

    context = None if verify_ssl or request.type != "https" else ssl._create_unverified_context()
    try:
        return urllib.request.urlopen(request, timeout=60, context=context)
    except urllib.error.HTTPError as exc:
        text = exc.read(4096).decode(errors="replace")
        raise CommandExecutionError("S3 answered {} for {}: {}".format(exc.code, request.full_url, text)) from None
    except OSError as exc:
        raise CommandExecutionError("S3 cannot be reached at {}: {}".format(request.host, exc)) from None


def _saved(answer, path, size):
    with open(path, "wb") as handle:
        for piece in iter(lambda: answer.read(size), b""):
            handle.write(piece)
    return "Saved to local file: {}".format(path)


def _children(content, url):
    items = [to_dict(item) for item in ElementTree.fromstring(content)] if content else []
    return (items, url) if url is not None else items
